"""Iterators that a function makes before a branch or loop and advances in it: how often it runs is the call's."""

import collections
import functools
import operator

import numpy as np
import pytest
import tracefn

pytestmark = pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")


class Reader:
    def __init__(self):
        self.left, self.pages = iter([1.0, 2.0, 3.0]), [iter([4.0, 5.0])]

    def read(self):
        return next(self.left)


class Held:
    """An object from outside."""


def held_by_an_object(x):
    reader = Reader()
    y = x * reader.read() if x.sum() > 0 else x
    return y, reader.read()


def held_by_an_item(x):
    reader = Reader()
    if x.sum() > 0:
        x = x * next(reader.pages[0])
    return x, list(reader.pages[0])


HELD = Held()


def held_by_an_object_from_outside(x):
    HELD.left = iter([1.0, 2.0, 3.0])
    if x.sum() > 0:
        x = x * next(HELD.left)
    return x, next(HELD.left)


def in_a_loop(x):
    reader, rounds = Reader(), 0
    while x.sum() > 0 and rounds < 2:
        x, rounds = x - reader.read(), rounds + 1
    return x, list(reader.left)


def taken_from(take):
    def f(x):
        left, mine = iter([1.0, 2.0, 3.0]), []
        y = 0.0
        if x.sum() > 0:
            take(mine, left)
            y = 1.0
        return y, list(left)

    return f


CASES = {
    "an object": held_by_an_object,
    "an item": held_by_an_item,
    "an object from outside": held_by_an_object_from_outside,
    "a loop": in_a_loop,
    "in": taken_from(lambda mine, left: 2.0 in left),
    "extend": taken_from(lambda mine, left: mine.extend(left)),
    "slice": taken_from(lambda mine, left: mine.__setitem__(slice(0, 0), left)),
    "union": taken_from(lambda mine, left: set().union(left)),
    "reduce": taken_from(lambda mine, left: functools.reduce(operator.add, left)),
    "fromiter": taken_from(lambda mine, left: np.fromiter(left, float)),
    "countOf": taken_from(lambda mine, left: operator.countOf(left, 2.0)),
    "__next__": taken_from(lambda mine, left: left.__next__()),
    "fromkeys": taken_from(lambda mine, left: collections.OrderedDict.fromkeys(left)),
}


@pytest.mark.parametrize("function", CASES.values(), ids=CASES)
def test_an_iterator_from_before_is_advanced_by_the_calls_that_take_from_it(function):
    traced = tracefn.function(function, on_unsupported="eager")
    for sign in (1.0, -1.0, 1.0, -1.0):
        x = sign * np.array([1.0, 2.0, 3.0])
        assert repr(traced(x)) == repr(function(x))


def test_iterators_that_a_loop_makes_stay_in_the_graph():
    @tracefn.function(on_unsupported="error")
    def weighted(x):
        total = 0.0
        for _ in range(int(x[2])):
            left = iter([1.0, 2.0])
            for weight, value in zip([3.0, 4.0], [x[0], x[1]], strict=True):
                total = total + weight * value * next(left)
        return total

    assert weighted(np.array([1.0, 2.0, 3.0])) == 57.0
    assert weighted(np.array([1.0, 2.0, 2.0])) == 38.0 and weighted.tracing_count == 1
