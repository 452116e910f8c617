"""Modes of the whole process in which cached calls do not take the fast path."""

from __future__ import annotations

from types import TracebackType

from .active import TRACING, Flag


class Mode:
    """A mode that is on or off for all threads. Cached calls test `TRACING` alone, so that they pay nothing for it.

    With `concerns_calls` False, cached calls go on as ever while it is on.
    """

    def __init__(self, name: str, on: bool = False, concerns_calls: bool = True) -> None:
        self._flag = Flag(f"<{name}>")
        self._concerns_calls = concerns_calls
        self.on = on

    def set(self, on: bool) -> Setting:
        """Switches the mode. The result is a context manager that switches it back."""
        before, on = self.on, bool(on)
        if not self._concerns_calls:
            pass
        elif on and not before:
            TRACING.append(self._flag)
        elif before and not on:
            TRACING.remove(self._flag)
        self.on = on
        return Setting(self, before)


class Setting:
    """A mode that has been set; at the end of a `with` block it is as it was before."""

    def __init__(self, mode: Mode, before: bool) -> None:
        self._mode = mode
        self._before = before

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._mode.set(self._before)
