"""Functions of which nearly every call needs a trace of its own: a trace costs as much as hundreds of eager calls."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable

from ...events import CallCounter
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
        self._seen: dict[int, None] = {}

    def traced(self, calls: CallCounter | None, duration_ns: int) -> None:
        """Notes a trace, and of the calls that it serves from now on; None where it failed."""
        self._last.append((calls, duration_ns))

    @property
    def reason(self) -> str:
        """Why calls wait."""
        why = f"its last {len(self._last)} traces served one call each"
        if len(self._last) < LAST:
            why += f" and took {self._spent_ns / 1e9:.1f} s"
        return f"{why}; calls are traced when one like them came before"

    @property
    def _spent_ns(self) -> int:
        return sum(duration for _, duration in self._last)

    def waits(self, key: Hashable) -> bool:
        """True for a call that is not traced: the last traces were made in vain, and no call had this key so far."""
        if any(calls is not None and calls.count > 1 for calls, _ in self._last):
            return False
        if len(self._last) < LAST and (len(self._last) < FEW or self._spent_ns < PATIENCE_NS):
            return False
        number = hash(key)
        if number in self._seen:
            return False
        if len(self._seen) >= MAX_SEEN:
            self._seen.clear()
        self._seen[number] = None
        return True

    def clear(self) -> None:
        self.fallback = None
        self._last.clear()
        self._seen.clear()
