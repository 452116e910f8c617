"""The time of the processor that a trace takes itself: without the user's code that runs meanwhile, as in an opaque
step, and without the traces that are made in there."""

from __future__ import annotations

import threading
import time


class _Innermost(threading.local):
    span: OwnTime | None = None


_INNERMOST = _Innermost()


class OwnTime:
    """Around work: `ns` is the time of the processor that it took, without the same of work inside."""

    __slots__ = ("_outer", "_since", "ns")

    def __init__(self) -> None:
        self.ns = 0

    @property
    def so_far_ns(self) -> int:
        """The time until now, asked where no other work is inside."""
        return self.ns + (time.thread_time_ns() - self._since if _INNERMOST.span is self else 0)

    def __enter__(self) -> OwnTime:
        self._outer, self._since = _INNERMOST.span, time.thread_time_ns()
        if self._outer is not None:
            self._outer.ns += self._since - self._outer._since
        _INNERMOST.span = self
        return self

    def __exit__(self, *error: object) -> None:
        now, outer = time.thread_time_ns(), self._outer
        self.ns += now - self._since
        _INNERMOST.span, self._outer = outer, None
        if outer is not None:
            outer._since = now
