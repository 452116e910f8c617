"""A comparison as a Plotly figure. Plotly is imported only when one is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tracefn.events.units import count

if TYPE_CHECKING:
    from tracefn.timing.comparison import Comparison

# Okabe and Ito's colours, which stay apart in all common forms of colour blindness (https://jfly.uni-koeln.de/color/).
EAGER, GRAPH = "#D55E00", "#0072B2"
PHASES = ("#999999", "#0072B2", "#56B4E9", "#009E73", "#E69F00", "#CC79A7")
TEXT = "#808080"


def comparison_figure(comparison: Comparison) -> Any:
    """Above, the phases of the first call; below, the time spent in all after 1, 2, … calls, in ms."""
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    titles = ("First call", "Total time over the number of calls")
    figure = make_subplots(rows=2, cols=1, row_heights=[0.2, 0.8], vertical_spacing=0.3, subplot_titles=titles)
    for n, (name, ns) in enumerate(comparison.phases.items()):
        colour = PHASES[n % len(PHASES)]
        bar = go.Bar(y=[""], x=[ns / 1e6], name=name.replace("_", " "), orientation="h", marker_color=colour)
        figure.add_trace(bar, row=1, col=1)
    calls = _call_numbers(comparison.break_even)
    first, graph, eager = comparison.first_call_ns, comparison.graph, comparison.eager
    lines = (
        (comparison.reference, EAGER, calls * eager.median),
        ("graph, with its first call", GRAPH, first + (calls - 1) * graph.median),
    )
    for name, colour, total in lines:
        line = go.Scatter(x=calls, y=total / 1e6, name=name, mode="lines", line_color=colour)
        figure.add_trace(line, row=2, col=1)
    if comparison.break_even is not None:
        name = f"pays after {count(comparison.break_even, 'call')}"
        ends = [eager.median / 1e6, calls[-1] * eager.median / 1e6]
        style = {"color": TEXT, "dash": "dot"}
        line = go.Scatter(x=[comparison.break_even] * 2, y=ends, name=name, mode="lines", line=style)
        figure.add_trace(line, row=2, col=1)
    figure.update_xaxes(title_text="ms", row=1, col=1)
    figure.update_xaxes(title_text="calls", type="log", dtick=1, row=2, col=1)
    figure.update_yaxes(title_text="ms in all", type="log", dtick=1, row=2, col=1)
    figure.update_xaxes(gridcolor="rgba(128,128,128,0.25)")
    figure.update_yaxes(gridcolor="rgba(128,128,128,0.25)")
    figure.update_layout(
        barmode="stack",
        title={"text": f"{comparison.name}: {comparison.headline()}", "font_size": 13},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font_color=TEXT,
        height=520,
    )
    return figure


def _call_numbers(break_even: int | None) -> np.ndarray:
    """1 … ten times the break-even, evenly on a logarithmic axis."""
    return np.unique(np.geomspace(1, 10 * (break_even or 100), 60).round())
