"""Puts elements that a failed trace took from iterators back, for the Python function."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from ..errors import UnsupportedFunctionError, message
from ..trace.state.taken import pending
from ..trace.tree import containers, parts


class Replaced:
    """Around the call that follows: iterators among its arguments, and in attributes, begin with what was taken."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._places: list[tuple[Any, str, Any, tuple[_Longer, Any]]] = []
        self.args, self.kwargs = args, kwargs

    def __enter__(self) -> Replaced:
        for iterator, values, place in pending():
            longer = _Longer(values, iterator)
            self.args = tuple([longer if a is iterator else a for a in self.args])
            self.kwargs = {k: longer if a is iterator else a for k, a in self.kwargs.items()}
            places = [*_places_in((self.args, self.kwargs), iterator), *([] if place is None else [place])]
            for owner, kind, key in places:
                _put(owner, kind, key, longer)
                self._places.append((owner, kind, key, (longer, iterator)))
            if not places and not any(a is longer for a in (*self.args, *self.kwargs.values())):
                raise UnsupportedFunctionError(
                    message(
                        "the call was traced in vain, and what it took from an iterator cannot be given back",
                        fix="Pass the iterator as an argument, or what it gives.",
                    )
                )
        return self

    def __exit__(self, *error: object) -> None:
        for owner, kind, key, (longer, iterator) in self._places:
            if (getattr(owner, key, None) if kind == "attr" else owner[key]) is longer:
                _put(owner, kind, key, longer.rest(iterator))


class _Longer(itertools.chain):
    """Some values, and then those of an iterator."""

    _values: Iterator[Any]

    def __new__(cls, values: list[Any], iterator: Any) -> _Longer:
        held = iter(values)
        made = super().__new__(cls, held, iterator)
        made._values = held
        return made

    def rest(self, iterator: Any) -> Any:
        """What is left: the iterator itself, unless the call has not taken all that comes before it."""
        left = list(self._values)
        if left and type(iterator) is itertools.count:
            return itertools.count(left[0], *iterator.__reduce__()[1][1:])
        return itertools.chain(left, iterator) if left else iterator


def _places_in(arguments: Any, iterator: Any) -> list[tuple[Any, str, Any]]:
    """Where in the containers among the arguments an iterator is."""
    found = []
    for _, container in containers(arguments, ()):
        taken_apart = parts(container)
        assert taken_apart is not None
        kind = "attr" if taken_apart.kind == "dataclass" else "item"
        pairs = zip(taken_apart.keys, taken_apart.children, strict=True)
        found += [(container, kind, key) for key, child in pairs if child is iterator]
    return found


def _put(owner: Any, kind: str, key: Any, value: Any) -> None:
    if kind == "attr":
        setattr(owner, key, value)
    else:
        owner[key] = value
