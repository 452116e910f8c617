"""Numbers in lists, tuples and dicts outside that change: however code reads them, each call finds its own."""

import collections
import functools
import itertools
import json
import operator
from types import SimpleNamespace

import numpy as np
import pytest
import tracefn

Pair = collections.namedtuple("Pair", "a b")


def unpacked_in_a_loop(m, x):
    total = 0
    for a, (b, c) in m.named.items():
        total = total + b * c * x + len(a)
    return total


def unpacked_in_a_comprehension(m, x):
    return [a * b * x for a, b in m.pairs], {k: b for k, (a, b) in m.named.items()}, sum(a for a, b in m.pairs)


def unpacked_by_an_assignment(m, x):
    (a, b), (c, d) = m.pairs
    return a * x + b * c - d


def arrays_of_rows(m, x):
    return np.array(m.rows), np.mean(m.recent), np.dot(m.rows, x[:2]), x[:2] + m.pairs[0], np.vstack(m.rows)


def loops_side_by_side(m, x):
    return sum(a * c * x for (a, b), [c, d] in zip(m.pairs, m.rows, strict=True)), [
        i * a for i, (a, b) in enumerate(m.pairs)
    ]


def containers_made_of_them(m, x):
    made = dict(m.pairs)
    return sum(made.values()) * x, [*m.rows[0], *m.pairs], {**m.options, "rate": 3}, (m.rows + m.pairs)[2][0]


def passed_on(m, x):
    def scaled(rate, momentum):
        return rate * x + momentum

    return scaled(**m.options), functools.reduce(operator.add, m.rows[0]), operator.itemgetter("rate")(m.options)


def compared(m, x):
    first = max(m.pairs, key=lambda p: p[1])[0] * x, min(m.rows, key=sum)[0] * x
    return first, min(m.pairs), sorted(m.pairs), m.rows == [[1.0, 2.0], [2.0, 1.0]], (1.0, 2.0) in m.pairs


def as_texts(m, x):
    return f"{m.rows}", str(m.named), "%s" % m.pairs, json.dumps(m.options), x  # noqa: UP031


def chained(m, x):
    return list(itertools.chain(*m.rows)), list(map(sum, m.rows)), any(m.rows[0]), set(m.rows[0]), x


def of_a_named_tuple(m, x):
    return m.pair.a * x + m.pair.b[0], m.pair._replace(a=1).b[0] * x, sum(m.pair.b)


READS = [
    f for f in list(globals().values()) if callable(f) and getattr(f, "__code__", None) and f.__module__ == __name__
]


def changed(m, k):
    m.rows[0][:] = [k, k + 1]
    m.rows[1][:] = [3 - k, k * k]
    m.pairs = [(k, k + 1), (2 - k, 3 * k)]
    m.named = {"a": (k, 2.0), "b": (1.0, k * 2)}
    m.options["rate"] = k / 10
    m.recent.append((k, k))
    m.pair = Pair(k, (k, 2.0))


def calls(function):
    m = SimpleNamespace(rows=[[0.0, 0.0], [0.0, 0.0]], recent=collections.deque(maxlen=2), options={"momentum": 1.0})
    m.options = {"rate": 0.0, "momentum": 1.0}
    found = []
    for k in range(7):
        changed(m, float(k))
        found.append(repr(function(m, np.arange(3.0) + k)))
    return found


@pytest.mark.parametrize("function", READS, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_each_call_finds_what_is_there(function):
    assert calls(tracefn.function(function, on_unsupported="eager")) == calls(function)


@pytest.mark.parametrize("function", [unpacked_in_a_loop, unpacked_by_an_assignment], ids=lambda f: f.__name__)
def test_few_traces(function):
    f = tracefn.function(function)
    calls(f)
    assert f.tracing_count <= 4


def counted(x, counts):
    counts["n"] += 1
    counts["sum"] += float(x.sum())
    counts.update(["n", "calls"])
    return counts["sum"] / counts["n"] * x, counts["none"], counts


def test_a_counter_that_is_given_is_as_a_dict_of_numbers():
    traced, mine, theirs = tracefn.function(counted), collections.Counter(), collections.Counter()
    for i in range(8):
        x = np.full(2, float(i))
        got, wanted = traced(x, mine), counted(x, theirs)
        assert got[2] is mine and repr(got) == repr(wanted) and repr(mine) == repr(theirs)
    assert traced.tracing_count == 3
