"""`count` and `index` of lists and deques where the call knows the numbers: steps of the graph."""

import collections

import numpy as np
import pytest
import tracefn

CALLS = [np.array(values) for values in ([1.0, 2], [2.0, 3], [0.0, 1], [5.0, 2], [1.0, 1])]


class Owner:
    def __init__(self):
        self.numbers = [1, 2, 2, 5]
        self.recent = collections.deque([1, 2, 2], maxlen=3)


def counted(o, x):
    return o.numbers.count(int(x[0])), o.recent.count(x[1])


def found(o, x):
    return o.numbers.index(int(x[0])), o.recent.index(2.0, 0, 3), [*x].index(x[1])


def texts(o, x):
    return ["a", "b", "a"].count("a" if x[0] > 1 else "b")


def in_branches(o, x):
    return o.numbers.index(int(x[1])) if x[0] < 2 and x[0] > 0 else o.numbers.count(x[0])


@pytest.mark.parametrize("function", [counted, found, texts, in_branches])
def test_as_undecorated(function):
    plain, traced, f = Owner(), Owner(), tracefn.function(function)
    for x in CALLS:
        outcomes = []
        for run, owner in ((function, plain), (f, traced)):
            try:
                outcomes.append(repr(run(owner, x)))
            except ValueError as error:
                outcomes.append(repr(error))
        assert outcomes[0] == outcomes[1]
    assert (f.tracing_count, f.fallbacks) == (1, [])
