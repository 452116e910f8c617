"""What a function remembers of each of its traces, also once it is dropped: the call, the reason, the cost."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..events import Cause, Event, GraphBuilt, Location
from ..trace.signature import CallSignature, counts, differences, distance
from .added import added
from .concrete import ConcreteFunction

MAX_RECORDS = 1024
"""Traces that are remembered. Of more, the oldest that are no longer kept are forgotten."""


@dataclasses.dataclass(slots=True, eq=False)
class TraceRecord:
    """One trace. `call` is the signature of the call that needed it, `signature` what it was made for: wider, where
    lengths were left open. `location` is the line of the call.

    `guards` has, by the numbers of earlier traces, what beside the arguments kept the call from using them.
    `state` is 'kept', 'evicted', 'removed', 'cleared' or 'creating' (it made variables, and no other call can use it);
    where it is not 'kept', `gone` says so in words and `gone_after` is the number of the last trace before that.
    Traces of one `surrounding` were made while all outside that they depend on was alike.
    `fingerprints` tell graphs apart (`explain.canonical`); they outlive the graph. `built` is the event that has it.
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
    fingerprints: Any = None
    built: Event | None = None
    _calls: int = 0

    @property
    def calls(self) -> int:
        """How often the trace was called."""
        return self._calls if self.concrete is None else self.concrete.calls.count

    @property
    def cost_ns(self) -> int:
        """What the trace cost, its first run included, in ns."""
        return sum(self.phases.values())

    def let_go(self, state: str, text: str, after: int) -> None:
        """Lets the trace itself go, and its graph, when trace number `after` was the last."""
        self._calls = self.calls
        if self.fingerprints is None and self.concrete is not None:
            self.fingerprints = added("fingerprints")(self.concrete)
        self.concrete = None
        if isinstance(self.built, GraphBuilt) and state != "creating":  # nobody else shows that trace
            self.built.release()
        self.call, self.signature = self.call.released(), self.signature.released()
        self.state, self.gone, self.gone_after = state, text, after

    def was_kept(self, number: int) -> bool:
        """True if it could still be used when trace `number` was made."""
        return self.state == "kept" or number <= self.gone_after


@dataclasses.dataclass(frozen=True, slots=True)
class Comparison:
    """How a call differs from an earlier trace: every differing leaf and dimension, and what else was in the way."""

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

    `made` counts the traces. `storms` and `warned` are for `explain.storm`, to warn but once,
    `tried` is for `explain.trial`.
    """

    def __init__(self) -> None:
        self.records: list[TraceRecord] = []
        self.made = 0
        self.tried: dict[Any, str | None] = {}
        self._gone: dict[Any, TraceRecord] = {}
        self.storms: dict[Any, list[int]] = {}
        self.warned: set[Any] = set()

    def add(self, record: TraceRecord) -> None:
        self.records.append(record)
        if len(self.records) > MAX_RECORDS:
            oldest = next((r for r in self.records if r.state != "kept"), None)
            if oldest is not None:
                self.records.remove(oldest)
                if self._gone.get(oldest.call.key()) is oldest:
                    del self._gone[oldest.call.key()]

    def compared(self, record: TraceRecord) -> list[Comparison]:
        """The call that made a trace against every earlier one, the nearest first."""
        earlier = [r for r in self.records if r.number < record.number]
        found = [compare(r, record.call, record.guards.get(r.number, ()), record.number) for r in earlier]
        return sorted(found, key=lambda c: c.rank)

    def ranked(self, record: TraceRecord) -> list[TraceRecord]:
        """The earlier traces as `compared` sorts them, in less time.

        Those that are gone and would not have fitted come last, and are left out unless there are no others.
        """
        near = [r for r in self.records if r.concrete is not None]
        gone = self._gone.get(record.call.key())
        near += [gone] if gone is not None else []
        return sorted(near or self.records, key=lambda r: self._rank(record, r))

    def _rank(self, record: TraceRecord, earlier: TraceRecord) -> tuple[Any, ...]:
        """The rank of a comparison that is not made."""
        guards = record.guards.get(earlier.number, ())
        if guards or earlier.concrete is None or earlier.signature.trees != record.call.trees:
            return compare(earlier, record.call, guards, record.number).rank
        return (False, False, *counts(earlier.signature, record.call), -earlier.number)

    def drop(self, record: TraceRecord, state: str, text: str) -> None:
        """Lets a trace go. `text` says in words why it is no longer there."""
        record.let_go(state, text, self.made)
        self._gone[record.call.key()] = record

    def surrounding(self, record: TraceRecord) -> int:
        """A number for what is outside the arguments: that of the newest trace whose guards hold, or a new one."""
        known = (
            r.surrounding for r in reversed(self.records) if r.concrete is not None and r.number not in record.guards
        )
        return next(known, 1 + max((r.surrounding for r in self.records), default=-1))

    def guards(self, call: CallSignature, values: list[Any]) -> dict[int, tuple[Cause, ...]]:
        """What beside the arguments keeps a call from using each trace that is there, by the numbers of the traces."""
        by_path = dict(zip(call.paths, values, strict=True))
        found = {}
        for record in self.records:
            if record.concrete is not None and record.concrete.has_guards:
                fits = distance(record.signature, call) == 0
                causes = record.concrete.broken_guards(values) if fits else record.concrete.broken_outside(by_path)
                if causes:
                    found[record.number] = tuple(causes)
        return found
