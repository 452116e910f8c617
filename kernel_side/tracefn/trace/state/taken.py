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
    """Gives taken elements back, in order: pairs of an iterator and an element. Iterators that cannot be set back get
    a note. `place_of` finds the place of an iterator."""
    for iterator, value in reversed(taken):
        if not _set_back(iterator):
            _PENDING.of.setdefault(id(iterator), (iterator, [], place_of(iterator)))[1].insert(0, value)


def can_be_set_back(iterator: Any) -> bool:
    """True for an iterator that knows its position, and has not come to its end."""
    return type(iterator) in _STEPS and type(iterator.__reduce__()[-1]) is int


def _set_back(iterator: Any) -> bool:
    """Sets an iterator back by one value, if that can be done."""
    if not can_be_set_back(iterator):
        return False
    iterator.__setstate__(iterator.__reduce__()[-1] - _STEPS[type(iterator)])
    return True


_FORWARD: tuple[Any, ...] = ([], (), "", "é", b"", range(0))
_STEPS = {**{type(iter(v)): 1 for v in _FORWARD}, type(reversed([])): -1}
"""By how much the position of an iterator of Python's own grows with each value."""


def pending() -> list[tuple[Any, list[Any], Any]]:
    """Pops the iterators, the items that were put back, and the places."""
    found = list(_PENDING.of.values())
    _PENDING.of.clear()
    return found
