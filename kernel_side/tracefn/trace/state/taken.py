"""Elements that failed traces took from iterators: the next trace or call receives them first."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any


class _Pending(threading.local):
    def __init__(self) -> None:
        self.of: dict[int, tuple[Any, list[Any], Any]] = {}


_PENDING = _Pending()


def take(iterator: Any) -> Any:
    """The next element. Raises `StopIteration`."""
    found = _PENDING.of.get(id(iterator))
    if found is None:
        return next(iterator)
    values = found[1]
    value = values.pop(0)
    if not values:
        del _PENDING.of[id(iterator)]
    return value


def put_back(taken: Sequence[tuple[Any, Any]], place_of: Callable[[Any], Any]) -> None:
    """Notes taken elements in order, as pairs of an iterator and an element. `place_of` finds the place of an
    iterator."""
    for iterator, value in reversed(taken):
        _PENDING.of.setdefault(id(iterator), (iterator, [], place_of(iterator)))[1].insert(0, value)


def pending() -> list[tuple[Any, list[Any], Any]]:
    """The iterators, what was put back there, and their places, all of which is forgotten with this."""
    found = list(_PENDING.of.values())
    _PENDING.of.clear()
    return found
