"""The time of each line of the user's code as plain Python."""

from __future__ import annotations

import functools
import sys
import time
from collections import Counter
from collections.abc import Callable
from statistics import median
from types import FrameType
from typing import Any

from tracefn.ir.place import Source
from tracefn.trace.origin import is_library

CALIBRATED = 400
"""How many lines the cost of following a line is measured on."""

NOWHERE = Source("", 0)
"""No line of the user's."""


class EagerLines:
    """Runs a function and notes the time of each line, less the time of other lines that it calls. Code of
    libraries counts for the line that calls it."""

    def __init__(self) -> None:
        self._followed: dict[str, bool] = {}
        self._spent: Counter[Source] = Counter()
        self._events: Counter[Source] = Counter()
        self._lines: set[Source] = set()
        self._around: list[Source] = []
        self._place = NOWHERE
        self._last = 0

    @functools.cached_property
    def overhead(self) -> float:
        """The overhead of following an event for a line, in ns: the median on lines that do nothing."""
        clock = EagerLines()
        clock.overhead = 0.0
        clock._followed["<empty lines>"] = True
        names: dict[str, Any] = {}
        exec(compile("def empty():\n" + "    a = 1\n" * CALIBRATED, "<empty lines>", "exec"), names)
        clock.run(names["empty"])
        return median(clock.run(names["empty"]).values())

    def run(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> dict[Source, float]:
        """Runs it once. The times of its lines, in ns."""
        before = sys.gettrace()
        for kept in (self._spent, self._events, self._lines, self._around):
            kept.clear()
        self._place = NOWHERE
        sys.settrace(self._called)
        try:
            function(*args, **kwargs)
        finally:
            sys.settrace(before)
        overhead = self.overhead
        return {place: max(0.0, self._spent[place] - self._events[place] * overhead) for place in self._lines}

    def _called(self, frame: FrameType, event: str, value: Any) -> Any:
        self._passed()
        file = frame.f_code.co_filename
        follows = self._followed.get(file)
        if follows is None:
            follows = self._followed[file] = not is_library(file)
        if follows:
            self._around.append(self._place)
            self._place = Source(file, frame.f_lineno)
        self._last = time.perf_counter_ns()
        return self._in_frame if follows else None

    def _in_frame(self, frame: FrameType, event: str, value: Any) -> Any:
        self._passed()
        if event == "line":
            self._place = Source(frame.f_code.co_filename, frame.f_lineno)
            self._lines.add(self._place)
        elif event == "return":
            self._place = self._around.pop()
        self._last = time.perf_counter_ns()
        return self._in_frame

    def _passed(self) -> None:
        """The time since the last event is that of the line that ran since."""
        now = time.perf_counter_ns()
        self._spent[self._place] += now - self._last
        self._events[self._place] += 1
