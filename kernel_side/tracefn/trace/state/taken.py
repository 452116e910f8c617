"""Elements that failed traces took from iterators without twins: the next trace or call receives them first."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .place import Place


class _Pending(threading.local):
    def __init__(self) -> None:
        self.of: dict[int, tuple[Any, list[Any], Any]] = {}


_PENDING = _Pending()


class Raised(NamedTuple):
    """In the place of an element: an iterator has raised this instead."""

    error: Exception


class Change(NamedTuple):
    """A change that an iterator has made elsewhere when it was advanced."""

    place: Place
    before: Any
    after: Any


class Changed(NamedTuple):
    """An element, and the changes that come with it."""

    element: Any
    changes: tuple[Change, ...]

    def again(self) -> None:
        for place, _, after in self.changes:
            place.store(after)

    def undo(self) -> None:
        for place, before, _ in self.changes:
            place.store(before)


def element(value: Any) -> Any:
    """An element that was taken, with the changes that came with it. Raises the iterator's error."""
    if type(value) is Changed:
        value.again()
        value = value.element
    if type(value) is Raised:
        raise value.error
    return value


def take(iterator: Any) -> Any:
    """The next element. Raises the iterator's error."""
    found = _PENDING.of.get(id(iterator))
    if found is None:
        return next(iterator)
    values = found[1]
    value = values.pop(0)
    if not values:
        del _PENDING.of[id(iterator)]
    return element(value)


def put_back(taken: Sequence[tuple[Any, Any]], place_of: Callable[[Any], Any]) -> None:
    """Gives taken elements back, in order: pairs of an iterator and an element. `place_of` finds the place of an
    iterator."""
    for iterator, value in reversed(taken):
        if type(value) is Changed:
            value.undo()
        _PENDING.of.setdefault(id(iterator), (iterator, [], place_of(iterator)))[1].insert(0, value)


def pending() -> list[tuple[Any, list[Any], Any]]:
    """Pops the iterators, the items that were put back, and the places."""
    found = list(_PENDING.of.values())
    _PENDING.of.clear()
    return found
