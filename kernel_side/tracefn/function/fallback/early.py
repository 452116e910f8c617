"""Traces that are likely in vain: of functions that were refused before, and of those that other decorated functions
call while these run eagerly. With a whole package decorated each of hundreds of functions makes a few."""

from __future__ import annotations

import sys
import time
import weakref
from types import CodeType, FrameType

from ...trace.origin import is_of_tracefn

PATIENCE_NS, PATIENT_PART = 500_000_000, 10
"""The limit of all such traces of a process, in ns of the processor, besides a tenth of all other time that it took
since the first one."""

ASKS = 64
"""The clock is read once for this many questions: on some machines that takes as long as a small function."""

_CODES: dict[int, weakref.ref[CodeType]] = {}
"""The code of all functions that were decorated, by its id: code is compared by its content, which takes longer."""


class Early:
    """The time that such traces of a process took."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forgets all measured times."""
        self.spent_ns = self._traces = self._began = self._besides_ns = self._asked = 0
        self._was_much = False

    @property
    def price_ns(self) -> int:
        """The time of one such trace, the mean of those so far."""
        return self.spent_ns // max(1, self._traces)

    def made(self, duration_ns: int, is_likely: bool) -> None:
        """Notes a trace, and whether it was one of these."""
        if not self._began:
            self._began = time.process_time_ns() - duration_ns
        if is_likely:
            self.spent_ns += duration_ns
            self._traces += 1
        self.looked_up(duration_ns)
        self._asked = 0

    def looked_up(self, duration_ns: int) -> None:
        """Notes time of the process that is no time of functions."""
        self._besides_ns += duration_ns

    @property
    def is_much(self) -> bool:
        """True if they took too much time: such a call is then to have taken as long as a trace before it gets one."""
        if self.spent_ns < PATIENCE_NS:
            return False
        if self._asked % ASKS == 0:
            others_ns = time.process_time_ns() - self._began - self._besides_ns
            self._was_much = self.spent_ns >= PATIENCE_NS + others_ns // PATIENT_PART
        self._asked += 1
        return self._was_much


EARLY = Early()


def note_code(code: CodeType | None) -> None:
    """Takes note of the code of a function that was decorated. tracefn's own is around every call."""
    if code is not None and not is_of_tracefn(code.co_filename):
        number = id(code)
        _CODES[number] = weakref.ref(code, lambda _: _CODES.pop(number, None))


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
