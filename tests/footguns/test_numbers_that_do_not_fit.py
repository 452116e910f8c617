"""Errors that depend on the numbers of a call: an integer array is given infinity, NaN or a number that
is too large, where a length is too large, and where a distribution has no such parameter. `finally` runs after it."""

import numpy as np
import pytest
import tracefn


def item(x, m):
    try:
        x[0] = 1 / m
    finally:
        x[-1] = 7


def fill(x, m):
    try:
        x.fill(m)
    finally:
        x[-1] = 7


def list_of_numbers(x, m):
    try:
        x[0:2] = [m, 1]
    finally:
        x[-1] = 7


def new_array(x, m):
    try:
        np.array([m, 1], x.dtype)
    finally:
        x[-1] = 7


def open_slice(x, m):
    try:
        x[int(m) :] = np.ones(2)
    finally:
        x[-1] = 7


def length(x, m):
    try:
        np.zeros(m)
    finally:
        x[-1] = 7


def draw(x, m):
    try:
        x[0] = np.random.default_rng(0).normal(0, m)
    finally:
        x[-1] = 7


def draw_of_integers(x, m):
    try:
        x[0] = np.random.default_rng(0).integers(0, m, endpoint=True)
    finally:
        x[-1] = 7


NUMBERS = {
    "integers": [2, 300, -1],
    "NumPy integers": [np.int64(n) for n in (2, 0, -1, 300)],
    "floats": [1.5, float("nan"), float("inf"), -1.0],
    "NumPy floats": [np.float64(v) for v in (2, 0, np.nan, np.inf)],
}


@pytest.mark.parametrize("numbers", NUMBERS.values(), ids=NUMBERS)
@pytest.mark.parametrize("dtype", ["i8", "i1", "u1"])
@pytest.mark.parametrize("function", [item, fill, list_of_numbers, new_array])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_finally_runs_after_a_number_that_does_not_fit(function, dtype, numbers):
    _check(function, dtype, numbers)


@pytest.mark.parametrize(
    ("function", "numbers"),
    [
        (open_slice, [1, 0, 2]),
        (open_slice, [np.int64(n) for n in (1, 0, 2)]),
        (length, [2, -1, 2**70]),
        (draw, [1, -1, 0]),
        (draw_of_integers, [1, 0, -1]),
    ],
)
def test_finally_runs_after_a_parameter_that_is_refused(function, numbers):
    _check(function, "f8", numbers)


def _check(function, dtype, numbers):
    traced = tracefn.function(function, on_unsupported="eager")
    for number in numbers:
        mine, theirs = np.array([1, 2, 3], dtype), np.array([1, 2, 3], dtype)
        assert _error(traced, mine, number) == _error(function, theirs, number), number
        np.testing.assert_array_equal(mine, theirs, str(number))


def _error(function, x, number):
    try:
        function(x, number)
    except (OverflowError, ValueError, ZeroDivisionError) as error:
        return type(error), str(error)
    return None


def constants(x):
    x[0:2] = [300, 1]


def test_list_of_constants_raises_as_numpy_does():
    with pytest.raises(OverflowError, match="300 out of bounds for int8"):
        tracefn.function(constants)(np.zeros(3, np.int8))
