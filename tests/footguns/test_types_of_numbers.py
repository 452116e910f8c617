"""Numbers of which the call decides the Python type: state and results have the one that they have in eager code."""

import numpy as np
import pytest
import tracefn
from agreement import assert_alike, assert_all_agree_anyway


class State:
    def __init__(self):
        self.best, self.n, self.z = 0.25, 0, 1j


def extremes(s, x):
    s.best = max(s.best, x.max())
    return s.best, min(1, x.min()), max([0, 0.5, x[0]], default=2)


def int_or_float(s, x):
    s.n = s.n + 1 if x[0] > 0 else s.n * 0.5
    return s.n, s.n // 2, -s.n, s.n == 1, abs(s.n), s.n**2, round(s.n), np.arange(3) * s.n


def several_numpy_types(s, x):
    s.best = x[0].astype(np.float32) if x[0] > 0 else 0.1
    t = s.best if x[1] > 0 else x.astype(int)[0]
    return s.best, t, t + 1, t * x.astype(np.float32), np.maximum(t, 0), t > 0


def in_a_loop(s, x):
    total = 0
    for v in x:
        if v > 0:
            total += v
    s.n = total
    return total


def asks_for_the_type(s, x):
    t = 1 if x[0] > 0 else 2.5
    u = t if x[1] > 0 else x[1]
    return isinstance(t, int), isinstance(u, float), type(t) is int


def complex_numbers(s, x):
    s.z = (s.z * 0.5 + 1j).conjugate()
    if x[0] > 0:
        s.z += x.sum()
    return s.z.real, s.z.imag, s.z.conjugate(), complex(x[0], 2.0)


def complex_power_of_a_float(s, x):
    s.best -= 0.125
    root = s.best**0.5 if s.best < 5 else 1
    return root, [root]


def larger_than_a_float(s, x):
    s.n = (2**53 + 1) * (s.n + 1)
    return s.n if x[0] > 0 else 0.5


def narrower_in_a_loop(s, x):
    found, rate, both = 0, 1.0, 2.5
    for v in x:
        found, rate = True, 3
        both = 2 if v > 0 else both * 2
    k = 1
    while k < x.sum() * 10:
        k, s.n = k + 1, True
    return found, rate, both, s.n


FUNCTIONS = [
    extremes, int_or_float, several_numpy_types, in_a_loop, asks_for_the_type, complex_numbers,
    complex_power_of_a_float, larger_than_a_float, narrower_in_a_loop,
]  # fmt: skip


def told(value):
    if isinstance(value, tuple):
        return tuple(map(told, value))
    return type(value).__name__, str(getattr(value, "dtype", "")), repr(value)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_types_are_those_of_eager_code(function):
    theirs, mine = State(), State()
    traced = tracefn.function(function, on_unsupported="eager")
    for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1), (1, 1), (0, 0)):
        x = np.array([0.5, 2.0, 3.0]) * (*signs, signs[0])
        assert told(traced(mine, x)) == told(function(theirs, x))
        assert told(tuple(vars(mine).values())) == told(tuple(vars(theirs).values()))
    assert not traced.fallbacks or function is larger_than_a_float


def calls(s, x):
    return inner(s, x), s.best


@tracefn.function
def inner(s, x):
    if x[0] > 9:
        s.best = x[0]
    return s.best


def test_types_come_out_of_traced_functions_that_are_called():
    mine = State()
    assert told(tracefn.function(calls, on_unsupported="error")(mine, np.ones(3))) == told((0.25, 0.25))
    assert type(mine.best) is float


def number_or_array_without_axes(s, x):
    found = np.empty(())
    found[()] = x.sum()
    if x[0] > 0:
        found = found.item()
    return found, found * 2, np.asarray(found)


def number_or_array_without_axes_in_a_loop(s, x):
    found, last = np.array(0.5), 0.5
    while x[0] < 2:
        found, last = float(x[1]), np.asarray(x[1])
        x = x + 1
    return found, last


@pytest.mark.parametrize("function", [number_or_array_without_axes, number_or_array_without_axes_in_a_loop])
def test_a_number_and_an_array_without_axes_stay_what_they_are(function):
    traced = tracefn.function(function, on_unsupported="eager")
    for first in (-1.0, 3.0, 0.0):
        x = np.arange(3.0) + first
        assert_alike(traced(State(), x), function(State(), x))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("number", [np.uint8(2), np.int64(2), np.float32(2), np.float64(2), np.complex64(2j)])
def test_operators_of_known_numpy_scalars_are_those_of_scalars(number):
    def arithmetic(x):
        return number + x, number - x, number * x, number / x, number // x, number % x, number**x

    def comparisons(x):
        return number < x, number <= x, number > x, number == x, number != x

    def bits(x):
        return number & x, number | x, number ^ x, number << x, number >> x

    for function in (arithmetic, comparisons, bits):
        for x in (np.uint8(0), np.uint8(3), np.float64(0), np.zeros(2, np.uint8), np.array(3)):
            assert_all_agree_anyway(function, (x,))
