"""`out=` of a ufunc takes what it takes in eager NumPy: other dtypes by `casting`, larger arrays by broadcasting."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import tracefn
from agreement import assert_alike
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


@pytest.mark.parametrize("lengths", [(1, 4), (4, 1), (4, 4)])
def test_several_outputs_have_one_shape_and_are_written_only_if_all_can_be(lengths):
    def function(x):
        first, second = np.zeros(lengths[0]), np.zeros(lengths[1])
        try:
            np.divmod(x, 2, first, second)
            np.divmod(x, 2, out=(first, x))
        except ValueError as error:
            return str(error), first, second
        return first, second

    for number in (5.0, 7.0):
        x = np.full(1, number)
        assert outcome(tracefn.function(function), x.copy()) == outcome(function, x.copy())
    read_only = np.full(4, 5.0)
    read_only.flags.writeable = False
    assert outcome(tracefn.function(function), read_only) == outcome(function, read_only)


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


def twice(ufunc, *operands):
    """A function that has a ufunc write its two outputs into one array."""

    def function(x, y):
        z = y
        ufunc(x, *operands, out=(y, z))
        return y, z

    return function


def into_its_operand(x, y):
    np.divmod(y, 3, out=(y, y))
    return y


def into_one_of_two(x, y):
    z = x if x.sum() > 0 else y
    np.modf(x + 0.5, out=(z, y))
    return z, y


def unaligned(array):
    """The same numbers at an odd address."""
    memory = np.zeros(array.nbytes + 1, np.uint8)[1:]
    made = memory.view(array.dtype).reshape(array.shape)
    made[...] = array
    return made


BY_ROWS = (np.copy, unaligned, lambda a: a.copy()[::-1], lambda a: np.repeat(a, 2, 0)[::2])
OF_TWO_AXES = (*BY_ROWS, np.asfortranarray, lambda a: a.copy()[:, ::-1], lambda a: np.repeat(a, 2, 1)[:, ::2])


@pytest.mark.sampled(3, everywhere=True)
@pytest.mark.parametrize("dtypes", ["dd", "df", "ll"])
@pytest.mark.parametrize("shape", [(3,), (4, 5)])
@pytest.mark.parametrize(
    "function", [twice(np.divmod, 3), twice(np.modf), twice(np.frexp), into_its_operand, into_one_of_two]
)
@pytest.mark.filterwarnings("ignore")
def test_both_outputs_in_one_array(function, shape, dtypes):
    """NumPy writes the first output last, or the second, which strides and alignment decide."""

    def called(traced, x, y):
        try:
            value = traced(x, y)
        except (TypeError, ValueError) as error:
            return type(error), str(error)
        return repr(value), repr(x), repr(y)

    of_x, of_y = np.full(shape, 7.5).astype(dtypes[0]), np.full(shape, 9.25).astype(dtypes[1])
    for lies, other in itertools.product(OF_TWO_AXES if len(shape) > 1 else BY_ROWS, repeat=2):
        traced = tracefn.function(function, on_unsupported="eager")
        for x, y in ((np.copy, np.copy), (lies, other), (np.copy, np.copy)):
            assert called(traced, x(of_x), y(of_y)) == called(function, x(of_x), y(of_y))
    x, y = of_y.copy(), of_y.copy()
    assert called(traced, x, x) == called(function, y, y)


def test_both_outputs_in_one_array_have_a_graph():
    traced = tracefn.function(twice(np.divmod, 3), on_unsupported="error")
    assert traced(np.full(2, 7.0), np.zeros(2))[0].tolist() == [2.0, 2.0]


def test_outputs_that_overlap_are_refused():
    with pytest.raises(UnsupportedFunctionError, match="outputs that may share memory"):
        tracefn.function(lambda x: np.modf(x[:-1] * 0.5, out=(x[1:], x[:-1])), on_unsupported="error")(np.ones(3))


def into_integers(x, s):
    step = 1 if s > 0 else 0.5 if s < -5 else 2
    np.multiply(x, step, out=x)
    return x


def test_an_output_of_a_dtype_that_a_traced_value_decides_runs_eagerly():
    traced = tracefn.function(into_integers, on_unsupported="eager")
    with pytest.warns(tracefn.errors.FallbackWarning, match="was written into an array"):
        for s in (1.0, -1.0):
            assert_alike(traced(np.arange(3), np.float64(s)), into_integers(np.arange(3), s))
