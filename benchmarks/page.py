"""The results as a page of plots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import plotly.graph_objects as go
import plotly.io

from benchmarks.control_flow import Beside
from benchmarks.engines import TITLES, TRACERS
from benchmarks.measure import Spread
from benchmarks.results import Bar, Results, bars
from benchmarks.steady import Steady
from benchmarks.workloads import WORKLOADS

COLORS = {"tracefn": "#2a78d6", "jax": "#8a6bd1", "tensorflow": "#e8890c"}
REACHED, SHORT = "#1a7f37", "#cf222e"


def html(figures: Iterable[Any]) -> str:
    """The page, complete with Plotly's code."""
    parts = [
        plotly.io.to_html(figure, full_html=False, include_plotlyjs=number == 0, config={"displaylogo": False})
        for number, figure in enumerate(figures)
    ]
    head = '<!doctype html><meta charset="utf-8"><title>tracefn benchmarks</title>'
    return f'{head}<body style="max-width:1000px;margin:auto;font-family:system-ui">{"".join(parts)}</body>'


def figures(results: Results) -> Iterator[Any]:
    """The plots of a run."""
    found = bars(results)
    yield _against_bars([bar for bar in found if bar.measured is not None and bar.limit])
    yield _beside_peers([bar for bar in found if any(bar.peers.values())])
    if results.steady is not None:
        for dtype in ("float32", "float64"):
            yield _over_size(results.steady, dtype)
    if results.control_flow is not None:
        yield _loops(results.control_flow.loops)


def _against_bars(found: list[Bar]) -> Any:
    """Each measured value as a share of its bar."""
    figure = go.Figure(layout={"title": "Measured, as a share of the bar", "showlegend": False, "margin": {"l": 360}})
    shares = [bar.measured.times(1 / bar.limit) for bar in found if bar.measured is not None]
    figure.add_bar(
        x=[share.median for share in shares],
        y=[_plain(bar.title) for bar in found],
        error_x=_whiskers(shares),
        marker_color=[REACHED if bar.reached else SHORT for bar in found],
        orientation="h",
    )
    figure.add_vline(x=1, line_dash="dot", annotation_text="the bar")
    figure.update_xaxes(title="share of the bar", rangemode="tozero")
    figure.update_yaxes(autorange="reversed")
    return figure


def _beside_peers(found: list[Bar]) -> Any:
    """The times of other engines for the same, as multiples of tracefn's."""
    figure = go.Figure(layout={"title": "Beside other engines, as a multiple of tracefn's", "margin": {"l": 360}})
    for name in TRACERS:
        there = [(bar, spread) for bar in found if (spread := _of(bar, name)) is not None and bar.measured is not None]
        shares = [spread.times(1 / bar.measured.median) for bar, spread in there if bar.measured is not None]
        figure.add_scatter(
            x=[share.median for share in shares],
            y=[_plain(bar.title) for bar, _ in there],
            error_x=_whiskers(shares),
            mode="markers",
            name=TITLES[name],
            marker={"color": COLORS[name], "size": 11},
        )
    figure.update_xaxes(type="log", title="multiple of tracefn's", dtick=1)
    figure.update_yaxes(autorange="reversed")
    return figure


def _of(bar: Bar, name: str) -> Spread | None:
    return bar.measured if name == "tracefn" else bar.peers.get(name)


def _over_size(steady: dict[str, dict[str, Steady | None]], dtype: str) -> Any:
    """The ten operations over the number of elements, against eager NumPy."""
    figure = go.Figure(layout={"title": f"Ten operations on {dtype}, as a share of eager NumPy's time"})
    keys = [key for key in steady if key.startswith("ten_ops") and WORKLOADS[key].dtype == dtype]
    for name in TRACERS:
        there = [(WORKLOADS[key].size, found.ratio) for key in keys if (found := steady[key][name]) is not None]
        figure.add_scatter(
            x=[size for size, _ in there],
            y=[ratio.median for _, ratio in there],
            error_y=_whiskers([ratio for _, ratio in there]),
            mode="lines+markers",
            name=TITLES[name],
            line_color=COLORS[name],
        )
    figure.add_hline(y=1, line_dash="dot")
    figure.update_xaxes(type="log", title="elements", dtick=1)
    figure.update_yaxes(type="log", title="share of NumPy's time")
    return figure


def _loops(loops: dict[str, Beside]) -> Any:
    """Loops of traced functions, against the same functions in eager Python."""
    ratios = [loop.ratio for loop in loops.values()]
    figure = go.Figure(layout={"title": "Staged loops, as a share of eager Python's time", "margin": {"l": 360}})
    x = [ratio.median for ratio in ratios]
    figure.add_bar(x=x, y=list(loops), error_x=_whiskers(ratios), marker_color=COLORS["tracefn"], orientation="h")
    figure.add_vline(x=1, line_dash="dot")
    figure.update_xaxes(title="share of Python's time", rangemode="tozero")
    figure.update_yaxes(autorange="reversed")
    return figure


def _whiskers(spreads: list[Spread]) -> dict[str, Any]:
    """Error bars from quartile to quartile."""
    return {
        "type": "data",
        "symmetric": False,
        "array": [spread.upper - spread.median for spread in spreads],
        "arrayminus": [spread.median - spread.lower for spread in spreads],
        "thickness": 1,
    }


def _plain(title: str) -> str:
    return title.replace("`", "")
