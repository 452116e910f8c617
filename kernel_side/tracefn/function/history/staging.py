"""The staging report: the source of a traced function with the treatment of each line of its control flow."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import linecache
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType
from typing import Any, NamedTuple

from ...events import Location, locate
from ...events.units import count, duration
from ...ir.graph import Graph, Node
from ...ir.place import Source
from ...trace.origin import where
from ...trace.trace_parts.staging_log import Staged
from .passed_through import Lines, passed_through, places_of

_CELL = 'style="text-align:left;vertical-align:top;padding:0 12px 0 0;white-space:pre;font-family:monospace"'
_HEAD = 'colspan="5" style="text-align:left;padding:8px 0 2px;font-family:monospace"'


class StagedLine(NamedTuple):
    """One line: its number (0 for lines in other files and functions), its treatment, the nodes that it made, its
    source, and the time from the node before to those of the line, in ns."""

    number: int
    mark: str
    nodes: int
    source: str
    ns: int


class StagedFunction(NamedTuple):
    """Another function of the user's that the trace came through, with all its lines; it begins at `location`."""

    name: str
    location: Location
    lines: tuple[StagedLine, ...]


class StagingReport(str):
    """The report as text. In a notebook it shows itself as a table, with the nodes and the time of each line.

    `lines` are those of the text, `functions` the other functions of the user's that the trace came through.
    `to_dict()` is data for JSON.
    """

    lines: tuple[StagedLine, ...]
    functions: tuple[StagedFunction, ...]
    _elsewhere: frozenset[StagedLine]

    def to_dict(self) -> dict[str, Any]:
        """The lines of the function and of others as data for JSON; times in ns."""
        functions = [
            {"name": name, "location": dataclasses.asdict(location), "lines": [line._asdict() for line in lines]}
            for name, location, lines in self.functions
        ]
        return {"lines": [line._asdict() for line in self._own], "functions": functions}

    @property
    def _own(self) -> list[StagedLine]:
        return [line for line in self.lines if line not in self._elsewhere]

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from html import escape  # its table of entities is large

        rows = _html_rows(self._own)
        for name, location, lines in self.functions:
            rows.append(f"<tr><th {_HEAD}>{escape(name)}, {escape(location.text)}</th></tr>")
            rows += _html_rows(lines)
        table = f'<table style="margin:2px 0;color:inherit">{"".join(rows)}</table>'
        return f'<div class="tracefn-output-staging">{table}</div>'


def _html_rows(lines: Sequence[StagedLine]) -> list[str]:
    from html import escape

    rows = []
    for number, mark, nodes, source, ns in lines:
        cost = (count(nodes, "node"), duration(ns)) if nodes else ("", "")
        cells = (mark, *cost, str(number or ""), source)
        rows.append(f"<tr>{''.join(f'<td {_CELL}>{escape(cell)}</td>' for cell in cells)}</tr>")
    return rows


def staging_report(
    code: CodeType | None,
    found: Sequence[Staged],
    effects: Sequence[tuple[str, int, str]],
    graph: Graph | None,
    times: Mapping[Source, int],
    eager: Sequence[tuple[Location | None, str, str]] = (),
) -> StagingReport:
    """The source with a mark before each line: `staged`, `ran once`, `unrolled ×3`, `not converted`, or the kind of a
    side effect. `effects` are (file, line, kind), `graph` is the graph that the function made, in `times`. `eager` has
    line, reason and fix of calls that run eagerly. Marks of lines in other files and functions follow, line by line."""
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

    def row(place: Source, text: str) -> StagedLine:
        mark = ", ".join(marks.get((place.file, place.line), []))
        return StagedLine(place.line, mark, nodes[place], text, times.get(place, 0))

    own = Lines("", code.co_filename, start, start + len(lines) - 1) if code is not None and lines else None
    for number, text in enumerate(lines, start):
        rows.append(row(Source(code.co_filename if code else "", number), text.rstrip()))
        out.append(f"{rows[-1].mark:>{width}} | {number:4} {text.rstrip()}".rstrip())
    others = passed_through([*places_of(graph), *(Source(r.file, r.line) for r in found)], own)
    elsewhere = set()
    for file, line in sorted(marks):
        place = Source(file, line)
        if own is not None and own.has(place):
            continue
        text = ": ".join(part for part in (where(place), linecache.getline(file, line).strip()) if part)
        rows.append(row(place, text)._replace(number=0))
        out.append(f"{rows[-1].mark:>{width}} | {text}")
        if any(lines.has(place) for lines in others):
            elsewhere.add(rows[-1])
    details = [record.text for record in found if record.detail]
    details += dict.fromkeys(" ".join(part for part in (f"eager: {why}.", fix) if part) for _, why, fix in eager)
    report = StagingReport("\n".join([*out, *details]))
    report.lines = (*rows, *[StagedLine(0, "", 0, text, 0) for text in details])
    report.functions = tuple(
        StagedFunction(
            name,
            locate(file, first),
            tuple(row(Source(file, number), text) for number, text in enumerate(lines.text, first)),
        )
        for lines in others
        for name, file, first, _ in [lines]
    )
    report._elsewhere = frozenset(elsewhere)
    return report


def _all_nodes(graph: Graph) -> Iterator[Node]:
    """The nodes of a graph and of the bodies in it, less those that are only there to be read."""
    for node in graph.nodes:
        if not node.is_leaf:
            yield node
        for body in node.bodies:
            yield from _all_nodes(body.graph)


def _add(marks: dict[tuple[str, int], list[str]], place: tuple[str, int], mark: str) -> None:
    known = marks.setdefault(place, [])
    if mark not in known:
        known.append(mark)
