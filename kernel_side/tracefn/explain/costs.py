"""`tracefn.ledger()`: the cost of every trace of the session, by function, signature, cause and place."""

from __future__ import annotations

import dataclasses
import json
import os
import time
from collections.abc import Iterable, Sequence
from typing import Any

from ..events import (
    BUS,
    CELLS,
    CacheCleared,
    CellRun,
    Event,
    Fallback,
    GraphBuilt,
    Location,
    PlanKept,
    PlanReady,
    RetraceExplained,
    TimingMeasured,
    TraceEvicted,
    TraceFinished,
    TracePhase,
    TraceStarted,
    live_counters,
)
from ..events.types import Calls
from ..events.units import count, duration, shortened
from ..records import dataclass
from ..tables import as_html, as_text
from .timeline import Timeline, timeline_of
from .words import place

PHASES = ("bind", "taken_over", "rewrite", "trace", "passes", "program", "first_run", "compile")
SHOWN = 40
"""Rows that are shown as text; the exports have all."""


@dataclass(slots=True)
class Entry:
    """One trace. Times are in ns, `memory` (of graph, program and machine `code`, about) in bytes. `site` is the line
    of the call. The phase `compile` makes native code, in the background unless a function is `jit='now'`.

    `cause` is the reason of a retrace, '' for a first trace; `kinds` are the kinds of its causes. `paid_off` is the
    number of calls after which it had paid for itself, where `tracefn.timing.compare` has measured that. `state` is
    'kept', 'dropped', 'failed', or 'eager' where the calls run the Python function, for the reason `cause`: `eager_ns`
    is their time, as far as some of them tell. `kinds` is then 'eager'.
    """

    function: str
    function_id: str
    trace: int
    signature: str
    cause: str = ""
    kinds: tuple[str, ...] = ()
    verdict: str = ""
    site: str = ""
    location: Location | None = None
    start_ns: int = 0
    phases: dict[str, int] = dataclasses.field(default_factory=dict)
    ends: dict[str, int] = dataclasses.field(default_factory=dict)
    memory: int = 0
    code: int = 0
    calls: int = 0
    paid_off: int | None = None
    state: str = "kept"
    eager_ns: int = 0

    @property
    def total_ns(self) -> int:
        return sum(self.phases.values())

    def to_dict(self) -> dict[str, Any]:
        """The row of exports."""
        return {
            "function": self.function,
            "trace": self.trace,
            "signature": self.signature,
            "cause": self.cause,
            "kinds": " ".join(self.kinds),
            "verdict": self.verdict,
            "site": self.site,
            **{f"{name}_ns": self.phases.get(name, 0) for name in PHASES},
            "total_ns": self.total_ns,
            "memory": self.memory,
            "calls": self.calls,
            "paid_off": self.paid_off,
            "state": self.state,
            "eager_ns": self.eager_ns,
        }


@dataclass(frozen=True, slots=True)
class Costs:
    """A table with a row for each trace, oldest first, that shows itself as text and as HTML. `cells` are the notebook
    cells that ran, for the timeline of all functions."""

    entries: tuple[Entry, ...]
    cells: tuple[CellRun, ...] = ()

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def total_ns(self) -> int:
        """The cost of all traces, in ns."""
        return sum(e.total_ns for e in self.entries)

    def totals(self, by: str) -> list[tuple[str, int, int, int]]:
        """(name, traces, cost in ns, memory in bytes), the most costly first. `by` is 'function', 'signature', 'cause'
        (the kinds of causes) or 'site'."""
        if by not in ("function", "signature", "cause", "site"):
            raise ValueError(f"totals can be by 'function', 'signature', 'cause' or 'site', not {by!r}")
        found: dict[str, list[Entry]] = {}
        for entry in self.entries:
            name = " ".join(entry.kinds) or "first trace" if by == "cause" else getattr(entry, by)
            found.setdefault(name, []).append(entry)
        rows = [(n, len(es), sum(e.total_ns for e in es), sum(e.memory for e in es)) for n, es in found.items()]
        return sorted(rows, key=lambda row: -row[2])

    def rows(self) -> list[dict[str, Any]]:
        """The rows as data for JSON."""
        return [entry.to_dict() for entry in self.entries]

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame. Raises ImportError where pandas is not installed."""
        import pandas

        return pandas.DataFrame(self.rows())

    def to_chrome_trace(self) -> dict[str, Any]:
        """The timeline in the JSON format of Chrome's tracing, which https://ui.perfetto.dev opens."""
        return self.timeline().to_chrome_trace()

    def timeline(self) -> Timeline:
        """When all of this happened: cells, where they are known, traces with their phases, and native code."""
        return timeline_of(self.entries, self.cells, time.perf_counter_ns())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file: `.json` for Chrome and Perfetto, `.jsonl` with a line for each trace, or `.csv`.

        Raises ValueError for another ending.
        """
        from pathlib import Path

        path = Path(path)
        if path.suffix == ".json":
            text = json.dumps(self.to_chrome_trace())
        elif path.suffix == ".jsonl":
            text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in self.rows())
        elif path.suffix == ".csv":
            text = _csv(self.rows())
        else:
            raise ValueError(f"a ledger is saved as .json (Chrome, Perfetto), .jsonl or .csv, not {path.suffix!r}")
        path.write_text(text, encoding="utf-8")

    def __str__(self) -> str:
        return "\n".join([self._title, *as_text(self._table())])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from html import escape

        table = as_html(self._table(), "nowrap")
        return f'<div class="tracefn-output-ledger"><div>{escape(self._title)}</div>{table}</div>'

    @property
    def _title(self) -> str:
        memory = sum(e.memory for e in self.entries if e.state == "kept")
        eager = [e for e in self.entries if e.state == "eager"]
        text = f"{count(len(self) - len(eager), 'trace')}, {duration(self.total_ns)}, {memory / 1e6:.3g} MB kept"
        if not eager:
            return text
        ran = count(sum(e.calls for e in eager), "call")
        return f"{text}; {ran} ran eagerly, {duration(sum(e.eager_ns for e in eager))}"

    def _table(self) -> list[tuple[str, ...]]:
        shown = [p for p in PHASES if p != "taken_over" or any(p in e.phases for e in self.entries)]
        head = ("function", "trace", "signature", "cause", "site", *[p.replace("_", " ") for p in shown])
        found: list[tuple[str, ...]] = [(*head, "total", "memory", "calls", "paid off after")]
        for e in self.entries[-SHOWN:]:
            phases = [duration(e.phases[name]) if name in e.phases else "" for name in shown]
            paid = "" if e.paid_off is None else count(e.paid_off, "call")
            reason = e.cause if e.state == "kept" else f"{e.cause} ({e.state})".strip()
            if e.state == "eager":
                reason = f"eager ({duration(e.eager_ns)}): {e.cause}"
            words = (shortened(e.signature, 60), shortened(reason, 60), e.site)
            sizes = (duration(e.total_ns), f"{e.memory / 1e3:.3g} kB", str(e.calls))
            number = f"#{e.trace}" if e.trace else ""
            found.append((e.function, number, *words, *phases, *sizes, paid))
        return found


def ledger(function: Any = None) -> Costs:
    """The cost of every trace of this process, or of those of one function: a `tracefn.explain.Costs`.

    As long as the events of a trace are kept (docs/protocol.md says how long), also of functions that are gone.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: x + 1)
    >>> _ = f(np.ones(2)), f(np.ones(3))
    >>> costs = tracefn.ledger(f)
    >>> len(costs), costs.entries[1].cause, costs.entries[1].calls
    (2, 'x: shape (2,) → (3,) at dimension 0', 1)
    >>> [(cause, traces) for cause, traces, _, _ in sorted(costs.totals("cause"))]
    [('dimension', 1), ('first trace', 1)]
    """
    wanted = None if function is None else function.function_id
    events = [e for e in BUS.ledger.snapshot().events if wanted is None or e.function == wanted]
    return Costs(tuple(_entries(events)), tuple(CELLS.runs) if function is None else ())


def _entries(events: Iterable[Event]) -> Sequence[Entry]:
    """The events put together; a trace that failed leaves its id to the next one."""
    found: list[Entry] = []
    by_id: dict[str | None, Entry] = {}
    for event in events:
        if isinstance(event, TraceStarted):
            site = place(event.location).removeprefix(" in ")
            function = event.function or ""
            entry = Entry(event.function_name, function, event.trace, event.signature_text, site=site)
            entry.location, entry.start_ns = event.location, event.time_ns
            by_id[event.signature] = entry
            found.append(entry)
        elif isinstance(event, CacheCleared):
            for entry in found:
                if entry.function_id == event.function and entry.state == "kept":
                    entry.state = "dropped"
        elif isinstance(event, Fallback):
            by_id[event.signature] = _eager(event, by_id.pop(event.attempt, None), found)
        elif event.signature in by_id:
            _take(by_id[event.signature], event)
    counters = {counter.signature: counter for counter in live_counters()}
    for signature, entry in by_id.items():
        counter = counters.get(signature or "")
        entry.calls = counter.count if counter is not None else entry.calls
        if counter is not None and counter.timed and entry.state == "eager":
            entry.eager_ns = counter.timed_ns * counter.count // counter.timed
    return found


def _eager(event: Fallback, attempt: Entry | None, found: list[Entry]) -> Entry:
    """The entry of calls that run eagerly: that of the trace that failed, or a new one."""
    if attempt is None:
        function = event.function or ""
        attempt = Entry(function.rpartition("#")[0], function, 0, event.signature_text, start_ns=event.time_ns)
        found.append(attempt)
    attempt.state, attempt.cause, attempt.kinds = "eager", f"{event.reason}{place(event.location)}", ("eager",)
    attempt.calls, attempt.eager_ns = int(event.eager_ns > 0), event.eager_ns
    if event.trace_ns:
        spent = event.trace_ns - attempt.total_ns
        attempt.phases["trace"] = max(0, spent)
        attempt.ends["trace"] = event.time_ns - event.eager_ns
    return attempt


def _take(entry: Entry, event: Event) -> None:
    match event:
        case TracePhase():
            entry.phases[event.phase] = event.duration_ns
            entry.ends[event.phase] = event.time_ns
        case TraceFinished():
            entry.state = "kept" if event.ok else "failed"
        case RetraceExplained():
            entry.cause = event.text.partition("; nearest earlier trace")[0]
            entry.kinds = tuple(dict.fromkeys(c.kind for c in event.causes))
        case GraphBuilt():
            entry.memory, entry.verdict = event.memory, event.verdict
        case PlanReady(plan="native") | PlanKept():
            entry.phases["compile"] = event.duration_ns
            entry.ends["compile"] = event.time_ns
            if isinstance(event, PlanReady):  # from disk, and then built by this process
                entry.memory += event.size - entry.code
                entry.code = event.size
        case TraceEvicted():
            entry.state = "dropped"
        case TimingMeasured():
            entry.paid_off = event.break_even
        case Calls():
            entry.calls = event.count


def _csv(rows: Sequence[dict[str, Any]]) -> str:
    import csv
    import io

    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]) if rows else ["function"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
