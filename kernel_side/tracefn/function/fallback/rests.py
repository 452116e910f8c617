"""The outside state that a failed trace had read: while it is unchanged, the next trace would fail as well."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from ...trace.signature import CallSignature
from ...trace.state.captures import Captures
from ...trace.state.paths import ArrayCapture
from ..guards import Now, broken_check

MAX_AT_ONCE = 16
"""The number of values that one call compares; the next call compares the next ones, so eager calls stay cheap."""


class RestsOn:
    """The outside state of calls of one signature."""

    def __init__(self, signature: CallSignature, captures: Captures | None) -> None:
        self._signature = signature
        self._guards: list[Any] = []
        self._at = 0
        if captures is not None:
            captures.take_unseen()
            arrays = [_ArrayGuard(c) for c in captures.arrays.values()]
            self._guards = [*captures.guards(), *captures.identities.values(), *captures.libraries.values(), *arrays]

    def settle(self, leaves: Any) -> None:
        """Drops the values that the call itself has changed."""
        now = Now(self._signature, leaves)
        self._guards = [guard for guard in self._guards if _holds(guard, now)]

    def holds(self, leaves: Any, thoroughly: bool) -> bool:
        """False if a compared value has changed. Compares all values, `thoroughly`, or some."""
        guards = self._guards
        if not thoroughly and len(guards) > MAX_AT_ONCE:
            guards = guards[self._at : self._at + MAX_AT_ONCE]
            self._at = (self._at + MAX_AT_ONCE) % len(self._guards)
        if not guards:
            return True
        now = Now(self._signature, leaves)
        return all(_holds(guard, now) for guard in guards)


class _ArrayGuard:
    """An array of the same kind; one of Python objects is to be the same array."""

    def __init__(self, capture: ArrayCapture) -> None:
        self.path = capture.path
        self._kind = _kind(capture.array)
        self._array = weakref.ref(capture.array) if capture.array.dtype.kind in "OV" else None

    def holds(self, value: Any) -> bool:
        if self._array is not None:
            return value is self._array()
        return isinstance(value, np.ndarray) and _kind(value) == self._kind


def _kind(array: Any) -> Any:
    return type(array), array.dtype, array.shape


def _holds(guard: Any, now: Now) -> bool:
    if isinstance(guard, _ArrayGuard):
        return guard.holds(now.load(guard.path))
    return broken_check(now, guard) is None
