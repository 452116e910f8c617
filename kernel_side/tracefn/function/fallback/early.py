"""Limits of the time that traces take in one process: of all, where many functions are decorated, and of those that are
likely in vain. These are of functions that were refused before, and of those that other decorated functions call while
these run eagerly. With a whole package decorated each of hundreds of functions makes a few."""

from __future__ import annotations

import math
import sys
import time
import weakref
from collections.abc import Callable
from types import CodeType, FrameType
from typing import NamedTuple

from ...events.units import duration
from ...trace.origin import is_installed, is_of_tracefn
from ...trace.trace_parts.budget import LONGER

PATIENCE_NS, PATIENT_PART = 500_000_000, 10
"""The limit of traces that are likely in vain, in ns of the processor, besides a tenth of all other time that the
process took since the first trace."""

MANY, PATIENCE_WITH_MANY_NS = 64, 1_000_000_000
"""The limit of all traces where more functions of installed packages than `MANY` are decorated, in ns, or all other
time where that is more. It holds for these functions. Those of the user's own code are traced at their first calls,
whatever that takes: their user has chosen them."""

LEAST_NS = 10_000_000
"""A trace may take a few times as long as the mean, which is no less than this, in ns, whatever others took."""

ASKS = 64
"""The clock is read once for this many questions: on some machines that takes as long as a small function."""

_CODES: dict[int, weakref.ref[CodeType]] = {}
"""The code of all functions that were decorated, by its id: code is compared by its content, which takes longer."""

_OF_PACKAGES: set[int] = set()
"""The ids of those that are installed."""


class Limit(NamedTuple):
    """A limit that is exceeded. A call is then to have taken `price_ns`, as long as one of these traces, before it is
    traced. It `is_for_all`, or for traces that are likely in vain."""

    price_ns: int
    reason: str
    is_for_all: bool


class Early:
    """The time that traces of a process took: `spent_ns` is that of those likely in vain, `traced_ns` that of all."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forgets all measured times."""
        self.spent_ns = self.traced_ns = self._likely = self._traces = 0
        self._began = self._looked_up_ns = self._asked = 0
        self._are_much = self._is_much = False

    def made(self, duration_ns: int, is_likely: bool) -> None:
        """Notes a trace, and whether it was likely in vain."""
        if not self._traces:
            self._began = time.process_time_ns() - duration_ns
        self.traced_ns += duration_ns
        self._traces += 1
        if is_likely:
            self.spent_ns += duration_ns
            self._likely += 1
        self._asked = 0

    def looked_up(self, duration_ns: int) -> None:
        """Notes time of the process that is no time of functions."""
        self._looked_up_ns += duration_ns

    def most_ns(self, is_of_package: bool, is_likely: Callable[[], bool]) -> float:
        """The time that one more trace may take before it is given up, in ns: what is left where many functions of
        packages are decorated, and where it is likely in vain, or a few times as long as others."""
        most_ns = math.inf
        if is_of_package and are_many():
            left_ns = max(PATIENCE_WITH_MANY_NS, self._others_ns()) - self.traced_ns
            most_ns = max(left_ns, _a_few_times(self.traced_ns, self._traces))
        if is_likely():
            left_ns = PATIENCE_NS + self._others_ns() // PATIENT_PART - self.spent_ns
            most_ns = min(most_ns, max(left_ns, _a_few_times(self.spent_ns, self._likely)))
        return most_ns

    def _others_ns(self) -> int:
        """The time of the process since the first trace, without traces and what waiting calls cost."""
        return time.process_time_ns() - self._began - self.traced_ns - self._looked_up_ns if self._traces else 0

    def exceeded(self, is_of_package: bool, is_likely: Callable[[], bool]) -> Limit | None:
        """The limit that is exceeded for one more trace of a function, which may be one of an installed package. It is
        asked whether that is likely in vain, where this matters."""
        if self.spent_ns < PATIENCE_NS and self.traced_ns < PATIENCE_WITH_MANY_NS:
            return None
        if self._asked % ASKS == 0:
            others_ns = self._others_ns()
            self._is_much = self.spent_ns >= PATIENCE_NS + others_ns // PATIENT_PART
            self._are_much = are_many() and self.traced_ns >= max(PATIENCE_WITH_MANY_NS, others_ns)
        self._asked += 1
        if self._is_much and is_likely():
            why = f"functions that run eagerly call it, whose traces took {duration(self.spent_ns)}"
            return Limit(self.spent_ns // max(1, self._likely), why, False)
        if self._are_much and is_of_package:
            took = duration(self.traced_ns)
            many = f"{len(_OF_PACKAGES)} functions of packages are decorated"
            why = f"{many}, and {self._traces} traces took {took}, more than all else"
            return Limit(self.traced_ns // self._traces, why, True)
        return None


def _a_few_times(all_ns: int, traces: int) -> int:
    """A few times as long as the mean of these traces."""
    return LONGER * max(all_ns // max(1, traces), LEAST_NS)


EARLY = Early()


def note_code(code: CodeType | None) -> bool:
    """Takes note of the code of a function that was decorated. True where it is of an installed package. tracefn's own
    is around every call."""
    if code is None or is_of_tracefn(code.co_filename):
        return False
    number = id(code)
    _CODES[number] = weakref.ref(code, lambda _: _forget(number))
    if is_of_package := is_installed(code.co_filename):
        _OF_PACKAGES.add(number)
    return is_of_package


def _forget(number: int) -> None:
    _CODES.pop(number, None)
    _OF_PACKAGES.discard(number)


def are_many() -> bool:
    """True where more functions of packages are decorated than a user chooses one by one."""
    return len(_OF_PACKAGES) > MANY


def is_called_by_eager() -> bool:
    """True in a call by the code of a decorated function, or of one that it calls: it runs eagerly, as what is traced
    is a copy of the code."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        known = _CODES.get(id(frame.f_code))
        if known is not None and known() is frame.f_code:
            return True
        frame = frame.f_back
    return False
