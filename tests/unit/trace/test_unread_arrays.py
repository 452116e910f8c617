"""Arrays in containers from outside: those that no code reads may change, those that Python compares are guarded."""

import operator

import numpy as np
import pytest
import tracefn


class Model:
    def __init__(self):
        self.cache = {"a": np.ones(2), "b": np.ones(2)}
        self.groups = [{"params": {"w": np.ones(1)}, "rate": 2.0}, {"params": {"w": np.ones(1)}, "rate": 3.0}]
        self.rows = [[np.ones(1), np.full(1, 2.0)], [np.full(1, 2.0), np.ones(1)]]

    def arrays(self):
        return [*self.cache.values(), *[g["params"]["w"] for g in self.groups], *self.rows[0], *self.rows[1]]


def closure(model):
    cache = model.cache

    def read(x):
        return x if cache.get("a") is None else x + len(cache), "b" in cache, sorted(cache), list(cache)

    return read


def outputs(function, arrays):
    """The results of calls between which all arrays change, and the order of two of them."""
    found = []
    for call in range(4):
        result = function(np.ones(2))
        found.append(repr(result))
        for array in arrays:
            array += 1
        arrays[-4][0], arrays[-2][0] = [(1, 5), (5, 1), (2, 2), (0, 0)][call]
    return found


UNREAD = {
    "keys": lambda m: lambda x: (sorted(m.cache), list(m.cache), list(m.cache.keys()), ",".join(m.cache)),
    "a closure": closure,
    "a local name": lambda m: lambda x: (lambda c: x + c["a"])(m.cache),
    "a loop over dicts": lambda m: lambda x: [x * g["rate"] for g in m.groups],
    "a loop over rows": lambda m: lambda x: [len(row) + x for row in m.rows],
    "an item of a row": lambda m: lambda x: [row[0] * 2 for row in m.rows],
}


@pytest.mark.parametrize("kind", UNREAD)
def test_changes_of_arrays_that_are_not_read_need_no_trace(kind):
    plain, traced = Model(), Model()
    f = tracefn.function(UNREAD[kind](traced))
    assert outputs(f, traced.arrays()) == outputs(UNREAD[kind](plain), plain.arrays())
    assert (f.tracing_count, f.fallbacks) == (1, [])


COMPARED = {
    "max": lambda m: lambda x: max(m.rows)[0] * 2,
    "sorted": lambda m: lambda x: sorted(m.rows)[0][0] + x,
    "equal": lambda m: lambda x: (m.rows[0][0] * 2, m.rows == [[1.0, 2.0], [5.0, 3.0]]),
    "in": lambda m: lambda x: (m.rows[0][0] * 2, [5.0, 5.0] in m.rows),
    "count": lambda m: lambda x: (m.rows[1][0] * 2, m.rows.count([5.0, 3.0])),
    "an operator": lambda m: lambda x: (m.rows[1][0] * 2, operator.lt(m.rows[0], m.rows[1])),
}


@pytest.mark.parametrize("kind", COMPARED)
def test_arrays_that_python_compares_are_guarded_where_the_graph_reads_them_too(kind):
    plain, traced = Model(), Model()
    f = tracefn.function(COMPARED[kind](traced))
    assert outputs(f, traced.arrays()) == outputs(COMPARED[kind](plain), plain.arrays())
