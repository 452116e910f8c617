"""`max_traces` and `evict()`: what is dropped, what is said of it, and that its memory is freed."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
import tracefn


def shapes(f):
    return [c.signature.leaves[0].shape[0] for c in f.concrete_functions]


def test_the_least_recently_used_trace_goes() -> None:
    f = tracefn.function(lambda x: x * 2, max_traces=3)
    for n in (1, 2, 3):
        f(np.ones(n))
    f(np.ones(1))
    f(np.ones(4))
    assert shapes(f) == [1, 3, 4]
    f(np.ones(3))
    f(np.ones(5))
    assert shapes(f) == [3, 4, 5]


def test_an_eviction_is_an_event_and_a_cause() -> None:
    f = tracefn.function(lambda x: x * 2, max_traces=1)
    with tracefn.events.record() as events:
        f(np.ones(1))
        f(np.ones(2))
        f(np.ones(1))
    evicted = [e for e in events if e.type == "trace.evicted"]
    assert [(e.trace, e.reason) for e in evicted] == [(1, "max_traces=1"), (2, "max_traces=1")]
    assert [c.kind for c in f.explain().causes] == ["evicted"]
    assert f.explain().comparisons[0].earlier.number == 1
    assert "trace #1, which would have fitted, was evicted (max_traces=1)" in f.explain().headline


def test_evicted_by_hand() -> None:
    f = tracefn.function(lambda x: x * 2)
    for n in (1, 2, 3):
        f(np.ones(n))
    one, two, three = f.concrete_functions
    f.evict(one)
    f.evict(2)
    f.evict(three.signature_id)
    assert f.concrete_functions == []
    with pytest.raises(ValueError, match="has no trace 2"):
        f.evict(2)
    assert f(np.ones(2)).tolist() == [2, 2]
    assert [c.kind for c in f.explain().causes] == ["removed"]


@pytest.mark.parametrize("drop", [lambda f: f.evict(1), lambda f: f.clear_cache(), lambda f: f(np.ones(9))])
def test_memory_is_freed(drop) -> None:
    f = tracefn.function(lambda x: np.tanh(x) + 1, max_traces=1)
    for _ in range(200):
        f(np.ones(2))
    concrete = f.concrete_functions[0]
    references = [weakref.ref(v) for v in (concrete, concrete.graph, concrete.traced_graph, concrete.graph.nodes[-1])]
    signature = concrete.signature_id
    del concrete
    drop(f)
    gc.collect()
    assert [r() for r in references] == [None] * 4
    built = [e for e in tracefn.events.BUS.ledger.snapshot().events if e.type == "graph.built"]
    assert [e.graph for e in built if e.signature == signature] == [None]


def test_no_limit_and_no_nonsense() -> None:
    f = tracefn.function(lambda x: x, max_traces=None)
    for n in range(130):
        f(n)
    assert len(f.concrete_functions) == 130
    with pytest.raises(ValueError, match="max_traces must be at least 1"):
        tracefn.function(lambda x: x, max_traces=0)


def test_calls_that_were_counted_stay_counted() -> None:
    f = tracefn.function(lambda x: x, max_traces=1)
    for _ in range(5):
        f(1)
    f(2)
    assert [r.calls for r in f._history.records] == [5, 1]
