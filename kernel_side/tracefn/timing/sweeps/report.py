"""A sweep as text and as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracefn.events.units import duration
from tracefn.timing.sweeps.growth import number
from tracefn.timing.tables import Rows, aligned, html_table

if TYPE_CHECKING:
    from tracefn.timing.sweeps.sweep import Sweep

TIERS = {"eager": "eager Python", "numpy": "NumPy program", "native": "native program"}
"""The timed tiers, in words."""


def text_report(sweep: Sweep) -> str:
    """The sweep in plain text: a row for each size, and in words how times grow and where they cross."""
    return "\n".join([_title(sweep), *aligned(sizes(sweep)), *aligned(words(sweep))])


def html_report(sweep: Sweep) -> str:
    """The same as small tables in the text colour of the theme, all text escaped."""
    return html_table("sweep", _title(sweep), sizes(sweep), words(sweep))


def sizes(sweep: Sweep) -> Rows:
    """The medians, a row for each size."""
    rows: Rows = [("n", *TIERS.values(), "copying the arguments")]
    for p in sweep.points:
        native = "" if p.native is None else duration(p.native.median)
        size = f"{p.size:,.6g}" if p.size < 1e6 else f"{p.size:,.0f}"
        rows.append((size, duration(p.eager.median), duration(p.numpy.median), native, duration(p.copy_ns)))
    return rows


def words(sweep: Sweep) -> Rows:
    """How each tier grows, and where it crosses."""
    found: Rows = [
        (TIERS[tier], ", ".join(part for part in (text, sweep.crossings.get(tier)) if part))
        for tier, text in sweep.growth.items()
    ]
    if sweep.left_out:
        found.append(
            ("left out", f"n = {', '.join(map(number, sweep.left_out))}: a call would take too long or too much memory")
        )
    if sweep.made:
        found.append(("made up", ", ".join(sweep.made)))
    return found


def _title(sweep: Sweep) -> str:
    return f"{sweep.name}, n = {sweep.lengths}" if sweep.lengths != "n" else sweep.name
