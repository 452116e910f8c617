"""`compare`: the check that eager and graph agree, and what is measured."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import tracefn
from tracefn import events
from tracefn.errors import ResultsDifferError
from tracefn.timing import Comparison, compare, sampling
from tracefn.timing.eagerly import eagerly


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "BUDGET_NS", 5_000_000)
    monkeypatch.setattr(sampling, "WARM_UP_NS", 100_000)


@tracefn.function
def scaled(x: Any, n: int = 2) -> Any:
    return {"scaled": np.tanh(x) * n, "sum": x.sum()}


def test_a_function_that_was_not_called_yet() -> None:
    traced = tracefn.function(lambda x: x * 2 + 1, name="fresh")
    compared = compare(traced, np.arange(4.0))
    assert isinstance(compared, Comparison)
    assert traced.tracing_count == 1
    assert (compared.name, compared.function) == ("fresh", traced.function_id)
    assert compared.signature == traced.concrete_functions[0].signature_id
    assert compared.signature_text == "x: float64[4]"
    assert list(compared.phases) == ["bind", "trace", "passes", "program", "first_run"]
    assert all(ns > 0 for ns in compared.phases.values())


def test_keywords_select_the_signature() -> None:
    scaled(np.ones(3))
    compared = compare(scaled, np.ones(3), n=5)
    assert compared.signature_text == "x: float64[3], n: 5 (int)"


def test_a_python_function_is_traced() -> None:
    def plain(x: Any) -> Any:
        return x + 1

    assert compare(plain, np.ones(2)).name == "plain"


def test_a_method() -> None:
    class Model:
        def __init__(self) -> None:
            self.w = np.ones(3)

        @tracefn.function
        def step(self, x: Any) -> Any:
            return x * self.w

    compared = compare(Model().step, np.ones(3))
    assert compared.name == "step"
    assert "x: float64[3]" in compared.signature_text


def test_the_event_says_what_the_result_says() -> None:
    with events.record() as recorded:
        compared = compare(scaled, np.ones(3))
    (measured,) = [event for event in recorded if isinstance(event, events.TimingMeasured)]
    assert (measured.function, measured.signature) == (compared.function, compared.signature)
    assert measured.eager_ns == compared.eager.as_tuple()
    assert measured.graph_ns == compared.graph.as_tuple()
    assert (measured.speedup, measured.break_even) == (compared.speedup, compared.break_even)
    assert measured.phases == compared.phases


def test_the_runs_do_not_count_as_calls() -> None:
    traced = tracefn.function(lambda x: x - 1, name="counted")
    traced(np.ones(2))
    compare(traced, np.ones(2))
    compare(traced, np.ones(3))
    assert [concrete.calls.count for concrete in traced.concrete_functions] == [1, 0]
    traced(np.ones(3))
    assert [concrete.calls.count for concrete in traced.concrete_functions] == [1, 1]


def test_the_callers_arrays_stay_as_they_are() -> None:
    seen = []

    def remember(x: Any) -> Any:
        seen.append(x)
        return 1

    x = np.ones(3)
    compare(tracefn.function(remember), x)
    assert not any(argument is x for argument in seen)
    assert (x == 1).all()


def test_a_function_that_writes_gets_fresh_arguments_for_each_run() -> None:
    def write(x: Any) -> Any:
        x += 1
        return x

    x = np.zeros(3)
    assert compare(write, x).graph.median > 0
    assert (x == 0).all()


def test_results_that_differ_are_shown_and_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tracefn.timing.comparing.measure", lambda timed: pytest.fail("it was timed"))
    count = [0]

    def impure(x: Any) -> Any:
        count[0] += 1
        return {"y": x + count[0]}

    with events.record() as recorded, pytest.raises(ResultsDifferError) as raised:
        compare(impure, np.zeros(2))
    text = str(raised.value)
    assert "impure was not timed" in text
    assert "result['y'][0]: eager 1.0, graph " in text
    assert "2 of 2 elements differ" in text
    assert not [event for event in recorded if isinstance(event, events.TimingMeasured)]


def test_what_the_function_raises_comes_out() -> None:
    with pytest.raises(ZeroDivisionError):
        compare(lambda x: 1 / 0, np.ones(1))


def test_nan_does_not_count_as_a_difference() -> None:
    assert compare(lambda x: np.log(x), np.array([np.nan, 2.0])).speedup > 0


def test_eagerly_runs_inner_functions_as_python() -> None:
    runs = []

    @tracefn.function
    def inner(x: Any) -> Any:
        runs.append("Tensor" if isinstance(x, tracefn.Tensor) else type(x).__name__)
        return x * 2

    def outer(x: Any) -> Any:
        return inner(x) + 1

    outer(np.ones(2))
    outer(np.ones(2))
    assert runs == ["Tensor"]
    with eagerly():
        assert outer(np.ones(2)).tolist() == [3.0, 3.0]
    assert runs == ["Tensor", "ndarray"]
    outer(np.ones(2))
    assert runs == ["Tensor", "ndarray"]


def test_eagerly_ends_after_an_error() -> None:
    call = tracefn.Function.__call__
    with pytest.raises(ZeroDivisionError), eagerly():
        raise ZeroDivisionError
    assert tracefn.Function.__call__ is call


def test_inner_functions_are_eager_in_the_eager_runs() -> None:
    kinds = set()

    @tracefn.function
    def inner(x: Any) -> Any:
        kinds.add("Tensor" if isinstance(x, tracefn.Tensor) else type(x).__name__)
        return x * 2

    def outer(x: Any) -> Any:
        return inner(x) + 1

    compare(outer, np.ones(2))
    assert kinds == {"ndarray", "Tensor"}
    assert inner.concrete_functions == []


def test_random_results_are_refused() -> None:
    with pytest.raises(ResultsDifferError, match="pass that as an argument"):
        compare(lambda x: x + random.random(), np.zeros(1))


def test_native_programs_are_compared_but_for_rounding() -> None:
    f = tracefn.function(lambda x: np.exp(x) * np.tanh(x) + np.sin(x), jit="now")
    x = np.random.default_rng(0).random(10_000)
    f(x)
    assert compare(f, x).graph.median > 0
