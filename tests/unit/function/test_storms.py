"""Functions of which nearly every call would need a trace of its own: calls wait for another one like them."""

import sys

import numpy as np
import pytest
import tracefn
from tracefn.function.fallback.storms import LAST

pytestmark = pytest.mark.filterwarnings(
    "ignore::tracefn.errors.FallbackWarning", "ignore::tracefn.errors.RetraceWarning"
)
X = np.arange(3.0)


def traced(function):
    return tracefn.function(function, on_unsupported="eager")


def test_after_traces_in_vain_a_call_is_traced_when_one_like_it_came_before():
    f = traced(lambda x, name: (x.sum(), name))
    for number in range(60):
        assert f(X, str(number)) == (3.0, str(number))
    assert f.tracing_count == LAST
    (waiting,) = f.fallbacks
    assert waiting.calls == 60 - LAST and "came before" in waiting.reason
    for number in range(60):
        assert f(X, str(number)) == (3.0, str(number))
    assert f.tracing_count == 60 and waiting.calls == 60 - LAST


def test_no_limit_of_traces_is_a_trace_for_each_call():
    f = tracefn.function(lambda x, name: (x.sum(), name), on_unsupported="eager", max_traces=None)
    for number in range(60):
        f(X, str(number))
    assert f.tracing_count == 60 and not f.fallbacks


def test_traces_that_are_used_end_it():
    f = traced(lambda x, name: (x.sum(), name))
    for number in range(40):
        f(X, str(number))
        f(X, "often")
    f(X, "new")
    assert f.tracing_count < 40
    for _ in range(3):
        f(X, "19")
    count = f.tracing_count
    f(X, "newer")
    assert f.tracing_count == count + 1


def test_instances_count_together():
    class Model:
        def __init__(self, n):
            self.n = n

        @traced
        def step(self, x):
            self.n += 1
            return x * self.n

    models = [Model(n) for n in range(40)]
    assert all((m.step(X) == X * (n + 1)).all() for n, m in enumerate(models))
    assert sum(m.step.tracing_count for m in models) == LAST
    for _ in range(2):
        assert all((m.step(X) == X * m.n).all() for m in models)
    assert [m.n for m in models] == [n + 3 for n in range(40)]


def test_an_error_is_raised_and_counted_where_no_function_may_run_eagerly():
    f = tracefn.function(lambda x, name: (x.sum(), name), on_unsupported="error")
    for number in range(LAST + 4):
        f(X, str(number))
    assert f.tracing_count == LAST + 4


def test_clear_cache_forgets_it():
    f = traced(lambda x, name: (x.sum(), name))
    for number in range(LAST + 4):
        f(X, str(number))
    f.clear_cache()
    f(X, "new")
    assert f.tracing_count == LAST + 1 and f.fallbacks == []


def test_few_traces_in_vain_that_took_long_make_one(monkeypatch):
    monkeypatch.setattr(sys.modules["tracefn.function.fallback.storms"], "PATIENCE_NS", 0)
    f = traced(lambda x, name: (x.sum(), name))
    for number in range(7):
        assert f(X, str(number)) == (3.0, str(number))
    (waiting,) = f.fallbacks
    assert f.tracing_count == 4 and "its last 4 traces served one call each and took" in waiting.reason
    f(X, "6")
    assert f.tracing_count == 5
