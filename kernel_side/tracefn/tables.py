"""Reports as tables: rows of texts, the first of which is the head."""

from __future__ import annotations

from collections.abc import Sequence

Rows = Sequence[Sequence[str]]


def as_text(rows: Rows) -> list[str]:
    """The lines of a table with aligned columns."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows]


def as_html(rows: Rows, white_space: str = "pre-wrap") -> str:
    """A table in the text colour of the theme, all text escaped. `white_space` is CSS: `nowrap` breaks no line."""
    from html import escape  # its table of entities is large

    style = f'style="text-align:left;vertical-align:top;padding:1px 12px 1px 0;white-space:{white_space}"'
    head, *others = rows
    cells = "".join(f'<th scope="col" {style}>{escape(c)}</th>' for c in head)
    body = "".join(f"<tr>{''.join(f'<td {style}>{escape(c)}</td>' for c in row)}</tr>" for row in others)
    return f'<table style="margin:2px 0;color:inherit"><tr>{cells}</tr>{body}</table>'
