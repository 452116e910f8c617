"""The staging report: the source of a traced function with what became of each line of its control flow."""

from __future__ import annotations

import contextlib
import inspect
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from types import CodeType

from ..ir.graph import Graph, Node
from ..trace.staging_log import Staged

_CELL = 'style="text-align:left;vertical-align:top;padding:0 12px 0 0;white-space:pre;font-family:monospace"'


class StagingReport(str):
    """The report as text. In a notebook it shows itself as a table, with the number of nodes that each line made.

    `lines` are (line number, mark, nodes, source), with the number 0 for what stands in other files and functions.
    """

    lines: tuple[tuple[int, str, int, str], ...]

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        rows = []
        for number, mark, nodes, source in self.lines:
            cells = (mark, f"{nodes} nodes" if nodes else "", str(number or ""), source)
            rows.append(f"<tr>{''.join(f'<td {_CELL}>{escape(cell)}</td>' for cell in cells)}</tr>")
        table = f'<table style="margin:2px 0;color:inherit">{"".join(rows)}</table>'
        return f'<div class="tracefn-staging">{table}</div>'


def staging_report(
    code: CodeType | None, found: Sequence[Staged], effects: Sequence[tuple[str, int, str]], graph: Graph
) -> StagingReport:
    """The source with a mark before each line: `staged`, `ran once`, `unrolled ×3`, `not converted`, or the kind of a
    side effect. `effects` are (file, line, kind), `graph` is what the function made. What stands in other files and
    functions follows, line by line."""
    nodes = Counter((n.source.file, n.source.line) for n in _all_nodes(graph) if n.source is not None)
    rows: list[tuple[int, str, int, str]] = []
    marks: dict[tuple[str, int], list[str]] = {}
    for record in found:
        mark = f"unrolled ×{record.rounds}" if record.how == "unrolled" else record.how
        _add(marks, (record.file, record.line), mark)
    for file, line, kind in effects:
        _add(marks, (file, line), f"effect: {kind}")
    out = []
    lines: list[str] = []
    start = 0
    if code is not None:
        with contextlib.suppress(OSError):
            lines, start = inspect.getsourcelines(code)
    width = max([len(", ".join(m)) for m in marks.values()], default=0)
    for number, text in enumerate(lines, start):
        mark = ", ".join(marks.pop((code.co_filename if code else "", number), []))
        out.append(f"{mark:>{width}} | {number:4} {text.rstrip()}".rstrip())
        rows.append((number, mark, nodes[(code.co_filename if code else "", number)], text.rstrip()))
    for (file, line), mark_list in sorted(marks.items()):
        out.append(f"{', '.join(mark_list):>{width}} | {file} line {line}")
        rows.append((0, ", ".join(mark_list), nodes[(file, line)], f"{file} line {line}"))
    details = [record.text for record in found if record.detail]
    report = StagingReport("\n".join([*out, *details]))
    report.lines = (*rows, *[(0, "", 0, text) for text in details])
    return report


def _all_nodes(graph: Graph) -> Iterator[Node]:
    """The nodes of a graph and of the bodies in it, less what is only there to be read."""
    for node in graph.nodes:
        if not node.is_leaf:
            yield node
        for body in node.bodies:
            yield from _all_nodes(body.graph)


def _add(marks: dict[tuple[str, int], list[str]], place: tuple[str, int], mark: str) -> None:
    known = marks.setdefault(place, [])
    if mark not in known:
        known.append(mark)
