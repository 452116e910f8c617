"""The ledger: the events that the kernel keeps, within a memory bound.

Kept are the newest `NEWEST_EVENTS` events, and of older ones those in `PER_SIGNATURE`, at most `OLDER_EVENTS` of them
for each of the `NEWEST_SIGNATURES` signatures that were made last. Of `calls`, which are totals, only the newest of
each signature is kept. A graph is kept, by reference, as long as a `graph.built` event that names it, unless its trace
is dropped.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Any

from tracefn.events.lock import LOCK
from tracefn.events.types import Calls, Event, GraphBuilt
from tracefn.records import dataclass

NEWEST_EVENTS = 20_000
NEWEST_SIGNATURES = 2_000
OLDER_EVENTS = 32
PER_SIGNATURE = frozenset(
    {
        "trace.started",
        "trace.phase",
        "trace.finished",
        "trace.kept",
        "retrace.explained",
        "graph.built",
        "plan.ready",
        "plan.kept",
        "timing.measured",
        "profile.measured",
        "sweep.measured",
        "cache.cleared",
        "trace.evicted",
        "fallback",
    }
)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A copy of the ledger: `events`, oldest first; `last`, the newest `seq`; `dropped`, how many were let go."""

    events: list[Event]
    last: int
    dropped: int


class Ledger:
    """The kept events. Every method may be called from any thread."""

    def __init__(self, newest_events: int = NEWEST_EVENTS, newest_signatures: int = NEWEST_SIGNATURES) -> None:
        self._newest_events = newest_events
        self._newest_signatures = newest_signatures
        self._newest: deque[Event] = deque()
        self._older: dict[str, deque[Event]] = {}
        self._calls: dict[str | None, Event] = {}
        self._dropped = 0
        self._aged = 0

    @property
    def last(self) -> int:
        """The `seq` of the newest event, 0 if there is none."""
        # Read from the events themselves: an interrupt between two steps can then leave neither a hole nor a double.
        with LOCK:
            newest = self._newest[-1].seq if self._newest else 0
            calls = next(reversed(self._calls.values())).seq if self._calls else 0
            return max(newest, calls)

    def append(self, event: Event) -> None:
        """Keep `event`, and drop the oldest beyond the bound."""
        with LOCK:
            if isinstance(event, Calls):
                self._calls.pop(event.signature, None)
                self._calls[event.signature] = event
                if len(self._calls) > self._newest_signatures:
                    del self._calls[next(iter(self._calls))]
                return
            self._newest.append(event)
            if event.type == "trace.started" and event.signature is not None:
                self._open(event.signature)
            while len(self._newest) > self._newest_events:
                self._age(self._newest.popleft())

    def since(self, seq: int, most: int | None = None) -> tuple[list[Event], bool]:
        """The events newer than `seq`, oldest first, and whether these are all, less `calls` that others replaced.

        With `most`, at most that number of them, the oldest, and the `calls` among these.
        """
        with LOCK:
            first = bisect_right(self._newest, seq, key=_by_seq)
            events = list(islice(self._newest, first, None if most is None else first + most))
            end = events[-1].seq if events and first + len(events) < len(self._newest) else None
            calls = []
            for event in reversed(self._calls.values()):
                if event.seq <= seq:
                    break
                if end is None or event.seq < end:
                    calls.append(event)
            complete = self._aged <= seq
        return sorted(events + calls, key=_by_seq), complete

    def snapshot(self) -> Snapshot:
        """All that is kept now."""
        with LOCK:
            events = list(self._all())
            last, dropped = self.last, self._dropped
        return Snapshot(sorted(events, key=_by_seq), last, dropped)

    def graph(self, graph_hash: str) -> Any | None:
        """The graph with this hash, or None if no kept event names it."""
        with LOCK:
            for event in self._all():
                if isinstance(event, GraphBuilt) and event.graph_hash == graph_hash and event.graph is not None:
                    return event.graph
        return None

    def _all(self) -> Iterator[Event]:
        for events in self._older.values():
            yield from events
        yield from self._newest
        yield from self._calls.values()

    def _open(self, key: str) -> deque[Event]:
        """The place for the older events of a signature; made, if need be, at the cost of the oldest signature's."""
        if key not in self._older:
            self._older[key] = deque()
            if len(self._older) > self._newest_signatures:
                self._dropped += len(self._older.pop(next(iter(self._older))))
        return self._older[key]

    def _age(self, event: Event) -> None:
        """An event leaves the newest ones: keep it with its signature, or let it go."""
        self._aged = event.seq
        key = event.signature or event.function
        if event.type not in PER_SIGNATURE or key is None or not (key in self._older or event.signature is None):
            self._dropped += 1
            return
        older = self._open(key)
        older.append(event)
        if len(older) > OLDER_EVENTS:
            older.popleft()
            self._dropped += 1


def _by_seq(event: Event) -> int:
    return event.seq
