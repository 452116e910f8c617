"""Repeated timing, side by side."""

from __future__ import annotations

import gc

import pytest
from tracefn.timing import sampling
from tracefn.timing.arguments import Call
from tracefn.timing.sampling import Quartiles, Timed, measure


def nothing() -> None:
    pass


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "BUDGET_NS", 5_000_000)
    monkeypatch.setattr(sampling, "WARM_UP_NS", 100_000)


def timed(log: list[str], name: str, reuse: bool = True) -> Timed:
    def prepare() -> Call:
        log.append(f"prepare {name}")
        return ([],), {}

    def run(argument: list[int]) -> None:
        log.append(name)
        assert reuse or argument == []
        argument.append(1)
        sum(range(3000))

    return Timed(run, prepare, reuse, nothing)


def test_quartiles_are_in_order_and_counted() -> None:
    (times,) = measure([timed([], "a")])
    assert 0 < times.lower <= times.median <= times.upper
    assert sampling.FEWEST_SAMPLES <= times.samples <= sampling.MOST_SAMPLES
    assert times.calls > 1
    assert times.as_tuple() == (times.lower, times.median, times.upper)


def test_they_take_turns_and_each_other_round_is_reversed() -> None:
    log: list[str] = []
    results = measure([timed(log, "a", reuse=False), timed(log, "b", reuse=False)])
    runs = [entry for entry in log if not entry.startswith("prepare")][-4 * 2 :]
    assert {"".join(runs[n : n + 2]) for n in range(0, 8, 2)} == {"ab", "ba"}
    assert [times.calls for times in results] == [1, 1]


def test_without_reuse_every_run_gets_its_own_arguments() -> None:
    log: list[str] = []
    measure([timed(log, "a", reuse=False)])
    assert log.count("a") > sampling.FEWEST_SAMPLES
    assert log.count("prepare a") >= log.count("a")


def test_with_reuse_arguments_are_not_made_for_each_call() -> None:
    log: list[str] = []
    measure([timed(log, "a")])
    assert log.count("prepare a") < log.count("a")


def test_what_finishes_a_sample_is_called_once_for_each() -> None:
    finished: list[int] = []
    (times,) = measure([Timed(nothing, lambda: ((), {}), True, lambda: finished.append(1))])
    assert len(finished) > times.samples >= sampling.FEWEST_SAMPLES


@pytest.mark.parametrize("enabled", [True, False])
def test_garbage_collection_is_off_meanwhile_and_then_as_before(enabled: bool) -> None:
    seen: list[bool] = []
    before = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        measure([Timed(lambda: seen.append(gc.isenabled()), lambda: ((), {}), True, nothing)])
        assert gc.isenabled() is enabled
        assert not any(seen)
    finally:
        (gc.enable if before else gc.disable)()


def test_garbage_collection_comes_back_after_an_error() -> None:
    def broken() -> None:
        raise ZeroDivisionError

    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError):
        measure([Timed(broken, lambda: ((), {}), True, nothing)])
    assert gc.isenabled()


def test_a_slow_function_gets_the_fewest_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "BUDGET_NS", 1)
    (times,) = measure([timed([], "a")])
    assert isinstance(times, Quartiles)
    assert times.samples == sampling.FEWEST_SAMPLES
