"""A comparison in words: one line, plain text, and HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tracefn.events.units import count, duration, shortened
from tracefn.timing.sampling import Quartiles

if TYPE_CHECKING:
    from tracefn.timing.comparison import Comparison

_TABLE = '<table style="margin:2px 0;color:inherit">'
_CELL = 'style="text-align:left;padding:1px 12px 1px 0;white-space:pre-wrap"'


def headline(comparison: Comparison) -> str:
    """Eager, graph and its tier, the ratio, and when tracing pays, in one line."""
    eager, graph = duration(comparison.eager.median), duration(comparison.graph.median)
    pays = "" if comparison.break_even is None else f" · tracing pays after {count(comparison.break_even, 'call')}"
    return f"{comparison.reference} {eager} · graph {graph} ({comparison.tier}) · {_ratio(comparison)}{pays}"


def text_report(comparison: Comparison) -> str:
    """The comparison in a few lines of plain text."""
    rows = _rows(comparison)
    width = max(len(name) for name, _ in rows)
    lines = [f"{name:<{width}}  {value}" for name, value in rows]
    return "\n".join([_title(comparison), *lines])


def html_report(comparison: Comparison) -> str:
    """The comparison as a small table in the text colour of the theme, all text escaped."""
    rows = "".join(
        f'<tr><th scope="row" {_CELL}>{escape(name)}</th><td {_CELL}>{escape(value)}</td></tr>'
        for name, value in _rows(comparison)
    )
    return f'<div class="tracefn-output-comparison"><div>{escape(_title(comparison))}</div>{_TABLE}{rows}</table></div>'


def _title(comparison: Comparison) -> str:
    return f"{comparison.name}({shortened(comparison.signature_text)})"


def _rows(comparison: Comparison) -> list[tuple[str, str]]:
    calls = comparison.break_even
    phases = ", ".join(f"{name.replace('_', ' ')} {duration(ns)}" for name, ns in comparison.phases.items())
    before = comparison.before_native
    return [
        ("first call", f"{duration(comparison.first_call_ns)} ({phases})"),
        (comparison.reference, _spread(comparison.eager)),
        *([] if before is None else [("NumPy program", f"{_spread(before)}, until native code is in use")]),
        (comparison.tier, _spread(comparison.graph)),
        ("graph is", _ratio(comparison)),
        ("tracing pays", "not here" if calls is None else f"after {count(calls, 'call')}"),
        *([("made up", ", ".join(comparison.made))] if comparison.made else []),
    ]


def _spread(times: Quartiles) -> str:
    samples = f"{times.samples} samples of {count(times.calls, 'call')}"
    return f"{duration(times.median)} (quartiles {duration(times.lower)} … {duration(times.upper)}, {samples})"


def _ratio(comparison: Comparison) -> str:
    speedup = comparison.speedup
    if not comparison.differs:
        return f"as fast as {comparison.reference} ({speedup:.3g}×, within the spread)"
    return f"{speedup:.3g}× faster" if speedup >= 1 else f"{1 / speedup:.3g}× slower"
