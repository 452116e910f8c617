"""Twins of iterators: iterators of their own that give the same elements, while the others stay where they are."""

from __future__ import annotations

import itertools
import threading
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...ir.bail_out import BailOut
from ..one_by_one import OneByOne

_SEQUENCES: tuple[Any, ...] = ([], (), "", "é", b"", bytearray(), range(0), range(1 << 70))
_HASHED: tuple[Any, ...] = ({}, {}.values(), {}.items(), set())
_SEQUENCE_ITERATOR: Any = type(iter(np.zeros(0)))
_OF_ITEMS = frozenset({*map(type, map(iter, (*_SEQUENCES, *_HASHED))), type(reversed([])), type(reversed(()))})
_OF_OTHERS = frozenset(
    {
        zip, enumerate, itertools.count, itertools.repeat, itertools.cycle, itertools.islice, itertools.chain,
        itertools.product, itertools.permutations, itertools.combinations,
    }
)  # fmt: skip
_KINDS = _OF_ITEMS | _OF_OTHERS

END: Any = object()
"""In the place of an element where there is no other."""

Known = dict[int, tuple[Any, Any]]
"""The iterators that have twins, and these, by the ids of the former."""


def twin(iterator: Any, known: Known) -> Any:
    """The twin of an iterator, or None where it has none. An iterator that two others advance has one twin, which the
    twins of both advance."""
    if id(iterator) in known:
        return known[id(iterator)][1]
    if type(iterator) not in _KINDS and type(iterator) is not _SEQUENCE_ITERATOR:
        return None
    try:
        with warnings.catch_warnings():  # later versions of Python take apart fewer of them
            warnings.simplefilter("ignore")
            make, args, *state = iterator.__reduce__()
    except (AttributeError, TypeError, RuntimeError):
        return None
    if type(iterator) is _SEQUENCE_ITERATOR and not all(type(a) in (np.ndarray, tuple, list, OneByOne) for a in args):
        return None  # an object of the user's, whose `__getitem__` it calls
    try:
        args, state = _inner(args, known), _inner(tuple(state), known)
    except LookupError:
        return None
    if type(iterator) is itertools.cycle and state:
        state = ((list(state[0][0]), *state[0][1:]),)  # it adds its items to this list
    made = make(*args)
    if state and state[0] is not None:
        made.__setstate__(state[0])
    known[id(iterator)] = iterator, made
    return made


def _inner(values: tuple[Any, ...], known: Known) -> tuple[Any, ...]:
    """These values with twins for the iterators among them. Raises `LookupError` for one that has none."""
    found = []
    for value in values:
        if isinstance(value, Iterator) and (value := twin(value, known)) is None:
            raise LookupError
        found.append(_inner(value, known) if type(value) is tuple else value)
    return tuple(found)


class Ahead(threading.local):
    """The elements that a call has taken from twins. The iterators themselves are advanced at its end: where it raises
    before, the Python function finds them as they were."""

    __name__ = "iterators"

    def __init__(self) -> None:
        self.twins: Known = {}
        self._taken: list[tuple[Any, Any]] = []

    def begin(self) -> None:
        """Forgets all that was taken."""
        self.twins.clear()
        self._taken.clear()

    def next(self, iterator: Any) -> Any:
        """The next element of the twin, or END."""
        found = twin(iterator, self.twins)
        if found is None:
            raise BailOut(f"a {type(iterator).__name__} gives elements of another kind than before")
        return next(found, END)

    def note(self, iterator: Any, value: Any) -> None:
        """Notes an element that was taken from the twin, or of its END."""
        self._taken.append((iterator, value))

    def end(self) -> None:
        """Advances the iterators."""
        taken = self._taken[:]
        self.begin()
        for iterator, value in taken:
            if not _is_the_same(next(iterator, END), value):
                raise RuntimeError(f"a {type(iterator).__name__} was advanced while a call took elements from it")


def _is_the_same(found: Any, value: Any) -> bool:
    """True for two elements that an iterator and its twin may have given."""
    if found is value:
        return True
    if type(found) is not type(value):
        return False
    if type(found) is tuple:
        return len(found) == len(value) and all(map(_is_the_same, found, value))
    return not isinstance(found, int | float | str) or found == value or found != found


__all__ = ["END", "Ahead", "twin"]
