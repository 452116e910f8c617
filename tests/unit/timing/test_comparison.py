"""A comparison: its figures, and how it shows itself."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tracefn.events.units import count, duration
from tracefn.timing.comparison import Comparison, break_even
from tracefn.timing.sampling import Quartiles, Samples

PHASES = {"bind": 10_000, "trace": 600_000, "passes": 200_000, "program": 100_000, "first_run": 90_000}


def spread(ns: Any, calls: int) -> Quartiles:
    return ns if isinstance(ns, Quartiles) else Quartiles(ns * 0.9, ns, ns * 1.1, 40, calls)


def comparison(eager: Any = 30_000, graph: Any = 10_000, **other: Any) -> Comparison:
    fields: dict[str, Any] = {
        "name": "f",
        "function": "f#1",
        "signature": "f#1/1",
        "signature_text": "x: float64[2]",
        "phases": PHASES,
        "eager": spread(eager, 7),
        "graph": spread(graph, 20),
        "faster": 0.5 if isinstance(eager, Quartiles) else min(1.0, max(0.0, 0.5 + 2 * (eager - graph) / eager)),
    }
    return Comparison(**fields | other)


def test_speedup_and_break_even() -> None:
    compared = comparison()
    assert compared.first_call_ns == 1_000_000
    assert compared.speedup == 3.0
    calls = compared.break_even
    assert calls == 50

    def total(n: int) -> float:
        return compared.first_call_ns + (n - 1) * compared.graph.median

    assert total(calls) <= calls * compared.eager.median
    assert total(calls - 1) > (calls - 1) * compared.eager.median


@pytest.mark.parametrize("graph", [28_000, 30_000, 40_000])
def test_a_graph_that_is_not_clearly_faster_never_pays(graph: float) -> None:
    assert comparison(graph=graph).break_even is None
    assert "pays" not in comparison(graph=graph).headline()
    assert "not here" in str(comparison(graph=graph))


def test_what_lies_within_the_spread_is_no_difference() -> None:
    close, apart = comparison(graph=28_000), comparison(graph=20_000)
    assert (close.differs, apart.differs) == (False, True)
    assert close.headline().endswith("as fast as eager (1.07×, within the spread)")
    assert comparison(graph=50_000).differs


def test_what_disturbs_both_does_not_hide_which_is_faster() -> None:
    eager, graph = Samples([2_000, 30_000, 9_000, 2_800], 10), Samples([60, 280, 70, 58], 1)
    assert eager.quartiles.lower < graph.quartiles.upper * 3 and graph.faster_than(eager) == 1
    assert break_even(10_000, eager, graph) == 19
    assert break_even(10_000, eager, Samples([90, 500, 1_000, 300], 1)) is None
    loaded = comparison(
        eager=Quartiles(2_700, 9_000, 15_000, 40, 1), graph=Quartiles(600, 700, 20_000, 40, 1), faster=0.9
    )
    assert loaded.differs and loaded.event().differs and loaded.break_even == 121


def test_a_graph_that_pays_at_once() -> None:
    assert comparison(eager=5_000_000).break_even == 1


def test_a_slower_graph_is_called_slower() -> None:
    assert "1.5× slower" in comparison(graph=45_000).headline()
    assert "3× faster" in comparison().headline()


def test_text() -> None:
    text = str(comparison())
    assert text == repr(comparison())
    assert text.splitlines()[0] == "f(x: float64[2])"
    assert "first call" in text and "1 ms (bind 10 µs, trace 600 µs" in text and "first run 90 µs" in text
    assert "30 µs (quartiles 27 µs … 33 µs, 40 samples of 7 calls)" in text
    assert "after 50 calls" in text


def test_html_escapes_names() -> None:
    html = comparison(name="<img onerror=x>", signature_text="s: '<b>'")._repr_html_()
    assert "<img" not in html and "<b>" not in html
    assert "&lt;img onerror=x&gt;" in html


def test_dict_is_json() -> None:
    data = json.loads(json.dumps(comparison().to_dict()))
    assert data["eager_ns"] == [27_000, 30_000, 33_000]
    assert (data["speedup"], data["break_even"], data["first_call_ns"]) == (3.0, 50, 1_000_000)
    assert data["phases"] == PHASES
    assert json.loads(json.dumps(comparison(graph=40_000).to_dict()))["break_even"] is None


def test_figure() -> None:
    figure = comparison().figure()
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert [bar.name for bar in bars] == ["bind", "trace", "passes", "program", "first run"]
    assert sum(bar.x[0] for bar in bars) == pytest.approx(1.0)
    eager, graph, mark = (trace for trace in figure.data if trace.type == "scatter")
    assert graph.y[0] == pytest.approx(1.0)
    crossing = [n for n, e, g in zip(eager.x, eager.y, graph.y, strict=True) if g <= e]
    assert crossing[0] >= 50
    assert eager.x[-1] == 500
    assert (list(mark.x), mark.name) == ([50, 50], "pays after 50 calls")


def test_figure_of_what_never_pays() -> None:
    figure = comparison(graph=40_000).figure()
    assert [trace.name for trace in figure.data if trace.type == "scatter"] == ["eager", "graph, with its first call"]


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0 ns"),
        (0.5, "0.5 ns"),
        (999.4, "999 ns"),
        (999.9, "1 µs"),
        (1500, "1.5 µs"),
        (2_345_678, "2.35 ms"),
        (1e9, "1 s"),
        (123.4e9, "123 s"),
        (12345e9, "12300 s"),
    ],
)
def test_durations(ns: float, text: str) -> None:
    assert duration(ns) == text


def test_counts() -> None:
    assert [count(n, "call") for n in (0, 1, 2, 12345)] == ["0 calls", "1 call", "2 calls", "12,345 calls"]


def test_the_program_before_native_code_has_a_break_even_of_its_own() -> None:
    both = comparison(
        graph=1_000,
        tier="native program",
        before_native=Quartiles(18_000, 20_000, 22_000, 40, 20),
        break_even_before_native=98,
    )
    assert (both.break_even, both.event().break_even_before_native) == (35, 98)
    assert both.event().before_native_ns == (18_000, 20_000, 22_000)
    assert "until native code is in use" in str(both) and "(native program)" in both.headline()
    assert comparison().event().before_native_ns is None
