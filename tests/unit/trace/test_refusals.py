"""What would need the elements of a traced value is refused: by name, with the value, the line and a way out."""

import copy
import ctypes
import io
import json
import math
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
import tracefn
from tracefn import errors
from tracefn.errors import (
    InPlaceWriteError,
    LeakedTensorError,
    TensorBoolError,
    TensorConversionError,
    TensorIterationError,
    UnsupportedFunctionError,
)

X = np.arange(6.0).reshape(2, 3)
ERRORS_PAGE = Path(__file__).parents[3] / "docs" / "errors.md"


def if_without_rewriting(x):
    return 1 if x.sum() > 0 else 2


def sets_shape(x):
    x.shape = (6,)


def sets_dtype(x):
    x.dtype = np.int64


def sets_strides(x):
    x.strides = (8, 8)


def sets_data(x):
    x.data = b""


REFUSALS = [
    (if_without_rewriting, TensorBoolError, "np.where"),
    (lambda x: float(x.sum()), TensorConversionError, "x.astype(np.float64)"),
    (lambda x: int(x.sum()), TensorConversionError, "x.astype(np.int64)"),
    (lambda x: complex(x.sum()), TensorConversionError, "x.astype(np.complex128)"),
    (lambda x: list(x[x > 2]), TensorIterationError, "input_signature"),
    (lambda x: hash(x), TensorConversionError, "Key by a Python value"),
    (lambda x: np.stack([x] * 300).tolist(), TensorConversionError, "Loop over the array itself"),
    (lambda x: pickle.dumps(x), TensorConversionError, "pickle the result"),
    (lambda x: f"{x.sum():.2f}", TensorConversionError, "Format what the call returns"),
    (lambda x: "%.2f" % x.sum(), TensorConversionError, "astype"),  # noqa: UP031
    (lambda x: np.save(io.BytesIO(), x), UnsupportedFunctionError, "save the result"),
    (lambda x: np.savez(io.BytesIO(), x), UnsupportedFunctionError, "save the result"),
    (lambda x: np.savetxt(io.BytesIO(), x), UnsupportedFunctionError, "save the result"),
    (lambda x: np.array2string(x), UnsupportedFunctionError, "print the result"),
    (lambda x: x.tobytes(), TensorConversionError, "on the result"),
    (lambda x: x.tofile("nowhere"), TensorConversionError, "on the result"),
    (lambda x: x.dump("nowhere"), TensorConversionError, "on the result"),
    (lambda x: x.dumps(), TensorConversionError, "on the result"),
    (lambda x: x.ctypes, TensorConversionError, "on the result"),
    (lambda x: x.data, TensorConversionError, "on the result"),
    (lambda x: np.from_dlpack(x), TensorConversionError, "outside the traced function"),
    (lambda x: x.resize(6), InPlaceWriteError, "np.resize"),
    (sets_shape, InPlaceWriteError, "x = x.reshape(shape)"),
    (sets_dtype, InPlaceWriteError, "astype"),
    (sets_strides, InPlaceWriteError, "as_strided"),
    (sets_data, InPlaceWriteError, "x[...] = value"),
    (lambda x: x.setflags(write=False), InPlaceWriteError, "outside the traced function"),
    (lambda x: range(x.sum().astype(int)), TensorConversionError, "Pass it as a Python int"),
    (lambda x: [1, 2][x.sum().astype(int)], TensorConversionError, "Pass it as a Python int"),
    (lambda x: np.array(x), TensorConversionError, "np.stack"),
    (lambda x: 3 in x, TensorBoolError, "np.any(x == item)"),
]


@pytest.mark.parametrize(("use", "error", "fix"), REFUSALS)
def test_a_refusal_says_what_where_and_what_to_do(use, error, fix):
    with pytest.raises(errors.TracefnError) as raised:
        tracefn.function(use, autograph=False)(X)
    assert type(raised.value) is error
    what, *_, instead = str(raised.value).splitlines()
    assert "`x`" in what or "np." in what
    assert "test_refusals.py line" in str(raised.value)
    assert fix in instead


@pytest.mark.parametrize(
    "use",
    [
        lambda x: memoryview(x),
        lambda x: json.dumps(x),
        lambda x: ctypes.c_double(x),
        lambda x: bytearray(b"").join([x]),
    ],
)
def test_where_python_asks_no_tensor_a_type_error_comes(use):
    """The buffer protocol and `json` look at the class alone."""
    with pytest.raises(TypeError):
        tracefn.function(use, autograph=False)(X)


def test_what_python_says_of_stand_ins_becomes_a_refusal():
    with pytest.raises(errors.TensorConversionError, match="takes no traced value.*'Tensor'(?s:.*) line") as raised:
        tracefn.function(lambda x: memoryview(x))(X)
    assert type(raised.value.__cause__) is TypeError


def test_rewritten_code_does_what_it_can():
    @tracefn.function
    def f(x):
        total = x.sum()
        return float(total), int(total), total.item(), 1 if total > 0 else 2

    assert f(X) == (15.0, 15, 15.0, 1)
    assert [type(v) for v in f(X)] == [float, int, float, int]


def test_copies_are_copies():
    @tracefn.function
    def f(x):
        y = copy.deepcopy(x)
        z = copy.copy(x)
        y[0] = z[1] = 7
        return x, y, z

    x = X.copy()
    same, y, z = f(x)
    assert same is x
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(y[0], [7, 7, 7])
    np.testing.assert_array_equal(z[1], [7, 7, 7])


LEAKS = [
    lambda t: t + 1,
    lambda t: np.sin(t),
    lambda t: float(t[0]),
    lambda t: bool(t),
    lambda t: np.asarray(t),
    lambda t: t[0],
    lambda t: t.sum(),
    lambda t: t.__setitem__(0, 1),
    lambda t: list(t),
    lambda t: f"{t:.2f}",
    lambda t: t.tolist(),
    lambda t: hash(t),
    lambda t: tracefn.function(lambda y: y + t)(np.ones(2)),
    lambda t: tracefn.function(lambda y: y + 1)(t),
]


@pytest.mark.parametrize("use", LEAKS)
def test_a_leaked_value_names_its_trace_and_its_line(use):
    kept = []

    def leaking(x):
        kept.append(x * 2)
        return x

    tracefn.function(leaking, autograph=False)(np.ones(2))
    line = leaking.__code__.co_firstlineno + 1
    with pytest.raises(LeakedTensorError) as raised:
        use(kept[0])
    text = str(raised.value)
    assert "the trace of `leaking`, which has ended" in text
    assert f"test_refusals.py line {line}" in text
    assert "Return the value" in text


@pytest.mark.parametrize("name", [n for n, c in vars(errors).items() if isinstance(c, type)])
def test_every_class_has_a_help_page_with_an_anchor(name):
    cls = getattr(errors, name)
    page = ERRORS_PAGE.read_text(encoding="utf-8")
    assert cls.__doc__
    assert f'<a id="{name}"></a>' in page
    assert f"(#{name})" in page
    first = re.sub(r"\s+", " ", cls.__doc__.strip().split("\n\n")[0])
    assert first in re.sub(r"\s+", " ", page)


def test_functions_of_math_have_traced_ones_in_numpy():
    with pytest.raises(TensorConversionError, match=r"Write `np.sqrt`, which is traced"):
        tracefn.function(lambda x: math.sqrt(x.sum()), autograph=False)(np.ones(2))
