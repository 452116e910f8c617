"""A function's record of each of its traces, also once it is dropped: the call, the reason, the cost."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...events import Cause, Event, GraphBuilt, Location
from ...records import dataclass
from ...runtime.calls.target import takes
from ...trace.signature import CallSignature, SignatureTable, differences
from ..concrete import ConcreteFunction
from ..execution import Execution
from ..guards import Now
from .extensions import hooks

MAX_RECORDS = 1024
"""Traces that are remembered. Of more, the oldest that are no longer kept are forgotten."""


@dataclass(slots=True, eq=False)
class TraceRecord:
    """One trace. `call` is the signature of the call that needed it, `signature` its own: wider, where
    lengths were left open. `location` is the line of the call.

    `guards` has, by the numbers of earlier traces, the causes beside the arguments that kept the call from using them.
    `state` is 'kept', 'evicted', 'removed', 'cleared' or 'creating' (it made variables, and no other call can use it);
    where it is not 'kept', `gone` says so in words and `gone_after` is the number of the last trace before that.
    Traces of one `surrounding` were made while all outside that they depend on was alike, those of one
    `surrounding_but_numbers` while it was but for Python numbers: `numbers` has those that the trace read, by path.
    `example` has references to the leaves of the call (`examples`). `fingerprints` tell graphs apart
    (`explain.canonical`); they outlive the graph, and by `marks` `History.marked` finds traces. `built` is the event
    that has the graph.
    """

    number: int
    call: CallSignature
    signature: CallSignature
    location: Location | None
    guards: dict[int, tuple[Cause, ...]]
    concrete: ConcreteFunction | None = None
    phases: dict[str, int] = dataclasses.field(default_factory=dict)
    state: str = "kept"
    gone: str = ""
    gone_after: int = 0
    surrounding: int = 0
    surrounding_but_numbers: int = 0
    numbers: dict[str, int | float] = dataclasses.field(default_factory=dict)
    example: tuple[Any, ...] = ()
    fingerprints: Any = None
    marks: tuple[Any, ...] = ()
    built: Event | None = None
    _calls: int = 0

    @property
    def calls(self) -> int:
        """How often the trace was called."""
        return self._calls if self.concrete is None else self.concrete.calls.count

    @property
    def cost_ns(self) -> int:
        """The cost of the trace, its first run included, in ns."""
        return sum(self.phases.values())

    def let_go(self, state: str, text: str, after: int) -> None:
        """Lets the trace itself go, and its graph, when trace number `after` was the last."""
        self._calls = self.calls
        if self.fingerprints is None and self.concrete is not None:
            self.fingerprints = hooks().fingerprints(self.concrete)
        self.concrete = None
        if isinstance(self.built, GraphBuilt) and state != "creating":  # this event alone shows that trace
            self.built.release()
        self.call, self.signature = self.call.released(), self.signature.released()
        self.state, self.gone, self.gone_after = state, text, after

    def was_kept(self, number: int) -> bool:
        """True if it could still be used when trace `number` was made."""
        return self.state == "kept" or number <= self.gone_after


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a call differs from an earlier trace: every differing leaf and dimension, and other obstacles."""

    earlier: TraceRecord
    causes: tuple[Cause, ...]
    structural: bool

    @property
    def rank(self) -> tuple[Any, ...]:
        """Sorts the nearest first: in the fewest leaves, then in the fewest respects, then the most recent.

        A trace that is gone comes after all that are there, unless it would have fitted.
        """
        leaves = {c.path for c in self.causes if c.kind not in GONE}
        gone = bool(leaves) and any(c.kind in GONE for c in self.causes)
        return (gone, self.structural, len(leaves), len(self.causes), -self.earlier.number)

    @property
    def text(self) -> str:
        return "; ".join(c.text for c in self.causes)


GONE = ("evicted", "removed", "cleared", "creating")
"""The kinds of causes that say that a trace is no longer there."""


def compare(earlier: TraceRecord, call: CallSignature, guards: tuple[Cause, ...], number: int) -> Comparison:
    """The comparison of the call that made trace `number` with an earlier trace. `guards` did not hold then."""
    causes = [*differences(earlier.signature, call), *guards]
    if not earlier.was_kept(number):
        causes.append(Cause("", earlier.state, f"#{earlier.number}", "", earlier.gone))
    return Comparison(earlier, tuple(causes), earlier.signature.trees != call.trees)


class History:
    """The records of all traces, oldest first.

    `made` counts the traces, and `last` is the highest number of one that was made or is under way. `storms` and
    `warned` are for `explain.storm`, to warn but once, `tried` is for `explain.trial`.
    """

    def __init__(self) -> None:
        self.records: list[TraceRecord] = []
        self.made = self.last = 0
        self.tried: dict[Any, Any] = {}
        self.storms: dict[Any, list[int]] = {}
        self.warned: set[Any] = set()
        self._partial: GraphBuilt | None = None
        self._kept: dict[int, TraceRecord] = {}
        #: The programs of the traces that are there, by number, in groups that one look outside tells of.
        self._groups: dict[Any, dict[int, Execution]] = {}
        self._table = SignatureTable()
        self._gone: dict[Any, TraceRecord] = {}
        self._gone_open: list[TraceRecord] = []
        self._marked: dict[Any, dict[int, TraceRecord]] = {}
        self._of_types: dict[Any, int] = {}

    def begin(self) -> int:
        """The number of a trace that begins. Others may be under way: libraries call functions back."""
        self.last += 1
        return self.last

    def give_up(self, number: int) -> None:
        """Frees the number of a trace that failed, if none has begun since."""
        if number == self.last:
            self.last -= 1

    def keep_partial(self, built: Event | None) -> None:
        """Notes the event that has the graph of a trace that failed, and lets go the one before: each trace that
        follows takes its place."""
        if self._partial is not None:
            self._partial.release()
        self._partial = built if isinstance(built, GraphBuilt) else None

    def add(self, record: TraceRecord) -> None:
        """Takes up a trace that was just made."""
        self.records.append(record)
        self._kept[record.number] = record
        if record.concrete is not None:
            execution = record.concrete._execution
            self._groups.setdefault(execution.depends_on, {})[record.number] = execution
        self._table.add(record.number, record.signature)
        types = _types(record)
        self._of_types[types] = self._of_types.get(types, 0) + 1
        if len(self.records) > max(MAX_RECORDS, len(self._kept)):
            oldest = next((r for r in self.records if r.state != "kept"), None)
            if oldest is not None:
                self._forget(oldest)

    def _forget(self, record: TraceRecord) -> None:
        self.records.remove(record)
        key = record.signature.key()
        if self._gone.get(key) is record:
            del self._gone[key]
        self._gone_open = [r for r in self._gone_open if r is not record]

    def drop(self, record: TraceRecord, state: str, text: str) -> None:
        """Lets a trace go. `text` says in words why it is no longer there."""
        del self._kept[record.number]
        for group in self._groups.values():
            group.pop(record.number, None)
        self._groups = {key: group for key, group in self._groups.items() if group}
        types = _types(record)
        self._of_types[types] -= 1
        if not self._of_types[types]:
            del self._of_types[types]
        self._table.remove(record.number, record.signature)
        for mark in record.marks:
            del self._marked[mark][record.number]
            if not self._marked[mark]:
                del self._marked[mark]
        record.let_go(state, text, self.last)
        if record.signature.is_exact:
            self._gone[record.signature.key()] = record
        else:
            self._gone_open.append(record)

    def mark(self, record: TraceRecord, marks: tuple[Any, ...]) -> None:
        """Makes a trace known as one of those that have these marks, as long as it is kept."""
        record.marks = marks
        for mark in marks:
            self._marked.setdefault(mark, {})[record.number] = record

    def unmarked(self) -> list[TraceRecord]:
        """The traces without marks that are kept."""
        return [r for r in self._kept.values() if not r.marks]

    def is_only_one_of_its_types(self, record: TraceRecord) -> bool:
        """True if no other trace that is kept was made for arrays of the same types."""
        return self._of_types.get(_types(record)) == 1

    def marked(self, mark: Any) -> list[TraceRecord]:
        """The traces with this mark that are kept."""
        return list(self._marked.get(mark, {}).values())

    def compared(self, record: TraceRecord) -> list[Comparison]:
        """The call that made a trace against every earlier one, the nearest first."""
        found = [_compared(record, r) for r in self.records if r.number < record.number]
        return sorted(found, key=lambda c: c.rank)

    def nearest(self, record: TraceRecord) -> TraceRecord | None:
        """The trace that `compared` puts first for a call that is about to be traced, in less time."""
        found = [r for r in self._gone_open if r.signature.accepts(record.call)]
        found += [r for r in (self._gone.get(record.call.key()),) if r is not None]
        kept = self.nearest_kept(record)
        found += [kept] if kept is not None else []
        if len(found) == 1:
            return found[0]
        return min(found or self.records, key=lambda r: _compared(record, r).rank, default=None)

    def nearest_kept(self, record: TraceRecord, among: Sequence[TraceRecord] | None = None) -> TraceRecord | None:
        """The nearest of the traces that are there, or of some of them. None where there is none."""
        if among is not None and not among:
            return None
        kept = self._kept if among is None else {r.number: r for r in among}
        if len(kept) == 1:
            return next(iter(kept.values()))
        traces, leaves, causes = self._table.counts(record.call)
        if among is not None:
            asked = np.isin(traces, list(kept))
            traces, leaves, causes = traces[asked], leaves[asked], causes[asked]
        if not len(traces):
            return _nearest_structure(record, list(kept.values()))
        positions = {n: i for i, n in enumerate(traces.tolist())} if record.guards else {}
        for number, guards in record.guards.items():
            if (position := positions.get(number)) is not None:
                paths = {cause.path for cause in guards}
                if leaves[position] and not paths.isdisjoint(record.call.paths):
                    *_, leaves[position], causes[position], _ = _compared(record, kept[number]).rank
                else:
                    leaves[position] += len(paths)
                    causes[position] += len(guards)
        first = np.lexsort((-traces, causes, leaves))[0]
        return kept[int(traces[first])]

    def note_outside(self, record: TraceRecord, concrete: ConcreteFunction) -> None:
        """Notes the state outside the arguments of a trace: the captured numbers, and numbers for all of it: those of
        the newest trace whose guards hold, or new ones."""
        record.numbers = concrete._execution.captured_numbers()
        alike = next((r for r in reversed(self._kept.values()) if r.number not in record.guards), None)
        nearly = next((r for r in reversed(self._kept.values()) if _differs_in_numbers(record, r)), None)
        if alike is None or nearly is None:
            new = 1 + max((r.surrounding for r in self.records), default=-1)
        record.surrounding = new if alike is None else alike.surrounding
        record.surrounding_but_numbers = new if nearly is None else nearly.surrounding_but_numbers

    def guards(self, call: CallSignature, now: Now) -> dict[int, tuple[Cause, ...]]:
        """The causes beside the arguments that keep a call from using each trace that is there, by the numbers of the
        traces."""
        guarded: dict[int, Execution] = {}
        for group in self._groups.values():
            one = next(iter(group.values()))
            if one.has_guards or now.broken(one.target.libraries):
                guarded |= group
        if not guarded:
            return {}
        traces, leaves, _ = self._table.counts(call)
        fitting = set(traces[leaves == 0].tolist())
        found = {}
        for number, execution in sorted(guarded.items()):
            broken = execution.broken_guards(now) if number in fitting else execution.broken_outside(now)
            if causes := tuple([b.cause for b in broken if not b.is_of_gone]):
                found[number] = causes
        return found


def _types(record: TraceRecord) -> Any:
    """The types of the arrays that a trace which is there is given."""
    return tuple([leaf for leaf in record.signature.leaves if takes(leaf)])


def _differs_in_numbers(record: TraceRecord, earlier: TraceRecord) -> bool:
    """True if nothing else outside the arguments has changed but captured numbers, which kept their types."""
    pairs = [(record.numbers.get(c.path), earlier.numbers.get(c.path)) for c in record.guards.get(earlier.number, ())]
    return all(now is not None and type(now) is type(was) for now, was in pairs)


def _compared(record: TraceRecord, earlier: TraceRecord) -> Comparison:
    return compare(earlier, record.call, record.guards.get(earlier.number, ()), record.number)


def _nearest_structure(record: TraceRecord, others: Sequence[TraceRecord]) -> TraceRecord | None:
    """The nearest of traces whose structure is not that of the call. Each argument of another structure is a cause."""
    best: Comparison | None = None
    for earlier in reversed(others):
        if best is not None:
            least = sum(a != b for a, b in zip(earlier.signature.trees, record.call.trees, strict=True))
            if (least, least) >= best.rank[2:4]:
                continue
        comparison = _compared(record, earlier)
        if best is None or comparison.rank < best.rank:
            best = comparison
            if best.rank[2:4] == (1, 1):
                break
    return None if best is None else best.earlier
