"""Functions that others call which run eagerly, and functions that were refused: the limit of all their traces."""

import numpy as np
import pytest
import tracefn
from tracefn.errors import FallbackWarning
from tracefn.function.fallback import early, storms
from tracefn.function.fallback.early import EARLY
from tracefn.function.fallback.storms import LEAF_NS, LOOK_UP_NS, Storm

pytestmark = pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
X = np.arange(3.0)


def traced(function):
    return tracefn.function(function, on_unsupported="eager")


@pytest.fixture
def takes(monkeypatch):
    """The limit is over. Waiting calls take the ns that the dict says."""
    monkeypatch.setattr(early, "PATIENCE_NS", 1000)
    monkeypatch.setattr(early, "PATIENT_PART", 10**18)
    EARLY.made(1000, True)
    ran, given = Storm.ran, {"ns": 0}
    monkeypatch.setattr(Storm, "ran", lambda storm, call, *ns: ran(storm, call, given["ns"], given["ns"]))
    return given


def refused(call):
    """A function that is refused, and calls another one."""

    def outer(x, *args):
        x.setflags(write=True)
        return call(x, *args)

    return traced(outer)


def test_a_function_that_is_called_by_an_eager_one_is_traced_when_its_calls_have_taken_as_long(takes):
    inner = traced(lambda x: x + 1)
    outer = refused(inner)
    for takes["ns"], made in (0, 0), (600, 0), (600, 0), (0, 1), (0, 1):
        np.testing.assert_array_equal(outer(X), X + 1)
        assert inner.tracing_count == made
    (waiting,) = inner.fallbacks
    assert waiting.calls == 3 and "functions that run eagerly call it, whose traces took 1 µs" in waiting.reason
    assert inner.concrete_functions[0].calls.count == 2


def test_its_calls_by_others_are_traced_at_once(takes):
    inner = traced(lambda x: x + 1)
    with pytest.warns(FallbackWarning) as warned:
        refused(inner)(X)
    assert inner.tracing_count == 0 and ["`outer` runs" in str(w.message) for w in warned] == [True]
    inner(X)
    assert inner.tracing_count == 1 and inner.fallbacks[0].calls == 1


def test_before_the_limit_it_is_traced_at_once():
    inner = traced(lambda x: x + 1)
    before = EARLY.spent_ns
    refused(inner)(X)
    assert inner.tracing_count == 1 and EARLY.spent_ns > before


def test_the_other_time_of_the_process_raises_the_limit(takes, monkeypatch):
    monkeypatch.setattr(early, "PATIENT_PART", 1)
    monkeypatch.setattr(EARLY, "_began", -(10**15))
    inner = traced(lambda x: x + 1)
    refused(inner)(X)
    assert inner.tracing_count == 1


def test_a_function_that_was_refused_is_tried_again_when_its_calls_have_taken_as_long(takes):
    f = refused(lambda x, name: x.sum())
    with tracefn.events.record() as events:
        for number in range(6):
            assert f(X, str(number)) == 3.0
        takes["ns"] = 10**12
        for _ in range(2):
            assert f(X, "0") == f(X, "6") == 3.0
    assert sum(event.type == "trace.started" for event in events) == 2
    refusal, waiting, _ = f.fallbacks
    assert refusal.calls == 3 and waiting.calls == 6 and "its last trace served one call" in waiting.reason


def test_a_trace_that_serves_many_calls_makes_the_next_one_free(takes):
    inner = traced(lambda x, name: x + 1)
    for _ in range(20):
        inner(X, "often")
    refused(inner)(X, "new")
    assert inner.tracing_count == 2


def test_calls_that_come_often_wait_for_their_trace_and_others_run_eagerly_for_good(takes, monkeypatch):
    monkeypatch.setattr(storms, "MAX_LOOK_UPS_NS", 30 * (LOOK_UP_NS + 2 * LEAF_NS))
    monkeypatch.setattr(EARLY, "spent_ns", 10**12)
    often, once = traced(lambda x, name: x.sum()), traced(lambda x, name: x.sum())
    call_often, call_once = refused(often), refused(once)
    takes["ns"] = 10**5
    for number in range(100):
        assert call_often(X, "often") == call_once(X, str(number)) == 3.0
    assert [f.signature_text for f in often.fallbacks] == ["calls that are the first of their kind"]
    assert once.fallbacks[-1].signature_text == "any" and not often.tracing_count and not once.tracing_count
