"""A sweep as a Plotly figure. Plotly is imported only when one is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tracefn.timing.figure import EAGER, GRAPH, TEXT
from tracefn.timing.sweeps.report import TIERS

if TYPE_CHECKING:
    from tracefn.timing.sweeps.sweep import Sweep

# Okabe and Ito's colours, as in `timing.figure`.
COLOURS = {"eager": EAGER, "numpy": "#009E73", "native": GRAPH}


def sweep_figure(sweep: Sweep) -> Any:
    """Times over sizes, each tier a line; below, the time of copying the arguments. Crossings are dotted."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for tier, colour in COLOURS.items():
        curve = sweep.curve(tier)
        if curve:
            label = ": ".join(part for part in (TIERS[tier], sweep.growth.get(tier)) if part)
            sizes, times = [size for size, _ in curve], [ns / 1e3 for _, ns in curve]
            figure.add_trace(go.Scatter(x=sizes, y=times, name=label, mode="lines+markers", line_color=colour))
    copies = [p.copy_ns / 1e3 for p in sweep.points]
    style = {"color": TEXT, "dash": "dash"}
    sizes = [p.size for p in sweep.points]
    figure.add_trace(go.Scatter(x=sizes, y=copies, name="copying the arguments", mode="lines", line=style))
    for tier in ("numpy", "native"):
        at = sweep.crossing(tier)
        if at is not None and at > sweep.points[0].size:
            figure.add_vline(x=at, line_dash="dot", line_color=COLOURS[tier])
    figure.update_xaxes(title_text=sweep.lengths, type="log", gridcolor="rgba(128,128,128,0.25)")
    figure.update_yaxes(title_text="µs a call", type="log", gridcolor="rgba(128,128,128,0.25)")
    figure.update_layout(
        title={"text": sweep.name, "font_size": 13},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font_color=TEXT,
        height=420,
    )
    return figure
