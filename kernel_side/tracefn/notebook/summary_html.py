"""The summary of a cell as HTML: one small table, with no colours of its own, all text escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tracefn.notebook.summary_text import facts, remarks, shown

if TYPE_CHECKING:
    from tracefn.notebook.summary import SignatureLine, Summary

_FACT = 'style="text-align:left;padding:1px 12px 1px 0;white-space:nowrap;vertical-align:top"'
_SIGNATURE = 'style="width:100%;text-align:left;padding:1px 0;white-space:normal;vertical-align:top"'
_REMARK = 'style="text-align:left;padding:0 0 3px 12px;white-space:normal;font-style:italic"'
_HEAD = 'style="text-align:left;padding:4px 0 1px 0;font-weight:600"'
_FONT = "font-family:var(--jp-code-font-family,monospace);font-size:0.9em"
_TABLE = f'style="border-collapse:collapse;margin:2px 0;color:inherit;{_FONT}"'


def summary_html(summary: Summary) -> str:
    """The summary for a notebook's output area, in the text colour of the theme."""
    rows = []
    for block in summary.functions.values():
        rows.append(f'<tr><th colspan="5" scope="rowgroup" {_HEAD}>{escape(block.name)}</th></tr>')
        first, left_out, last = shown(block)
        rows += [row for line in first for row in _rows(line)]
        if left_out:
            rows.append(f'<tr><td colspan="5" {_FACT}>{escape(left_out)}</td></tr>')
        rows += [row for line in last for row in _rows(line)]
    lines = [f"{timing.name}: {timing.text}" for timing in summary.timings] + list(summary.notes)
    return (
        f'<div class="tracefn-output-summary" style="margin-top:4px"><div>{escape(summary.headline())}</div>'
        + (f"<table {_TABLE}>{''.join(rows)}</table>" if rows else "")
        + "".join(f'<div style="white-space:pre-wrap">{escape(text)}</div>' for text in lines)
        + "</div>"
    )


def _rows(line: SignatureLine) -> list[str]:
    *numbers, signature = facts(line)
    cells = "".join(f"<td {_FACT}>{escape(cell)}</td>" for cell in numbers)
    said = [f'<tr><td></td><td colspan="4" {_REMARK}>{escape(text)}</td></tr>' for text in remarks(line)]
    return [f"<tr>{cells}<td {_SIGNATURE}>{escape(signature)}</td></tr>", *said]
