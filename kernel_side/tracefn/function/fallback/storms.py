"""Functions of which nearly every call needs a trace of its own, or of which more traces are in use than are kept: a
trace costs as much as hundreds of eager calls."""

from __future__ import annotations

import time
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

from ...events import CallCounter
from ...events.units import count
from ...trace.signature import CallSignature, ObjectSpec
from .reasons import Fallback

LAST = 32
"""The number of consecutive traces, each used by few calls, that make a storm."""

FEW_CALLS = 3
"""The largest number of calls that are few. As many wait as the traces served, before one like them is traced."""

FEW, PATIENCE_NS, PATIENT_PART = 4, 10_000_000_000, 10
"""Fewer traces make a storm where the process has spent this long in vain, in ns, and a tenth of its time besides."""

MAX_WAITS = 1000
"""Calls that wait between two traces. After that, all calls without a trace run eagerly, if the process has spent too
much time in vain: the look-up of a waiting call costs as much as ten small functions."""

MAX_SEEN = 4096
"""The largest number of keys of waiting calls that are remembered."""


class Spent:
    """The time that the traces of a process took, in ns: of all of them, and of those that served few calls."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Begins anew."""
        self.traced_ns = self.in_vain_ns = 0
        self._start = time.perf_counter_ns()

    @property
    def is_much(self) -> bool:
        """True if traces in vain took too much time: functions may then make few of them."""
        since = time.perf_counter_ns() - self._start
        return self.in_vain_ns >= PATIENCE_NS + since // PATIENT_PART


SPENT = Spent()


class Storm:
    """Decides which calls wait for another one like them before they are traced. Instances of a class share it."""

    def __init__(self) -> None:
        self.fallback: Fallback | None = None  # as what the waiting calls are reported
        self._last: deque[tuple[CallCounter | None, int]] = deque(maxlen=LAST)
        self._seen: dict[int, _Waiting] = {}
        self._met: dict[int, tuple[Callable[[], Any], int]] = {}  # how often methods of instances were read
        self._evictions = self._waits = 0

    def traced(self, calls: CallCounter | None, duration_ns: int) -> None:
        """Notes a trace, and of the calls that it serves from now on; None where it failed."""
        SPENT.traced_ns += duration_ns
        self._waits = 0
        if calls is None:
            SPENT.in_vain_ns += duration_ns
        if len(self._last) >= FEW:  # the first of these had its time to serve
            before, took_ns = self._last[-FEW]
            SPENT.in_vain_ns += took_ns if before is not None and before.count <= FEW_CALLS else 0
        self._last.append((calls, duration_ns))

    def evicted(self) -> None:
        """Notes that a trace went, as no more are kept."""
        self._evictions += 1

    @property
    def is_hopeless(self) -> bool:
        """True after `MAX_WAITS` calls have waited in vain: no further call waits."""
        return self._waits >= MAX_WAITS and SPENT.is_much

    @property
    def reason(self) -> str:
        """Why calls wait."""
        judged, few = self._judged()
        if not few:
            return (
                f"{self._evictions} traces went as no more are kept; calls are traced when some like them came before"
            )
        why = f"its last {count(len(judged), 'trace')} served {'one call' if few == 1 else f'at most {few} calls'} each"
        if len(judged) < LAST:
            took = f"{_together(judged) / 1e9:.1f} s"
            return f"{why} and took {took}; calls are traced when those like them have taken as long as a trace"
        return f"{why}; calls are traced when {'one' if few == 1 else few} like them came before"

    def waits(self, call: CallSignature, is_full: bool) -> bool:
        """True for a call that is not traced, as too few like it came so far: the last traces were made in vain, or
        (`is_full`) one that is kept would go, as many have before. Each `LAST` of these double what is too few."""
        judged, times = self._judged()
        price = _together(judged) // len(judged) if times and SPENT.is_much else 0
        if is_full and self._evictions >= LAST:
            times = 2 ** (self._evictions // LAST - 1)
        number = hash(call.key())
        waiting = self._seen.pop(number, None)
        if waiting is None or waiting.is_gone:
            waiting = _Waiting(call)
        if waiting.came >= times and waiting.took_ns >= price:
            return False
        if len(self._seen) >= MAX_SEEN:
            self._seen.clear()
        waiting.came += 1
        self._seen[number] = waiting
        return True

    def waits_for(self, instance: Any) -> bool:
        """True for a new instance whose calls will wait, as too few of its methods were read so far."""
        _, times = self._judged()
        if not times:
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

    def ran(self, call: CallSignature, duration_ns: int) -> None:
        """Notes how long the Python function took for a call that waits."""
        self._waits += 1
        if (waiting := self._seen.get(hash(call.key()))) is not None:
            waiting.took_ns += duration_ns

    def _judged(self) -> tuple[list[tuple[CallCounter | None, int]], int]:
        """The last traces, and the number of calls of one kind that wait before a trace: the most calls that any of
        these traces served. 0 if one served many calls, or if there are too few traces to judge."""
        enough = FEW if SPENT.is_much else LAST
        judged = [*self._last][-enough:]
        served = max((calls.count for calls, _ in judged if calls is not None), default=0)
        return judged, 0 if len(judged) < enough or served > FEW_CALLS else max(served, 1)

    def clear(self) -> None:
        self.fallback = None
        self._last.clear()
        self._seen.clear()
        self._met.clear()
        self._evictions = self._waits = 0


class _Waiting:
    """Calls that are alike and wait: how often they came, and how long the Python function took for them, in ns."""

    def __init__(self, call: CallSignature) -> None:
        self.came = self.took_ns = 0
        self._objects = [leaf for leaf in call.leaves if isinstance(leaf, ObjectSpec) and leaf.released() is leaf]

    @property
    def is_gone(self) -> bool:
        """True if one of the objects is gone: a new object may have its address."""
        return any(known.target is None for known in self._objects)


def _together(traces: list[tuple[CallCounter | None, int]]) -> int:
    return sum(duration for _, duration in traces)
