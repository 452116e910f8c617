"""Iterators over containers from outside that change before their items are taken: each item is read when it is."""

import collections
import itertools

import numpy as np
import pytest
import tracefn


class Log:
    def __init__(self):
        self.xs, self.ks, self.table = [1.0, 2.0], [5, 1, 2], {"a": 1.0, "b": 2.0}

    def change(self):
        self.ks[0] = 4
        self.ks.append(3)
        self.table["b"] = 7.0


def each_of(values):
    for value in values:
        yield value + 1


MAKERS = {
    "zip": lambda log: zip(log.ks, log.xs + log.xs, strict=False),
    "enumerate": lambda log: enumerate(log.ks, 2),
    "reversed": lambda log: reversed(log.ks),
    "map": lambda log: map(abs, log.ks),
    "filter": lambda log: filter(None, log.ks),
    "generator expression": lambda log: (k * 2 for k in log.ks),
    "generator": lambda log: each_of(log.ks),
    "chain": lambda log: itertools.chain(log.ks, log.xs),
    "accumulate": lambda log: itertools.accumulate(log.ks),
    "islice": lambda log: itertools.islice(log.ks, 4),
    "values": lambda log: log.table.values(),
    "over values": lambda log: (v for v in log.table.values()),
    "items": lambda log: log.table.items(),
}


def same(function, on_unsupported="error"):
    traced, mine, theirs = tracefn.function(function, on_unsupported=on_unsupported), Log(), Log()
    for k in range(4):
        got, wanted = traced(mine, np.ones(2)), function(theirs, np.ones(2))
        assert repr((got, vars(mine))) == repr((wanted, vars(theirs)))
        for log in (mine, theirs):
            log.ks[0] += 1
            log.ks.append(k)
            log.xs.append(float(k))


@pytest.mark.parametrize("maker", MAKERS)
def test_items_are_read_when_they_are_taken(maker):
    make = MAKERS[maker]

    def function(log, x):
        items = make(log)
        log.change()
        return list(items)

    same(function)


@pytest.mark.parametrize("maker", [tuple, collections.deque, itertools.chain, lambda rows: filter(None, rows)])
def test_lists_in_a_list_stay_the_lists_that_they_are(maker):
    rows = [[1.0], [2.0, 3.0]]

    def function(x):
        made = list(maker(rows))
        made[0].append(x)
        return made

    traced = tracefn.function(function, on_unsupported="error")
    for k in range(3):
        assert [row is mine for row, mine in zip(traced(float(k)), rows, strict=True)] == [True, True]
    assert rows == [[1.0, 0.0, 1.0, 2.0], [2.0, 3.0]]


def test_defaults_of_inner_functions_are_read_at_each_call():
    log, other = Log(), Log()

    def function(log):
        def inner(at=log.ks[-1], *, first=log.ks[0]):
            return at, first

        log.ks[0] += 1
        log.ks.append(len(log.ks))
        return inner()

    traced = tracefn.function(function, on_unsupported="error")
    for _ in range(3):
        assert traced(log) == function(other)


def test_a_comprehension_that_takes_from_its_list():
    same(lambda log, x: {k: log.ks.pop() for k in log.ks})
    same(lambda log, x: [(log.ks.pop(), v) for k in log.ks for v in log.xs[:1]])


@pytest.mark.parametrize("of_array", [False, True])
@pytest.mark.parametrize("maker", [enumerate, reversed, lambda values: zip(values, values, strict=True)])
@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_items_are_given_once(maker, of_array):
    def twice(log, x):
        items = maker(x if of_array else log.xs)
        return list(items), [(item, 1) for item in items]

    def again(log, x):
        items = enumerate(maker(x if of_array else log.xs))
        for k, _ in items:
            if k == 0:
                break
        return list(items)

    def after_one(log, x):
        items = maker(x if of_array else log.xs)
        return next(items), list(items)

    for function in (twice, again, after_one):
        same(function, on_unsupported="eager")
