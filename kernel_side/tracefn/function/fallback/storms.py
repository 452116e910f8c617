"""Functions of which nearly every call needs a trace of its own, or of which more traces are in use than are kept: a
trace costs as much as hundreds of eager calls."""

from __future__ import annotations

from collections import deque

from ...events import CallCounter
from ...trace.signature import CallSignature, ObjectSpec
from .reasons import Fallback

LAST = 32
"""The number of consecutive traces, each used by at most one call, that make a storm."""

FEW, PATIENCE_NS = 4, 10_000_000_000
"""Fewer of them do where they took this long together, in ns."""

MAX_SEEN = 4096
"""The largest number of keys of waiting calls that are remembered."""


class Storm:
    """Decides which calls wait for another one like them before they are traced. Instances of a class share it."""

    def __init__(self) -> None:
        self.fallback: Fallback | None = None  # as what the waiting calls are reported
        self._last: deque[tuple[CallCounter | None, int]] = deque(maxlen=LAST)
        self._seen: dict[int, tuple[int, list[ObjectSpec]]] = {}  # how often calls have waited, with which objects
        self._evictions = 0

    def traced(self, calls: CallCounter | None, duration_ns: int) -> None:
        """Notes a trace, and of the calls that it serves from now on; None where it failed."""
        self._last.append((calls, duration_ns))

    def evicted(self) -> None:
        """Notes that a trace went, as no more are kept."""
        self._evictions += 1

    @property
    def reason(self) -> str:
        """Why calls wait."""
        if not self._in_vain:
            return (
                f"{self._evictions} traces went as no more are kept; calls are traced when some like them came before"
            )
        why = f"its last {len(self._last)} traces served one call each"
        if len(self._last) < LAST:
            why += f" and took {self._spent_ns / 1e9:.1f} s"
        return f"{why}; calls are traced when one like them came before"

    @property
    def _spent_ns(self) -> int:
        return sum(duration for _, duration in self._last)

    def waits(self, call: CallSignature, is_full: bool) -> bool:
        """True for a call that is not traced, as too few like it came so far: the last traces were made in vain, or
        (`is_full`) one that is kept would go, as many have before. Each `LAST` of these double what is too few."""
        times = int(self._in_vain)
        if is_full and self._evictions >= LAST:
            times = 2 ** (self._evictions // LAST - 1)
        number = hash(call.key())
        came, objects = self._seen.pop(number, (0, []))
        if any(known.target is None for known in objects):
            came = 0  # an object that is gone, in whose place in memory another one is now
        if came >= times:
            return False
        if len(self._seen) >= MAX_SEEN:
            self._seen.clear()
        objects = [leaf for leaf in call.leaves if isinstance(leaf, ObjectSpec) and leaf.released() is leaf]
        self._seen[number] = came + 1, objects
        return True

    @property
    def _in_vain(self) -> bool:
        """True where the last traces served no second call."""
        if any(calls is not None and calls.count > 1 for calls, _ in self._last):
            return False
        return len(self._last) == LAST or (len(self._last) >= FEW and self._spent_ns >= PATIENCE_NS)

    def clear(self) -> None:
        self.fallback = None
        self._last.clear()
        self._seen.clear()
        self._evictions = 0
