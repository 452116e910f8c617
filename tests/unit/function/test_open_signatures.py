"""Signatures that leave open what TensorFlow's do: the number of axes, the width of texts; and errors of shapes."""

import numpy as np
import pytest
import tracefn
from tracefn import TensorSpec
from tracefn.errors import ArgumentMismatchError, InputSignatureError, ShapeMismatchError

X = np.ones(2)


def test_any_number_of_axes():
    f = tracefn.function(lambda x: x * 2, input_signature=[TensorSpec(None, np.float64)])
    for x in (np.float64(1.0), np.array(1.0), X, np.ones(5), np.ones((2, 3)), np.ones((4, 1))):
        assert type(f(x)) is type(x * 2)
        np.testing.assert_array_equal(f(x), x * 2)
    assert f.tracing_count == 3
    with pytest.raises(ArgumentMismatchError, match="float64 of any shape|TensorSpec\\(shape=None"):
        f(np.ones(2, np.float32))


def test_a_number_of_axes_that_nobody_says():
    f = tracefn.function(lambda x: x * 2, input_signature=[TensorSpec(None, np.float64)])
    with pytest.raises(InputSignatureError, match="number of axes of `x` is open"):
        f.get_concrete_function()
    assert TensorSpec(None) != TensorSpec(()) and repr(TensorSpec(None)) == "TensorSpec(shape=None, dtype=float64)"
    assert TensorSpec(None).accepts(TensorSpec((2, 3))) and not TensorSpec(None).accepts(TensorSpec((2,), np.int64))


@pytest.mark.parametrize("kind", [str, np.dtype("U"), "U"])
def test_texts_of_any_width(kind):
    f = tracefn.function(lambda a: np.strings.add(a, "!"))
    one, many = f.get_concrete_function(TensorSpec((), kind)), f.get_concrete_function(TensorSpec((None,), kind))
    for text in (np.array("a"), np.array("abc"), np.str_("ab")):
        assert one(text) == np.strings.add(text, "!")
    for texts in (np.array(["a", "bcd"]), np.array(["a"] * 3)):
        np.testing.assert_array_equal(many(texts), np.strings.add(texts, "!"))
        assert many(texts).dtype == np.strings.add(texts, "!").dtype
    with pytest.raises(ArgumentMismatchError):
        one(np.array(b"a"))
    declared = tracefn.function(lambda a: np.strings.upper(a), input_signature=[TensorSpec((None,), str)])
    assert declared(np.array(["a", "bc"])).tolist() == ["A", "BC"]
    assert declared(np.array(["abc"])).tolist() == ["ABC"]
    assert declared.tracing_count == 1


def test_errors_of_shapes_are_value_errors():
    f = tracefn.function(lambda x: x * 2, input_signature=[TensorSpec((2,), np.float64)])
    concrete = f.get_concrete_function()
    for call in (f, concrete):
        for wrong in (np.ones((2, 2)), np.ones(3), np.float64(1)):
            with pytest.raises(ValueError, match="x") as caught:
                call(wrong)
            assert type(caught.value) is ShapeMismatchError and isinstance(caught.value, TypeError)
        with pytest.raises(TypeError) as caught:
            call(np.ones(2, np.float32))
        assert not isinstance(caught.value, ValueError)


def test_a_list_in_the_place_of_an_array_is_named_once():
    f = tracefn.function(lambda x: x * 2, input_signature=[TensorSpec((None,), np.float64)])
    with pytest.raises(ArgumentMismatchError, match="argument `x` is a list of 3.*\n.*np.asarray\\(x, np.float64\\)"):
        f([1.0, 2.0, 3.0])
