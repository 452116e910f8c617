"""The staging report: the source of a traced function with the treatment of each line of its control flow."""

from __future__ import annotations

import contextlib
import inspect
import linecache
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from types import CodeType
from typing import Any, NamedTuple

from ...events import Location
from ...events.units import count, duration
from ...ir.graph import Graph, Node
from ...ir.place import Source
from ...trace.origin import where
from ...trace.trace_parts.staging_log import Staged

_CELL = 'style="text-align:left;vertical-align:top;padding:0 12px 0 0;white-space:pre;font-family:monospace"'


class StagedLine(NamedTuple):
    """One line: its number (0 for what stands in other files and functions), what became of it, the nodes that it made,
    its source, and the time from the node before to those of the line, in ns."""

    number: int
    mark: str
    nodes: int
    source: str
    ns: int


class StagingReport(str):
    """The report as text. In a notebook it shows itself as a table, with the nodes and the time of each line.

    `to_dict()` is data for JSON.
    """

    lines: tuple[StagedLine, ...]

    def to_dict(self) -> dict[str, Any]:
        """The lines as data for JSON; times in ns."""
        return {"lines": [line._asdict() for line in self.lines]}

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        rows = []
        for number, mark, nodes, source, ns in self.lines:
            cost = (count(nodes, "node"), duration(ns)) if nodes else ("", "")
            cells = (mark, *cost, str(number or ""), source)
            rows.append(f"<tr>{''.join(f'<td {_CELL}>{escape(cell)}</td>' for cell in cells)}</tr>")
        table = f'<table style="margin:2px 0;color:inherit">{"".join(rows)}</table>'
        return f'<div class="tracefn-staging">{table}</div>'


def staging_report(
    code: CodeType | None,
    found: Sequence[Staged],
    effects: Sequence[tuple[str, int, str]],
    graph: Graph | None,
    times: Mapping[Source, int],
    eager: Sequence[tuple[Location | None, str, str]] = (),
) -> StagingReport:
    """The source with a mark before each line: `staged`, `ran once`, `unrolled ×3`, `not converted`, or the kind of a
    side effect. `effects` are (file, line, kind), `graph` is what the function made, in `times`. `eager` has line,
    reason and fix of calls that run eagerly. What stands in other files and functions follows, line by line."""
    nodes = Counter(n.source for n in _all_nodes(graph) if n.source is not None) if graph is not None else Counter()
    rows: list[StagedLine] = []
    marks: dict[tuple[str, int], list[str]] = {}
    for record in found:
        mark = f"unrolled ×{record.rounds}" if record.how == "unrolled" else record.how
        _add(marks, (record.file, record.line), mark)
    for file, line, kind in effects:
        _add(marks, (file, line), f"effect: {kind}")
    for location, _, _ in eager:
        if location is not None:
            _add(marks, (location.file, location.line), "eager")
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
        place = Source(code.co_filename if code else "", number)
        rows.append(StagedLine(number, mark, nodes[place], text.rstrip(), times.get(place, 0)))
    for (file, line), mark_list in sorted(marks.items()):
        place = Source(file, line)
        text = ": ".join(part for part in (where(place), linecache.getline(file, line).strip()) if part)
        out.append(f"{', '.join(mark_list):>{width}} | {text}")
        rows.append(StagedLine(0, ", ".join(mark_list), nodes[place], text, times.get(place, 0)))
    details = [record.text for record in found if record.detail]
    details += dict.fromkeys(" ".join(part for part in (f"eager: {why}.", fix) if part) for _, why, fix in eager)
    report = StagingReport("\n".join([*out, *details]))
    report.lines = (*rows, *[StagedLine(0, "", 0, text, 0) for text in details])
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
