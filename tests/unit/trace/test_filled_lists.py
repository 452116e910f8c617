"""Lists that loops fill: a name keeps the list that it extends by `+=`; arrays of lists without elements."""

import warnings

import numpy as np
import pytest
import tracefn
from agreement import assert_alike
from tracefn.errors import UnsupportedFunctionError


def halved(first, limit):
    """A stack that rounds pop from and extend by `+=`."""
    stack = [first, first / 2]
    same, total = stack, 0.0
    while len(stack) > 0:
        item = stack.pop()
        if item > limit and len(stack) < 3:
            stack += [item / 2, item / 2 - 1]
        total = total + item
    return total, len(stack), len(same), stack is same


def collected(x, rounds):
    """Two names of a list; one grows by `+=`, and by a function of its own."""
    found = []
    same = found

    def add(item):
        nonlocal found
        found += [item]

    at = 0
    while at < rounds:
        add(x[at])
        same.append(x[at])
        found += [x[at] * 2]
        at += 1
    return found, same, found is same


def test_loops_extend_the_list_that_a_name_has():
    x = np.array([4.0, 9.0, 2.0])
    for function, arguments in ((halved, (8.0, 1.0)), (halved, (np.float64(3.0), np.float64(0.5)))):
        assert tracefn.function(function, on_unsupported="error")(*arguments) == function(*arguments)
    for rounds in (0, 2, np.int64(0), np.int64(3)):
        assert tracefn.function(collected, on_unsupported="error")(x, rounds) == collected(x, rounds)


def above(x, limit):
    found = []
    for item in x:
        if item > limit:
            found.append(int(item))
    return np.array(found), np.asarray(found, np.int8), np.fromiter(found, int), x[found]


def rows_above(x, limit):
    found = []
    for item in x:
        if item > limit:
            found.append(x * item)
    return np.array(found)


@pytest.mark.parametrize("function", [above, rows_above])
@pytest.mark.parametrize("limits", [(0.0, 9.0, 1.0, 9.0), (9.0, 9.0, 0.0)])
def test_calls_with_lists_without_elements_run_eagerly(function, limits):
    traced, x = tracefn.function(function, on_unsupported="eager"), np.array([1.0, 0.0, 2.0])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for limit in map(np.float64, limits):
            assert_alike(traced(x, limit), function(x, limit))
    assert traced.tracing_count == 1 and len(caught) == 1
    assert "a list has no elements" in str(caught[0].message)
    with pytest.raises(UnsupportedFunctionError, match="a list has no elements"):
        tracefn.function(function, on_unsupported="error")(x, np.float64(9.0))


def numbers_in_order(x):
    found = []
    for item in x:
        found.append(float(item))
    return sorted(found), sorted(found, reverse=True), bool(found)


def listed_in_order(x):
    found = x.tolist()
    return sorted(found), bool(found), sorted(found)[0]


@pytest.mark.parametrize("function", [numbers_in_order, listed_in_order])
def test_long_lists_keep_pythons_numbers_in_order(function):
    for x in (np.arange(300)[::-1] % 7 / 4, np.arange(300) % 5):
        assert_alike(tracefn.function(function, on_unsupported="error")(x), function(x))
