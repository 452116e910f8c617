"""The timeline of a session: cells, calls, traces with their phases, and native code, as spans of time."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..events import CellRun
from ..events.units import count, duration
from ..records import dataclass
from .chrome import chrome_trace

if TYPE_CHECKING:
    from .costs import Entry

COMPILE = "compile"

CELLS, NATIVE = "cells", "native code"
"""The tracks besides those of functions."""


@dataclass(frozen=True, slots=True)
class Span:
    """One band: `track` and `level` say where it is, `kind` is its subject: cell, calls, trace, a phase of a trace
    (bind, rewrite, tracing, passes, program, first_run), or compile. Times are in ns of `time.perf_counter_ns`. `ns` is
    the time that it stands for: for calls, which lie anywhere in their cell, less than its length. `signature` is the
    id of the trace, empty for cells."""

    track: str
    level: int
    name: str
    kind: str
    start_ns: int
    length_ns: int
    ns: int
    signature: str = ""
    details: dict[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def end_ns(self) -> int:
        return self.start_ns + self.length_ns

    def to_dict(self) -> dict[str, Any]:
        """The span as data for JSON."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}


@dataclass(frozen=True, slots=True)
class Timeline:
    """The spans of a session, by their start.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: x + 1, name="shift")
    >>> _ = f(np.ones(2)), f(np.ones(3))
    >>> timeline = tracefn.ledger(f).timeline()
    >>> [span.name for span in timeline.search("shift #").spans if span.kind == "trace"]
    ['shift #1', 'shift #2']
    """

    spans: tuple[Span, ...]

    def __len__(self) -> int:
        return len(self.spans)

    def select(self, start_ns: float, end_ns: float) -> Timeline:
        """The spans that lie in a stretch of time, in part or whole."""
        return Timeline(tuple(s for s in self.spans if s.start_ns < end_ns and s.end_ns > start_ns))

    def search(self, text: str) -> Timeline:
        """The spans with a text in their name, kind, track or details."""
        wanted = text.casefold()
        return Timeline(tuple(s for s in self.spans if wanted in _words(s)))

    def totals(self) -> dict[str, int]:
        """The time of each kind of span, in ns, the longest first. A trace holds its phases."""
        found: dict[str, int] = {}
        for span in self.spans:
            found[span.kind] = found.get(span.kind, 0) + span.ns
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def to_frame(self) -> Any:
        """The spans as a pandas DataFrame. Raises ImportError where pandas is not installed."""
        import pandas

        return pandas.DataFrame([span.to_dict() for span in self.spans])

    def to_chrome_trace(self) -> dict[str, Any]:
        """The timeline in the JSON format of Chrome's tracing, which https://ui.perfetto.dev opens."""
        return chrome_trace(self.spans)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a JSON file for Perfetto."""
        from pathlib import Path

        Path(path).write_text(json.dumps(self.to_chrome_trace()), encoding="utf-8")

    def __str__(self) -> str:
        if not self.spans:
            return "an empty timeline"
        length = max(s.end_ns for s in self.spans) - self.spans[0].start_ns
        parts = ", ".join(f"{kind.replace('_', ' ')} {duration(ns)}" for kind, ns in self.totals().items())
        return f"{count(len(self), 'span')} in {duration(length)}: {parts}"

    __repr__ = __str__


def timeline_of(entries: Iterable[Entry], cells: Iterable[CellRun], now_ns: int) -> Timeline:
    """The timeline of the traces of a ledger and of the cells that ran; one that runs has lasted until now."""
    spans = [span for cell in cells for span in _of_cell(cell, now_ns)]
    compiled: list[tuple[int, int, Entry]] = []
    for entry in entries:
        spans += _of_trace(entry)
        if COMPILE in entry.phases:
            compiled.append((entry.ends[COMPILE], entry.phases[COMPILE], entry))
    compiled.sort(key=lambda item: item[:2])
    rows = in_a_row([(end, length, "") for end, length, _ in compiled])
    for (_, begin, length), (_, _, entry) in zip(rows, compiled, strict=True):
        spans.append(Span(NATIVE, 0, _name(entry), COMPILE, begin, length, length, _id(entry)))
    return Timeline(tuple(sorted(spans, key=lambda span: (span.start_ns, span.level))))


def _of_cell(cell: CellRun, now_ns: int) -> list[Span]:
    length = (cell.end_ns or now_ns) - cell.start_ns
    found = [Span(CELLS, 0, cell.name, "cell", cell.start_ns, length, length)]
    if cell.calls:
        ns = min(length, cell.calls_ns)
        name = count(cell.calls, "call") + (f", about {duration(ns)}" if ns else "")
        found.append(Span(CELLS, 1, name, "calls", cell.start_ns, length, ns))
    return found


def _of_trace(entry: Entry) -> list[Span]:
    """A trace and its phases."""
    phases = _phases(entry)
    if not phases:
        return []
    start = phases[0][1]
    length = max(begin + part for _, begin, part in phases) - start
    details: dict[str, Any] = {"signature": entry.signature, "cause": entry.cause, "site": entry.site}
    details |= {"verdict": entry.verdict, "calls": entry.calls, "memory": entry.memory, "state": entry.state}
    found = [Span(_track(entry), 0, _name(entry), "trace", start, length, length, _id(entry), details)]
    found += [Span(_track(entry), 1, p, _kind(p), begin, part, part, _id(entry)) for p, begin, part in phases]
    return found


def _phases(entry: Entry) -> list[tuple[str, int, int]]:
    """The phases of a first call with their begin and length. Rewriting, reported when tracing has ended, comes
    before it."""
    ends = {phase: end for phase, end in entry.ends.items() if phase != COMPILE}
    if "rewrite" in ends and "trace" in ends:
        ends["rewrite"] = ends["trace"] - entry.phases["trace"]
    return in_a_row(sorted((end, entry.phases[phase], phase) for phase, end in ends.items()))


def in_a_row(spans: Sequence[tuple[int, int, str]]) -> list[tuple[str, int, int]]:
    """Names with begin and length, of spans with their ends and lengths in order.

    The end of a span is when its event was emitted, a little after the true end: the next may seem to begin before.
    Slices of one track that overlap are none that a viewer can draw.
    """
    found: list[tuple[str, int, int]] = []
    free = 0
    for end, length, name in spans:
        begin = max(free, end - length)
        free = begin + length
        found.append((name, begin, length))
    return found


def _kind(phase: str) -> str:
    """A trace has all phases, of which one is tracing."""
    return "tracing" if phase == "trace" else phase


def _track(entry: Entry) -> str:
    """The name that the panel shows, and the number that tells it from others of that name."""
    return f"{entry.function}#{entry.function_id.rpartition('#')[2]}"


def _name(entry: Entry) -> str:
    return f"{entry.function} #{entry.trace}"


def _id(entry: Entry) -> str:
    return f"{entry.function_id}/{entry.trace}"


def _words(span: Span) -> str:
    return " ".join([span.name, span.kind, span.track, *map(str, span.details.values())]).casefold()
