"""Events of the user's code that scopes note: rewritten functions that are called, and rounds that are unrolled."""

from __future__ import annotations

import sys
from types import FrameType

from .. import events
from ..ir.place import Scope
from .active import current
from .context import Trace
from .origin import user_frame


class UnrolledRounds:
    """The rounds of a loop that is unrolled, each a scope of its own while it is entered: `for line 3/round#2`."""

    def __init__(self, trace: Trace | None, kind: str) -> None:
        self._scopes = None if trace is None else trace.scopes
        self._budget = None if trace is None or trace is trace.root else trace.root.budget
        self._kind = kind
        self._loop: Scope | None = None
        self._count = 0

    def __enter__(self) -> None:
        scopes = self._scopes
        if scopes is None:
            return
        if self._loop is None:
            frame = user_frame(2)
            self._loop = scopes.inner(f"{self._kind}{_line_in_cell(frame)}")
        else:
            scopes.of(user_frame(2))
        self._count += 1
        if self._budget is not None:
            self._budget.spend_round(self._loop.site)
        name = "round" if self._count == 1 else f"round#{self._count}"
        self._number = scopes.open(Scope.inside(self._loop, name, self._loop.site))

    def __exit__(self, *error: object) -> None:
        if self._scopes is not None:
            self._scopes.close(self._number)


def _line_in_cell(frame: FrameType | None) -> str:
    """The line that a frame is at, as its notebook cell counts lines."""
    return "" if frame is None else f" line {events.locate(frame.f_code.co_filename, frame.f_lineno).line}"


def enter() -> None:
    """The first call of rewritten functions."""
    trace = current()
    if trace is not None:
        trace.scopes.entered(sys._getframe(1))
