"""Calls that run eagerly and are not looked at: where the traces of a process take too much time, each of hundreds of
functions would look for a trace at each call, which takes as long as tens of small functions."""

from __future__ import annotations

LOOKS = 64
"""One call in this number is looked at, as the traces of the process may be within their limit again."""


class Pause:
    """The calls of a function that are not looked at, until they have taken as long as a trace."""

    __slots__ = ("_calls", "_price_ns", "is_for_all", "took_ns")

    def __init__(self) -> None:
        self._calls = self._price_ns = self.took_ns = 0
        self.is_for_all = False

    @property
    def is_on(self) -> bool:
        return self.took_ns < self._price_ns

    def begin(self, price_ns: int, is_for_all: bool) -> None:
        """From now on calls are not looked at, until they have taken this time of the processor: all, or those whose
        traces are likely in vain."""
        self._calls, self._price_ns, self.took_ns, self.is_for_all = 1, price_ns, 0, is_for_all

    def end(self) -> int:
        """The next call is looked at. The time that those before it took."""
        took_ns, self._price_ns, self.took_ns = self.took_ns, 0, 0
        return took_ns

    def takes(self) -> bool:
        """True for a call that is not looked at."""
        if self.took_ns >= self._price_ns or self._calls >= LOOKS:
            return False
        self._calls += 1
        return True
