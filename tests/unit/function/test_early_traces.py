"""The limits of all traces of a process: of those that are likely in vain, and where many functions are decorated."""

import itertools
import sys
import warnings

import numpy as np
import pytest
import tracefn
from scipy import optimize, signal
from tracefn.errors import FallbackWarning
from tracefn.function.fallback import early, pauses, storms
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
    ran, unseen, given = Storm.ran, Storm.ran_unseen, {"ns": 0}
    monkeypatch.setattr(Storm, "ran", lambda storm, call, *ns: ran(storm, call, given["ns"], given["ns"]))
    monkeypatch.setattr(Storm, "ran_unseen", lambda storm, ns: unseen(storm, given["ns"]))
    return given


@pytest.fixture
def package(monkeypatch):
    """Functions are those of an installed package, and there are more than a user chooses one by one."""
    monkeypatch.setattr(early, "is_installed", lambda file: True)
    monkeypatch.setattr(early, "MANY", 0)
    monkeypatch.setattr(early, "PATIENCE_WITH_MANY_NS", 1000)
    EARLY.made(1000, False)
    EARLY._began = 10**18


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
    monkeypatch.setattr(pauses, "LOOKS", 1)
    monkeypatch.setattr(storms, "MAX_LOOK_UPS_NS", 30 * (LOOK_UP_NS + 2 * LEAF_NS))
    monkeypatch.setattr(EARLY, "spent_ns", 10**12)
    often, once = traced(lambda x, name: x.sum()), traced(lambda x, name: x.sum())
    call_often, call_once = refused(often), refused(once)
    takes["ns"] = 10**5
    for number in range(100):
        assert call_often(X, "often") == call_once(X, str(number)) == 3.0
    assert [f.signature_text for f in often.fallbacks] == ["calls that are the first of their kind"]
    assert once.fallbacks[-1].signature_text == "any" and not often.tracing_count and not once.tracing_count


def test_in_a_package_a_function_is_traced_when_its_calls_have_taken_as_long_as_a_trace(takes, package):
    f = traced(lambda x: x + 1)
    for takes["ns"], made in (0, 0), (600, 0), (600, 0), (0, 1), (0, 1):
        np.testing.assert_array_equal(f(X), X + 1)
        assert f.tracing_count == made
    (waiting,) = f.fallbacks
    assert waiting.calls == 3 and "functions of packages are decorated" in waiting.reason


def test_a_few_functions_are_traced_at_once_whatever_that_takes(takes, package, monkeypatch):
    monkeypatch.setattr(early, "MANY", len(early._OF_PACKAGES) + 9)
    f = traced(lambda x: x + 1)
    f(X)
    assert f.tracing_count == 1 and not f.fallbacks


def test_a_function_of_the_users_own_is_traced_at_once_however_many_there_are(takes, package, monkeypatch):
    kept = [traced(lambda x: x + 1) for _ in range(3)]
    monkeypatch.undo()
    monkeypatch.setattr(early, "MANY", 0)
    monkeypatch.setattr(early, "PATIENCE_WITH_MANY_NS", 1000)
    f = traced(lambda x: x + 2)
    f(X)
    assert f.tracing_count == 1 and not f.fallbacks and kept


def test_a_call_in_a_pause_is_not_looked_at(takes, package, monkeypatch):
    looked = []
    monkeypatch.setattr(storms, "LOOK_UP_NS", 0)
    own = Storm.waits
    monkeypatch.setattr(Storm, "waits", lambda *given: looked.append(1) or own(*given))
    f = traced(lambda x, name: (x.sum(), name))
    for number in range(2 * pauses.LOOKS):
        assert f(X, str(number)) == (3.0, str(number))
    assert len(looked) == 2 and not f.tracing_count and f.fallbacks[0].calls == 2 * pauses.LOOKS


def test_calls_in_a_pause_raise_as_they_are_and_keep_their_keywords(takes, package):
    f = traced(lambda x, by=1: x / by)
    with np.errstate(divide="raise"):
        for by in (1.0, 2.0):
            np.testing.assert_array_equal(f(X, by=by), X / by)
            with pytest.raises(FloatingPointError):
                f(X, by=0.0)
            with pytest.raises(TypeError, match="unexpected keyword argument 'at'"):
                f(X, at=1)


def test_a_pause_of_calls_by_eager_code_lets_the_users_own_call_be_traced(takes):
    inner = traced(lambda x: x + 1)
    outer = refused(inner)
    for _ in range(3):
        outer(X)
    assert inner.tracing_count == 0
    inner(X)
    assert inner.tracing_count == 1


def test_a_library_function_whose_graph_is_its_call_runs_eagerly_in_a_package(monkeypatch):
    f, seen = traced(signal.lfilter), traced(signal.lfilter)
    assert seen([1.0], [1.0], X)[2] == 2 and seen.concrete_functions
    monkeypatch.setattr(early, "MANY", 0)
    for length in range(3, 6):
        x = np.ones(length)
        np.testing.assert_array_equal(f([0.5], [1.0, -0.5], x), signal.lfilter([0.5], [1.0, -0.5], x))
    assert f.tracing_count == 1 and not f.concrete_functions and "nothing else" in f.fallbacks[0].reason


def test_so_does_a_method_of_a_librarys_object_which_it_changes(monkeypatch):
    brent = sys.modules["scipy.optimize._optimize"].Brent
    seen, f, solver = traced(brent.set_bracket), traced(brent.set_bracket), brent(lambda x: x * x)
    seen(solver, (0.0, 1.0))
    assert "checkpoint" in {node.op.name for node in seen.concrete_functions[0].graph.nodes}
    monkeypatch.setattr(early, "MANY", 0)
    for upper in (2.0, 3.0):
        f(solver, (0.0, upper))
        assert solver.brack == (0.0, upper) and not f.concrete_functions


def test_the_time_of_a_step_is_not_that_of_the_trace(monkeypatch):
    took = []
    monkeypatch.setattr(early, "NOW", 0, raising=False)  # in a module: a trace takes back what a step changes elsewhere
    monkeypatch.setattr("time.thread_time_ns", lambda: early.NOW)
    monkeypatch.setattr(Storm, "traced", lambda storm, calls, ns, arrays: took.append(ns))

    def slow(y):
        early.NOW = early.NOW + 10**12
        return y - 1

    assert traced(lambda x: optimize.brentq(slow, 0.0, 4.0) + x)(X)[2] == 3
    assert took == [0] and early.NOW > 0


def test_calls_by_a_step_while_tracing_find_their_traces_and_eager_calls_at_once(monkeypatch):
    inner, slowly = traced(lambda y: y - 1), []
    inner(np.ones(1)), inner(np.ones(1))
    own = type(inner)._run_or_trace
    monkeypatch.setattr(tracefn.Function, "_run_or_trace", lambda f, *given: slowly.append(f) or own(f, *given))
    outer = traced(lambda x: optimize.brentq(lambda y: inner(np.array([y])).item(), 0.0, 4.0) + x)
    assert outer(X)[2] == 3 and slowly == [outer] and inner.concrete_functions[0].calls.count > 2


def test_warnings_of_calls_in_a_pause_and_by_steps_name_the_line_of_the_caller(takes, package):
    def warns(x):
        warnings.warn("here", stacklevel=2)
        return x

    f = traced(warns)
    for _ in range(3):
        with pytest.warns(UserWarning, match="here") as seen:
            f(X)
        assert {w.filename for w in seen} == {__file__}
    with pytest.warns(UserWarning, match="here"):
        f([object()])
    outer = traced(lambda x: optimize.brentq(lambda y: f([object()]) and y - 1, 0.0, 4.0) + x)
    with pytest.warns(UserWarning, match="here") as seen:
        assert outer(X)[2] == 3
    assert {w.filename for w in seen} == {__file__}


@pytest.mark.parametrize("is_package", [True, False])
def test_in_a_package_a_trace_is_given_up_by_its_time(monkeypatch, is_package):
    clock = itertools.count(0, 10**9)
    monkeypatch.setattr("time.thread_time_ns", lambda: next(clock))
    monkeypatch.setattr(early, "MANY", 0)
    monkeypatch.setattr(early, "is_installed", lambda file: is_package)

    def long(x):
        for step in (np.sin, np.cos) * 40:
            x = step(x)
        return x

    f = traced(long)
    np.testing.assert_array_equal(f(X), long(X))
    assert len(f.concrete_functions) == (not is_package)
    assert not is_package or "rounds of a loop: making it takes as long as many calls" in f.fallbacks[0].reason


@pytest.mark.parametrize("is_inner", [True, False])
def test_a_trace_that_is_likely_in_vain_is_given_up_by_its_time(monkeypatch, is_inner):
    def long(x):
        for step in (np.sin, np.cos) * 40:
            x = step(x)
        return x

    f = traced(long)
    outer = refused(f) if is_inner else f
    clock = itertools.count(0, 10**9)
    monkeypatch.setattr("time.thread_time_ns", lambda: next(clock))
    monkeypatch.setattr(early, "PATIENCE_NS", 10**9)
    np.testing.assert_array_equal(outer(X), long(X))
    assert len(f.concrete_functions) == (not is_inner)
    assert not is_inner or "rounds of a loop: making it takes as long as many calls" in f.fallbacks[0].reason
