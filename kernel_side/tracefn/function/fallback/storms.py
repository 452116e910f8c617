"""Functions of which nearly every call needs a trace of its own, or of which more traces are in use than are kept: a
trace costs as much as hundreds of eager calls."""

from __future__ import annotations

import math
import time
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from ...events import CallCounter
from ...events.units import duration
from ...trace.signature import CallSignature, ObjectSpec
from .early import EARLY, Limit, is_called_by_eager
from .pauses import Pause
from .reasons import Fallback

LAST = 32
"""The number of consecutive traces, each used by few calls, that make a storm."""

FEW_CALLS = 3
"""The largest number of calls that are few. As many wait as the traces served, before one like them is traced."""

FEW, PATIENCE_NS, PATIENT_PART = 4, 10_000_000_000, 10
"""Fewer traces of functions of installed packages make a storm where the process has spent this long in vain, in ns,
and a tenth of its time besides."""

PATIENCE_WITHOUT_ARRAYS_NS = 500_000_000
"""As `PATIENCE_NS`, for traces without arrays: one of a function is then enough."""

OWN_PATIENCE: dict[int, tuple[tuple[int, int], ...]] = {
    FEW_CALLS: ((16, 50_000_000), (8, 100_000_000), (4, 200_000_000), (2, 500_000_000)),
    16: ((16, 50_000_000),),
    256: ((16, 50_000_000),),
}
"""By the most calls that each trace served: numbers of consecutive traces that make a storm where one function has
spent this long on them, in ns of the processor. The first is far above that at which a `RetraceWarning` is given.
More than 16 calls are few where all of them together were quicker than the trace."""

OWN_PATIENCE_WITHOUT_ARRAYS: dict[int, tuple[tuple[int, int], ...]] = {
    FEW_CALLS: ((8, 25_000_000), (3, 50_000_000), (1, 100_000_000)),
    16: ((8, 40_000_000), (2, 80_000_000)),
    256: ((16, 50_000_000),),
}
"""The same where no trace of them has arrays: Python runs code of objects and numbers in a hundredth of the time that
its trace takes, or less."""

LONGER_FOR_USERS = 4
"""Functions of the user's own code are given this many times as long: they were chosen one by one."""

READS_OF_AN_INSTANCE = 16
"""How often methods of an instance are read before it has a function of its own, for each call that the last traces
served, where these took too much time."""

FEW_AT_ANY_TIME = 16
"""The largest number of calls that are few however long they take."""

LOOK_UP_NS, LEAF_NS = 60_000, 2_000
"""The cost of a waiting call before it runs, in ns, and of each leaf of its arguments besides: as much as twenty small
functions."""

UNSEEN_NS = 6_000
"""The cost of a waiting call that is not looked at, in ns."""

MAX_LOOK_UPS_NS, CHEAP_PART = 10_000_000, 10
"""Look-ups of waiting calls of one storm, in ns. After that, all calls without a trace run eagerly, if the look-ups
took more than a tenth of the time of the Python function itself."""

SMALL_NS = 20_000
"""A function without arrays that takes less than this time, in ns, keeps no trace where all other calls run eagerly."""

WORTH = "calls are traced when those like them have taken as long as a trace"

MAX_SEEN = 4096
"""The largest number of keys of waiting calls that are remembered."""


class Spent:
    """The time that the traces of a process took, in ns: of all of them, and of those that served few calls, and
    those without arrays among these; native code that was made at once; and the look-ups of calls that waited."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forgets all measured times."""
        self.traced_ns = self.in_vain_ns = self.without_arrays_ns = self.compiled_ns = self.looked_up_ns = 0
        self._start = time.perf_counter_ns()
        EARLY.clear()

    @property
    def besides_ns(self) -> int:
        """All that tracefn did besides running functions."""
        return self.traced_ns + self.compiled_ns + self.looked_up_ns

    def is_much(self, have_arrays: bool) -> bool:
        """True if traces in vain took too much time: functions may then make few of them."""
        part = (time.perf_counter_ns() - self._start) // PATIENT_PART
        if not have_arrays and self.without_arrays_ns >= PATIENCE_WITHOUT_ARRAYS_NS + part:
            return True
        return self.in_vain_ns >= PATIENCE_NS + part


SPENT = Spent()


class _Trace(NamedTuple):
    """A trace that was made, or refused: `calls` is None. `duration_ns` is the time of the processor."""

    calls: CallCounter | None
    duration_ns: int
    has_arrays: bool

    @property
    def served(self) -> int:
        return 0 if self.calls is None else self.calls.count

    def served_few(self, few: int) -> bool:
        """True if it served at most this number of calls, and these are few."""
        calls = self.calls
        if calls is None or calls.count > few:
            return calls is None
        return few <= FEW_AT_ANY_TIME or (
            calls.timed > 0 and calls.timed_ns // calls.timed * calls.count < self.duration_ns
        )


class _Judged(NamedTuple):
    """The last traces that served few calls each. `served` is the most calls that one of them served; 0 where they make
    no storm. `is_dear`: they took too much time, or all traces of the process did, which exceed a `limit`, so a call is
    to be worth the next one."""

    traces: list[_Trace]
    served: int
    is_dear: bool
    limit: Limit | None = None

    @property
    def took_ns(self) -> int:
        return sum(trace.duration_ns for trace in self.traces)

    @property
    def price_ns(self) -> int:
        """The time that calls are to have taken before one is traced."""
        if not self.is_dear:
            return 0
        if self.traces:
            return self.took_ns // len(self.traces)
        return 0 if self.limit is None else self.limit.price_ns


class Storm:
    """Decides which calls wait for another one like them before they are traced. Instances of a class share it."""

    def __init__(self, is_of_package: bool = False) -> None:
        self.is_of_package = is_of_package  # one of an installed package, which the user has not written
        self.fallback: Fallback | None = None  # the waiting calls are reported as this one
        self.needs_traces = False  # eager calls would not do the same: nothing waits
        self._last: deque[_Trace] = deque(maxlen=LAST)
        self._seen: dict[int, _Waiting] = {}
        self._met: dict[int, tuple[Callable[[], Any], int]] = {}  # how often methods of instances were read
        self._evictions = 0
        self.pause = Pause()
        self._is_over()

    def _is_over(self) -> None:
        """Forgets the calls that waited so far."""
        self.waited = self._look_ups_ns = self.ran_ns = 0

    def traced(self, calls: CallCounter | None, duration_ns: int, has_arrays: bool = True) -> None:
        """Notes a trace, and of the calls that it serves from now on; None where it failed. `duration_ns` is the time
        of the processor. `has_arrays` is False where it has none among its values. Native code that is made at once
        does not count: the user has asked for it."""
        SPENT.traced_ns += duration_ns
        EARLY.made(duration_ns, self.is_likely_in_vain())
        if calls is None:
            SPENT.in_vain_ns += duration_ns
        if self._last and not self._last[-1].has_arrays and self._last[-1].served <= FEW_CALLS:
            SPENT.without_arrays_ns += self._last[-1].duration_ns
        if len(self._last) >= FEW:  # the first of these had its time to serve
            before = self._last[-FEW]
            SPENT.in_vain_ns += before.duration_ns if before.calls is not None and before.served <= FEW_CALLS else 0
        self._last.append(_Trace(calls, duration_ns, has_arrays))

    def evicted(self) -> None:
        """Notes that a trace went, as no more are kept."""
        self._evictions += 1

    @property
    def is_hopeless(self) -> bool:
        """True where waiting does not pay: the calls are cheap, and the look-ups of those that waited took long."""
        is_cheap = self.ran_ns < self._look_ups_ns * CHEAP_PART
        return self._look_ups_ns >= MAX_LOOK_UPS_NS and is_cheap and self._judged().is_dear

    @property
    def most_served_in_vain(self) -> float:
        """Traces that served no more calls go where all calls without one run eagerly. To ask a trace whether a call is
        its own costs as much as a small function does."""
        is_small = self.ran_ns < SMALL_NS * self.waited and not any(trace.has_arrays for trace in self._last)
        return math.inf if is_small else FEW_CALLS

    @property
    def waits_for_others(self) -> bool:
        """True where calls wait because of traces of other functions, whose fallbacks have told of that."""
        judged = self._judged()
        return judged.is_dear and not judged.traces

    @property
    def reason(self) -> str:
        """Why calls wait."""
        judged = self._judged()
        few = judged.served
        if judged.limit is not None and not judged.traces:
            return f"{judged.limit.reason}; {WORTH}"
        if not few:
            return (
                f"{self._evictions} traces went as no more are kept; calls are traced when some like them came before"
            )
        served = "one call" if few == 1 else f"at most {few} calls"
        number = len(judged.traces)
        why = f"its last {f'{number} traces' if number > 1 else 'trace'} served {served}{' each' * (number > 1)}"
        if judged.is_dear:
            took = duration(judged.took_ns)
            return f"{why} and took {took}; {WORTH}"
        return f"{why}; calls are traced when {'one' if few == 1 else few} like them came before"

    def waits(self, call: CallSignature, is_full: bool) -> bool:
        """True for a call that is not traced, as too few like it came so far: the last traces were made in vain, or
        (`is_full`) one that is kept would go, as many have before. Each `LAST` of these double that number."""
        judged = self._judged()
        times, price = judged.served, judged.price_ns
        if not times:
            self._is_over()
        if is_full and self._evictions >= LAST:
            times = 2 ** (self._evictions // LAST - 1)
        number = hash(call.key())
        waiting = self._seen.pop(number, None)
        if waiting is None or waiting.is_gone:
            waiting = _Waiting(call)
        waiting.took_ns += self.pause.end()  # calls that were not looked at are taken for calls like this one
        if (judged.is_dear or waiting.came >= times) and waiting.took_ns >= price:
            return False
        if len(self._seen) >= MAX_SEEN:
            self._seen.clear()
        waiting.came += 1
        self._seen[number] = waiting
        if judged.limit is not None:
            self.pause.begin(price - waiting.took_ns, judged.limit.is_for_all)
        return True

    def waits_for(self, instance: Any) -> bool:
        """True for a new instance whose calls will wait, as too few of its methods were read so far."""
        if self.pause.is_on:
            return True
        judged = self._judged()
        times = judged.served * READS_OF_AN_INSTANCE if judged.is_dear else judged.served
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

    def takes_unseen(self) -> bool:
        """True for a call that waits like those before it, and is not looked at."""
        return self.pause.takes() and (self.pause.is_for_all or self.is_likely_in_vain())

    def ran_unseen(self, duration_ns: int) -> None:
        """Notes how long the Python function took for a call that was not looked at."""
        self.waited += 1
        self.ran_ns += duration_ns
        self.pause.took_ns += duration_ns
        self._look_ups_ns += UNSEEN_NS

    def ran(self, call: CallSignature, duration_ns: int, own_ns: int) -> None:
        """Notes how long the Python function took for a call that waits, in ns of the processor, and how long without
        the calls of itself that waited inside."""
        self.waited += 1
        look_up_ns = LOOK_UP_NS + LEAF_NS * len(call.leaves)
        SPENT.looked_up_ns += look_up_ns
        EARLY.looked_up(look_up_ns)
        self.ran_ns += own_ns
        waiting = self._seen.get(hash(call.key()))
        if waiting is not None:
            waiting.took_ns += duration_ns
        if waiting is None or waiting.came <= FEW_AT_ANY_TIME or duration_ns < SMALL_NS:
            self._look_ups_ns += look_up_ns  # others are on their way to a trace

    def _judged(self) -> _Judged:
        """The last traces that served few calls, and whether they are enough to make a storm."""
        last = [*self._last]
        have_arrays = any(trace.has_arrays for trace in last[-FEW:])
        longer = 1 if self.is_of_package else LONGER_FOR_USERS
        for few, patience in (OWN_PATIENCE if have_arrays else OWN_PATIENCE_WITHOUT_ARRAYS).items():
            number = next((i for i, trace in enumerate(reversed(last)) if not trace.served_few(few)), len(last))
            vain = last[len(last) - number :]
            spent = self._look_ups_ns + sum(trace.duration_ns for trace in vain)
            is_dear = any(number >= enough and spent >= ns * longer for enough, ns in patience)
            if few == FEW_CALLS and self.is_of_package and number >= (FEW if have_arrays else 1):
                is_dear = is_dear or SPENT.is_much(have_arrays)
            if is_dear or (few == FEW_CALLS and number >= LAST):
                return _Judged(vain, max([1, *[trace.served for trace in vain]]), is_dear)
        if self._is_worth_it or (limit := EARLY.exceeded(self.is_of_package, self.is_likely_in_vain)) is None:
            return _Judged([], 0, False)
        return _Judged(last, max([1, *[trace.served for trace in last]]), True, limit)

    def is_likely_in_vain(self) -> bool:
        """True for a trace now, by what was refused before and who calls."""
        return self._is_refused or is_called_by_eager()

    @property
    def _is_refused(self) -> bool:
        """True if the last trace was refused."""
        return bool(self._last) and self._last[-1].calls is None

    @property
    def _is_worth_it(self) -> bool:
        """True if the last trace served many calls."""
        return bool(self._last) and self._last[-1].served > FEW_AT_ANY_TIME

    def clear(self) -> None:
        self.fallback, self.needs_traces = None, False
        self._last.clear()
        self._seen.clear()
        self._met.clear()
        self._evictions = 0
        self.pause = Pause()
        self._is_over()


class _Waiting:
    """Calls that are alike and wait: how often they came, and how long the Python function took for them, in ns."""

    def __init__(self, call: CallSignature) -> None:
        self.came = self.took_ns = 0
        self._objects = [leaf for leaf in call.leaves if isinstance(leaf, ObjectSpec) and leaf.released() is leaf]

    @property
    def is_gone(self) -> bool:
        """True if one of the objects is gone: a new object may have its address."""
        return any(known.target is None for known in self._objects)
