"""Methods of traced arrays where ndarray's have ways of their own."""

from __future__ import annotations

import re

import numpy as np
import pytest
import tracefn
from tracefn.errors import UnsupportedFunctionError


@pytest.mark.parametrize("dtype", ["?", "i1", "u4", "f8"])
def test_conj_of_real_numbers_is_the_array_itself(dtype):
    x = np.ones(3, dtype)
    assert tracefn.function(lambda x: x.conj())(x) is x
    assert tracefn.function(lambda x: np.conjugate(x))(x) is not x


@pytest.mark.parametrize("value", [np.True_, np.int8(3), np.float64(0.5), np.complex64(1 + 2j)])
@pytest.mark.parametrize("function", [lambda x: x.conj(), lambda x: x.conjugate() + x, lambda x: x.copy("F")])
def test_scalars_keep_their_type(function, value):
    found = tracefn.function(function)(value)
    assert (found, type(found)) == (function(value), type(function(value)))


@pytest.mark.parametrize("value", [np.ones((1, 1)), np.float64(2)])
@pytest.mark.parametrize("function", [lambda x: x.reshape(), lambda x: x.copy(0)])
def test_arguments_that_methods_refuse(function, value):
    with pytest.raises(TypeError) as eager:
        function(value)
    with pytest.raises(TypeError, match=re.escape(str(eager.value))):
        tracefn.function(function)(value)


def test_what_is_written_to_conj_is_written_to_the_array():
    def function(x):
        y = x.conjugate()
        y += 1

    x = np.zeros(3)
    tracefn.function(function)(x)
    np.testing.assert_array_equal(x, 1)


def test_conj_of_complex_numbers_and_into_out():
    def function(x):
        out = np.empty_like(x)
        return x.conjugate(), x.conj(out), out

    x = np.array([1 + 2j, 3j])
    for got in tracefn.function(function)(x):
        np.testing.assert_array_equal(got, x.conj())


@pytest.mark.parametrize("array", [np.array(["a"]), np.array(["2001"], "M8[Y]")])
def test_conj_of_what_is_no_number(array):
    with pytest.raises(TypeError, match="cannot conjugate non-numeric dtype"):
        tracefn.function(lambda x: x.conj())(array)


def test_choose_takes_choices_one_by_one():
    x, first, second = np.array([0, 1]), np.array([1, 2]), np.array([3, 4])
    for function in (
        lambda x, a, b: x.choose(a, b),
        lambda x, a, b: x.choose([a, b]),
        lambda x, a, b: (x + 2).choose(a, b, mode="wrap"),
    ):
        np.testing.assert_array_equal(tracefn.function(function)(x, first, second), function(x, first, second))


def test_reduceat_of_no_indices():
    got = tracefn.function(lambda x: np.add.reduceat(x, [], axis=0))(np.ones((5, 2)))
    assert got.shape == (0, 2) and got.dtype == np.float64


def test_a_traced_separator_or_fill_is_refused_for_texts_of_fixed_width():
    text, mark = np.array(["a-b"]), np.array("-")
    for function in (np.strings.partition, np.strings.rpartition, lambda a, b: np.strings.center(a, 2, b)):
        with pytest.raises(UnsupportedFunctionError, match="the width of the result of np.strings"):
            tracefn.function(function)(text, mark)


def test_round_of_a_scalar_is_traced():
    f = tracefn.function(lambda x: round(x.sum(), 1))
    for x in (np.array([0.26, 1.0]), np.array([2.0, 0.04])):
        got = f(x)
        assert got == round(x.sum(), 1) and type(got) is np.float64
    assert f.tracing_count == 1
    for program in (lambda x: round(x, 1), lambda x: round(x)):
        with pytest.raises(TypeError, match="__round__"):
            tracefn.function(program)(np.ones(2))
    got = tracefn.function(lambda x: round(x[0]))(np.array([1.7]))
    assert got == 2 and type(got) is int


def fast_inverse_root(x):
    i = 0x5F3759DF - (x.astype(np.float32).view(np.int32) >> 1)
    return i.view(np.float32)


def one_more_bit(x):
    bits = x.view(np.int64)
    bits[1:] += 1
    x.view()[0] = 7
    return bits, x.view(np.ndarray)


def bytes_of_a_new_array(x):
    y = np.zeros_like(x)
    y.view(np.uint8)[:: x.itemsize] = 3
    return y, y.view(np.uint8).reshape(len(x), -1)[:, ::-1]


def each_in_turn(x):
    for i in range(len(x)):
        x.view(np.int64)[i] = i
    return x.sum().view(np.int64)


@pytest.mark.parametrize("function", [fast_inverse_root, one_more_bit, bytes_of_a_new_array, each_in_turn])
def test_a_view_of_another_dtype_shows_the_same_memory(function):
    traced = tracefn.function(function)
    for _ in range(2):
        mine, theirs = np.arange(1.0, 5), np.arange(1.0, 5)
        np.testing.assert_equal(traced(mine), function(theirs))
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize(
    "call", [lambda x: x.view(np.complex128), lambda x: x[::2].view("f4"), lambda x: x[0].view(), lambda x: x.view("O")]
)
def test_a_view_that_numpy_does_not_give_has_numpys_error(call):
    x = np.arange(3.0)
    try:
        wanted = repr(call(x))
    except (ValueError, TypeError) as error:
        wanted = repr(error)
    try:
        got = repr(tracefn.function(call)(x))
    except (ValueError, TypeError) as error:
        got = repr(error)
    assert got == wanted


def test_a_view_as_a_subclass_is_refused():
    with pytest.raises(UnsupportedFunctionError, match="Subclasses"):
        tracefn.function(lambda x: x.view(np.matrix))(np.ones(3))


def test_super_in_a_class_method():
    class Base:
        scale = 3

        @classmethod
        def factor(cls, extra=0):
            return cls.scale + extra

    class Derived(Base):
        @classmethod
        @tracefn.function
        def factor(cls, x, extra=0):
            return super().factor(extra=extra) * x

    np.testing.assert_array_equal(Derived.factor(np.ones(2), extra=1), np.full(2, 4.0))
    Base.scale = 5
    np.testing.assert_array_equal(Derived.factor(np.ones(2), extra=1), np.full(2, 6.0))


def test_transpose_takes_the_axes_as_an_array():
    f = tracefn.function(lambda x: x.transpose(np.argsort(x.strides)))
    assert f(np.ones((2, 3))).shape == (3, 2)
