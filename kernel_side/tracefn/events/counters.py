"""Call counters, one for each signature: the hot path adds to plain attributes, and readers turn them into `Calls`."""

from __future__ import annotations

import itertools
import weakref
from typing import Any

from tracefn.events.lock import LOCK
from tracefn.events.types import Calls

SAMPLE_EVERY, SAMPLE = 64, 4
"""One call in `SAMPLE_EVERY` is timed, first the one with number `SAMPLE`."""


class CallCounter:
    """How often a signature was called: `count` calls; `timed` of them were timed and took `timed_ns` ns in all.

    `counted` are the calls that Python counted; machine code counts in `native`, an array of one int64, where it has
    one. Calls that take an item each from the iterator `turn` are counted when the turn begins.
    The next call that Python times is number `due`. `heat.timed(count, ns)`, where there is one, is called for each
    call that was timed, and may give the number of calls until it wants to know of another; `on_doubling()` is called
    for the first, second, fourth, eighth and so on.
    It is known to every `CounterReader` from its creation until its owner drops it.
    """

    __slots__ = (
        "__weakref__", "counted", "due", "function", "heat", "native", "signature", "timed", "timed_ns", "on_doubling",
        "turn",
    )  # fmt: skip

    def __init__(self, function: str, signature: str) -> None:
        self.function = function
        self.signature = signature
        self.counted = 0
        self.due = SAMPLE
        self.native: Any = None
        self.heat: Any = None
        self.on_doubling: Any = None
        self.timed = 0
        self.timed_ns = 0
        self.turn: itertools.repeat[None] = itertools.repeat(None, 0)
        with LOCK:
            _counters.add(self)

    @property
    def count(self) -> int:
        counted = self.counted - self.turn.__length_hint__()
        return counted if self.native is None else counted + int(self.native[0])

    @count.setter
    def count(self, value: int) -> None:
        self.counted += value - self.count

    def begin_turn(self, calls: int) -> None:
        """Makes the next `calls` calls countable by an item that each takes from `turn`, the cheapest counter."""
        self.counted += calls - self.turn.__length_hint__()
        self.turn = itertools.repeat(None, calls)

    def time(self, duration_ns: int) -> None:
        """Takes note of a call that was timed."""
        self.timed_ns += duration_ns
        self.timed += 1
        count = self.count
        wait = None if self.heat is None else self.heat.timed(count, duration_ns)
        self.due = count + min(wait or SAMPLE_EVERY, SAMPLE_EVERY)
        if self.on_doubling is not None and not self.timed & (self.timed - 1):
            self.on_doubling()

    def __repr__(self) -> str:
        return f"CallCounter({self.signature}: {self.count} calls, {self.timed} timed, {self.timed_ns} ns)"


_counters: weakref.WeakSet[CallCounter] = weakref.WeakSet()


def live_counters() -> list[CallCounter]:
    """The counters of all signatures that exist now, in no order."""
    with LOCK:
        return list(_counters)


class CounterReader:
    """Reads the changes of the counters since its last reading; each reader has its own memory.

    With `from_now`, counts from before the reader was made are no changes.
    """

    def __init__(self, from_now: bool = False) -> None:
        self._seen: weakref.WeakKeyDictionary[CallCounter, int] = weakref.WeakKeyDictionary()
        if from_now:
            self.read()

    def read(self) -> list[Calls]:
        """The totals of the signatures that were called since the last read, as events that are not emitted yet."""
        changed = []
        with LOCK:
            for counter in _counters:
                count = counter.count
                if count != self._seen.get(counter, 0):
                    self._seen[counter] = count
                    changed.append(
                        Calls(
                            function=counter.function,
                            signature=counter.signature,
                            count=count,
                            timed=counter.timed,
                            timed_ns=counter.timed_ns,
                        )
                    )
        return sorted(changed, key=_by_signature)


def _by_signature(calls: Calls) -> tuple[str, int, str]:
    signature = calls.signature or ""
    return calls.function or "", len(signature), signature
