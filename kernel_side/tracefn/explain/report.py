"""An explanation as text, as HTML and as data."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from ..events.units import duration, shortened
from ..function.history.traces import Comparison

if TYPE_CHECKING:
    from .explanation import Explanation

SHOWN = 8
"""Earlier traces that are shown in full; `to_dict()` has all."""

_CELL = 'style="text-align:left;vertical-align:top;padding:1px 12px 1px 0;white-space:pre-wrap"'


def text(explanation: Explanation) -> str:
    """A few lines of plain text."""
    lines = [explanation.headline]
    for title, rows in _sections(explanation):
        lines.append(f"  {title}")
        lines += [f"    {name}: {value}" if name else f"    {value}" for name, value in rows]
    return "\n".join(lines)


def html(explanation: Explanation) -> str:
    """The same as small tables in the text colour of the theme, all text escaped."""
    from html import escape

    parts = [f"<div><strong>{escape(explanation.headline)}</strong></div>"]
    for title, rows in _sections(explanation):
        cells = "".join(
            f'<tr><th scope="row" {_CELL}>{escape(name)}</th><td {_CELL}>{escape(value)}</td></tr>'
            for name, value in rows
        )
        parts.append(f'<div>{escape(title)}</div><table style="margin:2px 0;color:inherit">{cells}</table>')
    return f'<div class="tracefn-output-explanation">{"".join(parts)}</div>'


def as_dict(explanation: Explanation) -> dict[str, Any]:
    """All of it as data for JSON; times in ns."""
    return {
        "function": explanation.name,
        "trace": explanation.trace,
        "signature": explanation.signature,
        "location": None if explanation.location is None else dataclasses.asdict(explanation.location),
        "headline": explanation.headline,
        "cost_ns": explanation.cost_ns,
        "phases": explanation.phases,
        "earlier": [_comparison(c) for c in explanation.comparisons],
        "verdict": None if explanation.verdict is None else explanation.verdict.to_dict(),
        "fix": None if explanation.fix is None else explanation.fix.to_dict(),
        "hint": explanation.hint,
        "relaxed": [dataclasses.asdict(c) for c in explanation.relaxed],
        "reads": [dataclasses.asdict(r) for r in explanation.reads],
        "frozen": list(explanation.frozen),
        "eager": [e.to_dict() for e in explanation.eager],
        "taken_over": explanation.taken_over,
        "not_kept": explanation.not_kept,
    }


def _comparison(comparison: Comparison) -> dict[str, Any]:
    record = comparison.earlier
    return {
        "trace": record.number,
        "signature": record.signature.text,
        "state": record.state,
        "causes": [dataclasses.asdict(c) for c in comparison.causes],
    }


def _sections(explanation: Explanation) -> list[tuple[str, list[tuple[str, str]]]]:
    """Titles with rows of a name and a text; empty ones left out."""
    compared = [(f"#{c.earlier.number}", c.text) for c in explanation.comparisons[:SHOWN]]
    more = len(explanation.comparisons) - SHOWN
    if more > 0:
        compared.append(("", f"… {more} more"))
    phases = ", ".join(f"{name.replace('_', ' ')} {duration(ns)}" for name, ns in explanation.phases.items())
    why = explanation.not_kept
    later = [] if why is None else [("", f"trace it anew: {why}" if why else "find it on the disk, as it is")]
    sections = [
        ("it was traced for", [("", shortened(explanation.signature))] if explanation.signature else []),
        ("compared with every earlier trace, the nearest first", compared),
        ("left open", [("", c.text) for c in explanation.relaxed]),
        ("cost", [("", phases)] if phases else []),
        ("state outside the arguments", [("", r.text) for r in explanation.reads]),
        ("happened only while tracing", [("", line) for line in explanation.frozen]),
        ("later processes", later),
        ("runs eagerly", [row for e in explanation.eager for row in e.rows()]),
    ]
    return [(title, rows) for title, rows in sections if rows]
