"""Functions of which nearly every call needs a trace of its own: a trace costs as much as hundreds of eager calls."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable

from ..events import CallCounter
from .fallback import Fallback

LAST = 32
"""The number of consecutive traces, each used by at most one call, that make a storm."""

MAX_SEEN = 4096
"""The largest number of keys of waiting calls that are remembered."""


class Storm:
    """Decides which calls wait for another one like them before they are traced. Instances of a class share it."""

    def __init__(self) -> None:
        self.fallback: Fallback | None = None  # as what the waiting calls are reported
        self._last: deque[CallCounter | None] = deque(maxlen=LAST)
        self._seen: dict[int, None] = {}

    def traced(self, calls: CallCounter | None) -> None:
        """Told of a trace, and of the calls that it serves from now on; None where it failed."""
        self._last.append(calls)

    def waits(self, key: Hashable) -> bool:
        """True for a call that is not traced: the last traces were made in vain, and no call had this key so far."""
        if len(self._last) < LAST or any(calls is not None and calls.count > 1 for calls in self._last):
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
