"""Functions of which nearly every call needs a trace of its own, or of which more traces are in use than are kept: a
trace costs as much as hundreds of eager calls."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

from ...events import CallCounter
from ...trace.signature import CallSignature, ObjectSpec
from .reasons import Fallback

LAST = 32
"""The number of consecutive traces, each used by few calls, that make a storm."""

FEW_CALLS = 3
"""The largest number of calls that are few. As many wait as the traces served, before one like them is traced."""

FEW, PATIENCE_NS = 4, 10_000_000_000
"""Fewer of them do where each served one call, and they took this long together, in ns."""

MAX_SEEN = 4096
"""The largest number of keys of waiting calls that are remembered."""


class Storm:
    """Decides which calls wait for another one like them before they are traced. Instances of a class share it."""

    def __init__(self) -> None:
        self.fallback: Fallback | None = None  # as what the waiting calls are reported
        self._last: deque[tuple[CallCounter | None, int]] = deque(maxlen=LAST)
        self._seen: dict[int, tuple[int, list[ObjectSpec]]] = {}  # how often calls have waited, with which objects
        self._met: dict[int, tuple[Callable[[], Any], int]] = {}  # how often methods of instances were read
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
        if not (few := self._in_vain):
            return (
                f"{self._evictions} traces went as no more are kept; calls are traced when some like them came before"
            )
        why = f"its last {len(self._last)} traces served {'one call' if few == 1 else f'at most {few} calls'} each"
        if len(self._last) < LAST:
            why += f" and took {self._spent_ns / 1e9:.1f} s"
        return f"{why}; calls are traced when {'one' if few == 1 else few} like them came before"

    @property
    def _spent_ns(self) -> int:
        return sum(duration for _, duration in self._last)

    def waits(self, call: CallSignature, is_full: bool) -> bool:
        """True for a call that is not traced, as too few like it came so far: the last traces were made in vain, or
        (`is_full`) one that is kept would go, as many have before. Each `LAST` of these double what is too few."""
        times = self._in_vain
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

    def waits_for(self, instance: Any) -> bool:
        """True for a new instance whose calls will wait, as too few of its methods were read so far."""
        if not (times := self._in_vain):
            return False
        known, met = self._met.pop(id(instance), (None, 0))
        if known is None or known() is not instance:
            met = 0
        if met >= times:
            return False
        if len(self._met) >= MAX_SEEN:
            self._met.clear()
        self._met[id(instance)] = weakref.ref(instance), met + 1
        return True

    @property
    def _in_vain(self) -> int:
        """How many calls like one wait before it is traced: what the last traces served at most; 0 where that is much
        by now."""
        served = max((calls.count for calls, _ in self._last if calls is not None), default=0)
        if len(self._last) < LAST:
            return int(served <= 1 and len(self._last) >= FEW and self._spent_ns >= PATIENCE_NS)
        return 0 if served > FEW_CALLS else max(served, 1)

    def clear(self) -> None:
        self.fallback = None
        self._last.clear()
        self._seen.clear()
        self._met.clear()
        self._evictions = 0
