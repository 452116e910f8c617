"""`out=` of a ufunc takes what it takes in eager NumPy: other dtypes by `casting`, larger arrays by broadcasting."""

from __future__ import annotations

import numpy as np
import pytest
import tracefn
from tracefn.errors import UnsupportedFunctionError


def outcome(function, x):
    try:
        value = function(x)
    except (TypeError, ValueError) as error:
        return type(error), str(error)
    return repr(value), repr(x)


def into(ufunc, shape, dtype, *operands, **options):
    """A function that calls a ufunc with `out=` and returns the array."""

    def function(x):
        out = np.zeros(shape, dtype)
        ufunc(x, *operands, out=out, **options)
        return out

    return function


@pytest.mark.parametrize(
    "function",
    [
        into(np.add, 3, int, 1.5, casting="unsafe"),
        into(np.add, 3, int, 1.5),
        into(np.add, (2, 3), float, 1.5),
        into(np.add, (1, 3), float, 1.5),
        into(np.add, 3, float, np.ones((2, 1))),
        into(np.add, 2, float, 1),
        into(np.logical_and, 3, np.int8, 1, casting="equiv"),
        into(np.sin, (), np.int8, casting="equiv"),
        into(np.sin, (2, 3), np.int8, casting="unsafe"),
    ],
)
def test_out(function):
    assert outcome(tracefn.function(function), np.arange(3.0)) == outcome(function, np.arange(3.0))


def test_several_outputs():
    def function(x):
        first, second = np.zeros((2, 3), int), np.zeros((2, 3), np.int8)
        np.divmod(x, 2, out=(first, second), casting="unsafe")
        return first, second

    assert outcome(tracefn.function(function), np.arange(3)) == outcome(function, np.arange(3))


def test_an_argument_is_written_with_another_dtype_and_shape():
    def function(x):
        np.add(x[0], 0.5, out=x[1:], casting="unsafe")

    def wrong(x):
        x[:2] += x

    for eager in (function, wrong):
        assert outcome(tracefn.function(eager), np.arange(3)) == outcome(eager, np.arange(3))


def test_a_dtype_with_a_shape_is_refused():
    with pytest.raises(UnsupportedFunctionError, match="a dtype that has a shape"):
        tracefn.function(lambda x: x.astype("2i"))(np.arange(3))


def test_what_does_not_happen_gives_no_warning(recwarn):
    function = into(np.floor_divide, 3, np.float32, 2.0, casting="unsafe")
    assert outcome(tracefn.function(function), np.ones(3)) == outcome(function, np.ones(3))
    assert not recwarn.list
