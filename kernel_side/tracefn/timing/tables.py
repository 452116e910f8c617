"""Rows of texts as aligned plain text, and as HTML tables in the text colour of the theme."""

from __future__ import annotations

from html import escape

Rows = list[tuple[str, ...]]

_TABLE = '<table style="margin:2px 0 8px;color:inherit">'
_CELL = 'style="text-align:left;padding:1px 12px 1px 0;white-space:pre-wrap"'


def aligned(rows: Rows) -> list[str]:
    """A line for each row, with the cells of a column below each other.

    >>> print("\\n".join(aligned([("a", "bb"), ("ccc", "d")])))
    a    bb
    ccc  d
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(f"{cell:{n}}" for cell, n in zip(row, widths, strict=True)).rstrip() for row in rows]


def html_table(name: str, title: str, *tables: Rows) -> str:
    """Tables under a title, all text escaped. The class has a prefix that the style sheet of the panel does not use."""
    found = "".join(f"{_TABLE}{''.join(map(_row, rows))}</table>" for rows in tables if rows)
    return f'<div class="tracefn-output-{name}"><div>{escape(title)}</div>{found}</div>'


def _row(row: tuple[str, ...]) -> str:
    return f"<tr>{''.join(f'<td {_CELL}>{escape(cell)}</td>' for cell in row)}</tr>"
