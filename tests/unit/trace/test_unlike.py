"""Operators on operands that do not go together give what eager NumPy gives."""

from __future__ import annotations

import datetime
import decimal
import fractions
import itertools
import operator

import numpy as np
import pytest
import tracefn
from tracefn.errors import UnsupportedFunctionError

NUMBERS = np.arange(3)
TEXT = np.array(["a", "b", "c"])


def outcome(function, *args):
    try:
        value = function(*args)
    except (TypeError, ValueError) as error:
        return type(error), str(error)
    return type(value), getattr(value, "dtype", None), np.shape(value), repr(value)


@pytest.mark.parametrize("compare", [operator.eq, operator.ne])
@pytest.mark.parametrize("array", [NUMBERS, np.array(1), np.zeros((0, 2)), np.float64(3), TEXT, np.array("a")])
@pytest.mark.parametrize(
    "other",
    [None, ..., object, {}, {1}, "a", b"a", ["a", "b", "c"], ["a", "b"], 1, [1, 2, 3]],
    ids=repr,
)
def test_equality_with_other_things(compare, array, other):
    for function in (lambda x: compare(x, other), lambda x: compare(other, x)):
        assert outcome(tracefn.function(function), array) == outcome(function, array)


@pytest.mark.parametrize("compare", [operator.eq, operator.ne, operator.lt, np.equal])
@pytest.mark.parametrize("other", [TEXT, TEXT[:2], np.array(["2001"], "M8[D]"), np.array(b"a"), np.str_("a")])
def test_comparison_of_traced_arrays_without_a_common_type(compare, other):
    assert outcome(tracefn.function(compare), NUMBERS, other) == outcome(compare, NUMBERS, other)


@pytest.mark.parametrize("sequence", [(1, 2), "ab"], ids=repr)
def test_a_sequence_repeated_by_a_traced_number_is_refused(sequence):
    for function in (lambda n: sequence * n, lambda n: n * sequence, lambda n: sequence * int(n)):
        with pytest.raises(UnsupportedFunctionError, match="how often a sequence is repeated depends on"):
            tracefn.function(function)(np.int64(2))


def test_a_list_repeated_by_a_traced_numpy_number_is_refused():
    with pytest.raises(UnsupportedFunctionError, match="how often a sequence is repeated depends on"):
        tracefn.function(lambda n: [1, 2] * n)(np.int64(2))


@pytest.mark.parametrize("number", [np.float64(2), np.bool_(True), np.complex64(1)])
def test_a_sequence_times_what_is_no_integer(number):
    for function in (lambda x: [1, 2] * x, lambda x: x * (1, 2)):
        wanted = outcome(function, number)
        assert wanted[0] is TypeError
        assert outcome(tracefn.function(function), number) == wanted


@pytest.mark.parametrize(
    ("number", "operation"),
    [*itertools.product([int, float], [operator.add, operator.sub, operator.lt, operator.eq]), (float, operator.mul)],
)
@pytest.mark.parametrize("sequence", [[1, 2], (), "a"], ids=repr)
def test_python_numbers_and_sequences(operation, number, sequence):
    def function(x):
        return operation(number(x), sequence)

    assert outcome(tracefn.function(function), np.int64(2)) == outcome(function, np.int64(2))


def test_sequences_are_arrays_beside_arrays_and_in_sums():
    for function, value in [
        (lambda x: [1, 2, 3] * x, NUMBERS),
        (lambda x: [1, 2] * x, np.array(2)),
        (lambda x: [1, 2] + x, np.int64(2)),
        (lambda x: x == [1, 2], np.int64(2)),
    ]:
        assert outcome(tracefn.function(function), value) == outcome(function, value)


@pytest.mark.parametrize("value", [np.array([0.5]), np.float64(0.5), np.array(["2001-01-01"], "M8[D]")])
@pytest.mark.parametrize("other", [fractions.Fraction(1, 2), decimal.Decimal(1), datetime.date(2001, 1, 1)])
def test_fractions_decimals_and_dates_are_compared_as_numpy_does(value, other):
    for compare in (lambda x: x == other, lambda x: other != x, lambda x: x < other):
        assert outcome(tracefn.function(compare), value) == outcome(compare, value)


class Dual:
    """A number of a class of its own, as for derivatives in forward mode."""

    def __init__(self, value, slope=0.0):
        self.value, self.slope = value, slope

    def __add__(self, other):
        return Dual(self.value + getattr(other, "value", other), self.slope)

    def __mul__(self, other):
        return Dual(self.value * getattr(other, "value", other), self.slope)

    __radd__, __rmul__ = __add__, __mul__

    def __eq__(self, other):
        return isinstance(other, Dual) and self.value == other.value

    def __gt__(self, other):
        return self.value > other

    def __repr__(self):
        return f"Dual({self.value})"


class First(Dual):
    __array_ufunc__ = None


def added_in_place(x, number):
    x += number
    return x


OF_ELEMENTS = [operator.mul, operator.add, operator.eq, operator.ne, operator.lt, added_in_place]
OF_ELEMENTS += [lambda x, number: sum(v * number for v in x), lambda x, number: x[0] * number]


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
@pytest.mark.parametrize("cls", [Dual, First])
@pytest.mark.parametrize("function", OF_ELEMENTS)
def test_an_object_of_the_users_meets_each_element_or_the_array(function, cls):
    def called(x):
        return function(x, cls(2.0))

    traced = tracefn.function(called, on_unsupported="eager")
    assert outcome(traced, np.arange(3.0)) == outcome(called, np.arange(3.0))
