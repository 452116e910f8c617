"""`compare`: the check that eager and graph agree, and what is measured."""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np
import pytest
import tracefn
from tracefn import events
from tracefn.errors import ResultsDifferError
from tracefn.runtime.worker import wait_until_built
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
    monkeypatch.setattr("tracefn.timing.comparing.take_turns", lambda timed: pytest.fail("it was timed"))

    def impure(x: Any) -> Any:
        return {"y": x + time.perf_counter_ns()}

    with events.record() as recorded, pytest.raises(ResultsDifferError) as raised:
        compare(impure, np.zeros(2))
    text = str(raised.value)
    assert "impure was not timed" in text
    assert "result['y'][0]: eager " in text
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
    assert runs == ["Tensor", "Tensor"]  # the trace's, appended at each call
    with eagerly():
        assert outer(np.ones(2)).tolist() == [3.0, 3.0]
    assert runs == ["Tensor", "Tensor", "ndarray"]
    outer(np.ones(2))
    assert runs == ["Tensor", "Tensor", "ndarray", "Tensor"]


def test_eagerly_ends_after_an_error() -> None:
    call = tracefn.Function.__call__
    with pytest.raises(ZeroDivisionError), eagerly():
        raise ZeroDivisionError
    assert tracefn.Function.__call__ is call


def test_inner_functions_are_eager_in_the_eager_runs(capsys: pytest.CaptureFixture[str]) -> None:
    @tracefn.function
    def inner(x: Any) -> Any:
        print("Tensor" if isinstance(x, tracefn.Tensor) else type(x).__name__)
        return x * 2

    def outer(x: Any) -> Any:
        return inner(x) + 1

    compare(outer, np.ones(2))
    assert {*capsys.readouterr().out.split()} == {"ndarray", "Tensor"}
    assert inner.concrete_functions == []


TOTAL = 0


class Filter:
    __slots__ = ("__weakref__", "count", "log", "mean")

    def __init__(self) -> None:
        self.count, self.mean, self.log = 0, np.zeros(2), []

    @tracefn.function
    def step(self, x: Any) -> Any:
        self.count += 1
        self.mean = self.mean + (x - self.mean) / self.count
        self.log.append(x.sum())
        return self.mean * len(self.log)


def test_state_is_the_same_before_each_run_and_put_back() -> None:
    filter = Filter()
    filter.step(np.ones(2))
    mean, log = filter.mean, filter.log
    assert compare(filter.step, np.ones(2)).graph.median > 0
    assert (filter.count, filter.mean is mean, filter.log is log, filter.log) == (1, True, True, [2.0])
    assert mean.tolist() == [1, 1]

    variable, noise = tracefn.Variable(1.0), np.random.default_rng(3)

    @tracefn.function
    def step(x: Any) -> Any:
        global TOTAL
        TOTAL = TOTAL + x.sum()
        variable.assign_add(x.sum())
        return x + np.random.rand(2) + noise.normal(size=2) + TOTAL

    np.random.seed(5)
    compare(step, np.ones(2))
    assert (TOTAL, variable.numpy()) == (0, 1.0)
    assert noise.normal() == np.random.default_rng(3).normal()
    assert np.random.rand() == np.random.RandomState(5).rand()


def test_random_numbers_are_the_same_in_all_runs() -> None:
    random.seed(3)
    assert compare(lambda x: x + np.random.normal(), np.zeros(1)).eager.median > 0
    assert random.random() == random.Random(3).random()


def test_what_a_wrong_graph_leaves_outside_is_a_difference() -> None:
    log: list[Any] = []

    def wrong(x: Any) -> Any:
        log.append("traced" if isinstance(x, tracefn.Tensor) else "eager")
        return x

    traced = tracefn.function(wrong)
    with pytest.raises(ResultsDifferError, match="its state"):
        compare(traced, np.zeros(1))
    assert log == []


def test_native_programs_are_compared_but_for_rounding() -> None:
    f = tracefn.function(lambda x: np.exp(x) * np.tanh(x) + np.sin(x), jit="now")
    x = np.random.default_rng(0).random(10_000)
    f(x)
    assert compare(f, x).graph.median > 0


def test_an_iterator_cannot_be_put_back() -> None:
    numbers = iter(tracefn.data.Dataset.range(9))

    @tracefn.function
    def scaled(x: Any) -> Any:
        return x * next(numbers)

    with pytest.raises(tracefn.errors.UnsupportedArgumentError, match="`numbers` is an iterator"):
        tracefn.timing.compare(scaled, np.ones(2))
    assert next(numbers) == 0


def test_native_code_that_is_in_use_is_measured_alone() -> None:
    traced = tracefn.function(lambda x: np.tanh(x) * 2 + 1, jit="now")
    traced(np.ones(1000))
    wait_until_built()
    compared = compare(traced, np.ones(1000))
    assert compared.tier == "native program" and compared.before_native is None
