"""`sweep`: times over sizes, how they grow, and where they cross."""

from __future__ import annotations

import json
import time
from typing import Any

import numpy as np
import pytest
import tracefn
from tracefn import events
from tracefn.errors import ResultsDifferError, UnsupportedArgumentError
from tracefn.timing import sampling, sweep, sweep_trace
from tracefn.timing.sampling import Quartiles
from tracefn.timing.sweeps.growth import Gain, crossing, crossing_text, exponent, growth_text
from tracefn.timing.sweeps.sweep import Point, Sweep


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "BUDGET_NS", 2_000_000)
    monkeypatch.setattr(sampling, "WARM_UP_NS", 50_000)


def quartiles(ns: float) -> Quartiles:
    return Quartiles(ns, ns, ns, 1, 1)


def made_up() -> Sweep:
    """Eager grows as n², the NumPy program is a constant, there is native code for the last sizes."""
    points = [point(n, n**2, 10_000.0, 10.0 * n if n > 20 else None) for n in (10, 50, 250, 1250)]
    return Sweep("f", tuple(points), 5, left_out=(6250,))


def point(n: int, eager: float, numpy: float, native: float | None = None, numpy_faster: float | None = None) -> Point:
    """Times at a size; which one took less time was the same at all turns, but for the part that is given."""
    faster = {"numpy": float(numpy < eager) if numpy_faster is None else numpy_faster}
    if native is not None:
        faster["native"] = float(native < eager)
    return Point(
        n, quartiles(eager), quartiles(numpy), None if native is None else quartiles(native), 1.0, 8 * n, faster
    )


def test_growth_and_crossing() -> None:
    found = made_up()
    assert found.growth == {"eager": "grows as n^2.0", "numpy": "does not grow", "native": "grows as n^1.0"}
    assert found.crossing("numpy") == pytest.approx(100)
    assert found.crossings["numpy"] == "faster than eager from n ≈ 100 on"
    assert found.crossings["native"] == "faster than eager at all sizes"
    assert found.exponent("eager") == pytest.approx(2)
    assert exponent([(10, 5.0)]) is None and growth_text([(10, 5.0)]) == ""


def gains(*times: tuple[float, bool]) -> list[Gain]:
    """Of a graph that takes these times at 1, 10, 100 where eager code takes 10."""
    return [Gain(10.0**i, 10 / ns, clear) for i, (ns, clear) in enumerate(times)]


def test_a_graph_that_wins_only_at_first_or_never() -> None:
    fast, slow, alike = (5.0, True), (20.0, True), (10.2, False)
    assert crossing_text(gains(fast, fast, slow)) == "slower than eager at the largest size"
    assert crossing_text(gains(slow, slow, slow)) == "never faster than eager"
    assert crossing_text(gains((9.9, False), slow, slow)) == "never faster than eager"
    assert crossing_text(gains(fast, (9.0, True), alike)) == "as fast as eager at the largest size"
    # that it was faster at the smallest size, too, says nothing of those up to the last crossing
    assert crossing(gains(fast, slow, fast)) == pytest.approx(10**1.5)
    assert crossing_text(gains(fast, alike, fast)) == "faster than eager at all sizes"


def test_turns_tell_which_is_faster_as_a_comparison_does() -> None:
    often = Sweep("f", (point(10, 100.0, 98.0, numpy_faster=0.9), point(100, 1000.0, 990.0, numpy_faster=0.8)), 2)
    assert often.crossings["numpy"] == "faster than eager at all sizes"
    by_chance = Sweep("f", (point(10, 100.0, 98.0, numpy_faster=0.9), point(100, 1000.0, 800.0, numpy_faster=0.6)), 2)
    assert by_chance.crossings["numpy"] == "as fast as eager at the largest size"


def test_tables_frames_and_figures() -> None:
    found = made_up()
    text = str(found)
    assert "1,250" in text and "left out" in text and "n = 6,200" in text
    assert list(found.to_frame().index) == [10, 50, 250, 1250]
    assert np.isnan(found.to_frame()["native_ns"][10])
    names = [trace.name for trace in found.figure().data]
    assert names[0] == "eager Python: grows as n^2.0" and names[-1] == "copying the arguments"
    assert "<script>" not in Sweep("<script>", found.points, 4)._repr_html_()


def test_each_size_is_measured_in_all_tiers_without_events() -> None:
    @tracefn.function(input_signature=[tracefn.TensorSpec((3,), np.float64)])
    def scaled(x: Any) -> Any:
        return np.tanh(x) * 2 + 1

    with events.record() as recorded:
        found = sweep(scaled, (2000, 1000), np.ones)
    assert [p.size for p in found.points] == [1000, 2000]
    for point in found.points:
        assert point.native is not None and min(point.eager.median, point.numpy.median, point.native.median) > 0
        assert point.copy_ns > 0 and point.nbytes == point.size * 8
        assert point.faster.keys() == {"numpy", "native"} and all(0 <= part <= 1 for part in point.faster.values())
    assert scaled.tracing_count == 0 and recorded == []
    assert found.name == "scaled"


def test_where_nothing_is_better_there_is_no_native_tier() -> None:
    found = sweep(lambda x: np.sort(x), (10, 20), lambda n: (np.ones(n),))
    assert [p.native for p in found.points] == [None, None] and "native" not in found.growth


def test_methods_keep_their_state() -> None:
    class Total:
        def __init__(self) -> None:
            self.sum = 0.0

        @tracefn.function
        def add(self, x: Any) -> Any:
            self.sum = self.sum + x.sum()
            return self.sum

    total = Total()
    assert len(sweep(total.add, (3, 6), np.ones).points) == 2
    assert total.sum == 0.0


def test_sizes_that_would_take_too_long_are_left_out() -> None:
    def slow(x: Any) -> Any:
        tracefn.py_function(lambda x: time.sleep(len(x) / 1000), [x], None)
        return x

    found = sweep(slow, (2, 4, 10_000), np.ones, longest=1)
    assert [p.size for p in found.points] == [2, 4] and found.left_out == (10_000,)
    assert found.total == 3
    with pytest.raises(ValueError, match="needs sizes"):
        sweep(slow, (), np.ones)


def test_what_differs_is_not_timed() -> None:
    with pytest.raises(ResultsDifferError):
        sweep(lambda x: x + tracefn.py_function(time.perf_counter_ns, [], np.int64), (2,), np.ones)


def test_dimensions_of_a_trace_are_scaled_together_and_the_panel_is_told_each_time() -> None:
    @tracefn.function
    def solve(batch: Any, *, rows: Any) -> Any:
        return batch["a"] @ batch["b"] + rows.sum()

    a, b, rows = np.arange(12.0).reshape(4, 3), np.ones((3, 4)), np.arange(3.0)
    solve({"a": a, "b": b}, rows=rows)
    dimensions = [("batch['a']", 1), ("batch['b']", 0), ("rows", 0)]
    with events.record() as recorded:
        found = sweep_trace(solve.function_id, 1, dimensions, factors=(0.25, 1, 2))
    assert [p.size for p in found.points] == [1, 3, 6]
    assert [p.nbytes for p in found.points] == [8 * (4 + 4 + 1), 8 * 27, 8 * 54]
    assert found.lengths == "batch['a'] axis 1, batch['b'] axis 0, rows axis 0"
    told = [e for e in recorded if isinstance(e, events.SweepMeasured)]
    assert [len(e.points) for e in told] == [1, 2, 3] and {e.total for e in told} == {3}
    assert {e.signature for e in told} == {f"{solve.function_id}/1"} and solve.tracing_count == 1
    assert json.loads(json.dumps(told[-1].to_json()))["points"][2]["size"] == 6


def test_values_are_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    traced = tracefn.function(lambda x: x + 1)
    x = np.array([[1.0, 2.0, 3.0]])
    traced(x)
    calls = "tracefn.timing.sweeps.scaling.swept"
    monkeypatch.setattr(calls, lambda f, sizes, make_call, *_, **__: [make_call(n)[0][0].tolist() for n in sizes])
    found: Any = sweep_trace(traced, dimensions=[("x", 1)], factors=(2 / 3, 5 / 3))
    assert found == [[[1.0, 2.0]], [[1.0, 2.0, 3.0, 1.0, 2.0]]]


@pytest.mark.parametrize("dimensions", [[], [("x", 2)], [("y", 0)], [("x", 0), ("x", 1)]])
def test_dimensions_that_cannot_be_scaled(dimensions: Any) -> None:
    traced = tracefn.function(lambda x: x + 1)
    x = np.ones((2, 3))
    traced(x)
    with pytest.raises(UnsupportedArgumentError):
        sweep_trace(traced, dimensions=dimensions)


def test_silence_is_of_this_thread_and_can_be_nested() -> None:
    import threading

    with events.record() as recorded, events.silence():
        with events.silence():
            pass
        tracefn.function(lambda x: x).get_concrete_function(np.ones(2))
        other = threading.Thread(target=lambda: events.emit(events.CellStarted(cell="a", number=1)))
        other.start()
        other.join()
    assert [event.type for event in recorded] == ["cell.started"]
