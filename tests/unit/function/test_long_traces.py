"""A trace of more operations than its calls are worth is given up; calls that come again and again are traced."""

from importlib import import_module

import numpy as np
import pytest
import tracefn
from scipy import optimize
from tracefn.trace.trace_parts import budget

pytestmark = pytest.mark.usefixtures("falls_back")


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(import_module("tracefn.function.tracing.building"), "MAX_RECORDED", 100)


class Filter:
    def __init__(self):
        self.calls, self.state = 0, np.zeros(2)

    def update(self, name):
        self.calls += 1
        self.state = self.state * 0.5 + len(name)
        return self.state.sum()

    def run(self, names):
        return [self.update(name) for name in names]


NAMES = ["a", "bc", "d"] * 20


def traced_filter():
    class Traced(Filter):
        update, run = tracefn.function(Filter.update), tracefn.function(Filter.run)

    return Traced()


def test_long_trace_is_given_up_and_its_effects_happen_once():
    eager, traced = Filter(), traced_filter()
    for _ in range(3):
        assert np.array_equal(eager.run(NAMES), traced.run(NAMES))
        assert eager.calls == traced.calls
        assert np.array_equal(eager.state, traced.state)
    fallback = traced.run.fallbacks[0]
    assert "more than 100 operations" in fallback.reason
    assert "rounds of a loop" in fallback.reason
    assert fallback.location.line == Filter.run.__code__.co_firstlineno + 1
    assert not traced.run.tracing_count


def test_short_functions_that_it_calls_are_traced_at_once():
    traced = traced_filter()
    traced.run(NAMES)
    assert traced.update.tracing_count >= 1
    assert not traced.update.fallbacks


def unrolled(x, rounds):
    for name in ["sin"] * rounds:
        x = np.add(x, 1.0) if name == "cos" else np.multiply(x, 0.5)
    return x


def test_calls_that_took_as_long_as_a_trace_are_traced():
    f = tracefn.function(unrolled)
    expected = unrolled(np.ones(2), 150)
    assert np.array_equal(f(np.ones(2), 150), expected)
    (fallback,) = f.fallbacks
    fallback.trace_ns = 1
    for _ in range(3):
        assert np.array_equal(f(np.ones(2), 150), expected)
    assert f.tracing_count == 1
    assert fallback.calls == 1


def test_second_attempt_is_the_last():
    f = tracefn.function(unrolled)
    for _ in range(2):
        f(np.ones(2), 500)
        f.fallbacks[-1].trace_ns = 1
    assert [fallback.longer for fallback in f.fallbacks] == [400, 0]
    f(np.ones(2), 500)
    assert len(f.fallbacks) == 2
    assert not f.tracing_count


def test_functions_without_fallback_and_derivatives_have_no_limit():
    f = tracefn.function(unrolled, on_unsupported="error")
    f(np.ones(2), 500)
    assert f.tracing_count == 1
    g = tracefn.function(lambda x: tracefn.grad(lambda x: unrolled(x, 60).sum())(x))
    g(np.ones(2))
    assert not g.fallbacks


def test_limit_holds_for_handlers_of_the_code():
    @tracefn.function
    def f(x):
        for _ in ["a"] * 150:
            try:
                x = x * 0.5
            except Exception:
                x = x + 1
        return x

    assert np.array_equal(f(np.ones(2)), np.ones(2) * 0.5**150)
    assert "operations" in f.fallbacks[0].reason


def test_steps_that_reach_many_objects_again_and_again_are_given_up(monkeypatch):
    class Part:
        def __init__(self, value):
            self.value = value

    class Model:
        def __init__(self, size):
            self.parts = [Part(float(n)) for n in range(size)]

        def error(self, x):
            return (x - 2.0) ** 2 + self.parts[0].value

    def f(x, model):
        return x * np.array([optimize.minimize_scalar(model.error).x for _ in range(4)])

    monkeypatch.setattr(import_module("tracefn.trace.foreign.calls"), "MOST_REACHED", 300)
    traced = tracefn.function(f)
    for size, fallbacks in (20, 0), (100, 1):
        np.testing.assert_allclose(traced(np.ones(4), Model(size)), np.full(4, 2.0), rtol=1e-6)
        assert len(traced.fallbacks) == fallbacks and traced.tracing_count == 1
    assert "the steps before it reach more than 300 objects" in traced.fallbacks[0].reason


class Counter:
    def __init__(self):
        self.count, self.sums = 0, []

    def run(self, x):
        for k in range(40):
            self.count += 1
            self.sums.append(float(x[k % 2] * self.count))
        return self.sums[-1]


def test_a_loop_that_is_too_long_unrolled_is_unrolled_once(monkeypatch):
    """Another try, with the numbers of the object as they are now, would have as many rounds."""
    building, tries = import_module("tracefn.function.tracing.building"), []
    build = building.build
    monkeypatch.setattr(building, "build", lambda request: tries.append(request) or build(request))
    monkeypatch.setattr(import_module("tracefn.trace.autograph.hooks.loops"), "MAX_UNROLLED", 20)
    monkeypatch.setattr(building, "MAX_RECORDED", 10**6)
    counter = Counter()
    run = tracefn.function(Counter.run, on_unsupported="eager")
    assert run(counter, np.ones(2)) == 40.0
    assert "unrolled loop made more than 20 operations" in run.fallbacks[0].reason
    assert len(tries) == 1


def grows_for_ever(x, item):
    """The branch is never run; in it the list never ends."""
    if x.sum() > 100:
        stack = [item]
        while stack:
            stack.append(stack.pop() + 1)
        return x
    return x * 2


def test_loops_that_need_not_end_are_given_up_in_branches(monkeypatch):
    monkeypatch.setattr(budget, "MAX_ROUNDS", 100)
    traced = tracefn.function(grows_for_ever, on_unsupported="eager")
    with pytest.warns(tracefn.errors.FallbackWarning, match="more than 100 rounds, which run while tracing"):
        assert traced(np.ones(2), 3).tolist() == [2.0, 2.0]
