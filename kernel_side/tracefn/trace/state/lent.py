"""Arrays, lists and dicts that an iterator or a library gives and that are held elsewhere, too: a write would be seen
there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ..references import ARGUMENT, ITEM, holders


def is_lent(value: Any) -> bool:
    """True if an array, list or dict in an item that an iterator has just given is held by anything but one variable,
    or shows the memory of another array."""
    others = holders(value) - ARGUMENT
    return _is_held(value, others)


def _is_held(value: Any, others: int) -> bool:
    if isinstance(value, np.ndarray):
        return others > 0 or value.base is not None or not value.flags.owndata
    if not isinstance(value, tuple | list | dict):
        return False
    if others > 0 and not isinstance(value, tuple):
        return True
    for part in value.values() if isinstance(value, dict) else value:
        others = holders(part) - ITEM
        if _is_held(part, others):
            return True
    return False


def lent_containers(value: Any, copy: Any, tuples: bool = False) -> Iterator[Any]:
    """The lists, dicts and sets of `copy` which stand for those in `value` that anything but one variable, or one new
    container, leads to; and the `tuples`. `copy` has the structure of `value`."""
    others = holders(value) - ARGUMENT
    for _, lent in _held(value, copy, others > 0, tuples):
        yield lent


def lent_arrays(value: Any) -> set[int]:
    """The ids of the arrays in a value that are held in such a way."""
    others = holders(value) - ARGUMENT
    return set(_arrays(value, others > 0))


def _arrays(value: Any, is_held: bool) -> Iterator[int]:
    if isinstance(value, np.ndarray):
        if is_held:
            yield id(value)
    elif issubclass(type(value), _CONTAINERS):
        for part in value.values() if isinstance(value, dict) else value:
            others = holders(part) - ITEM
            yield from _arrays(part, is_held or others > 0)


def held_parts(
    values: Iterable[Any], copies: Iterator[Any], is_held: bool = False, tuples: bool = False
) -> Iterator[tuple[Any, Any]]:
    """The containers among the items of a container that anything else leads to, each with its copy."""
    for value in values:
        others = holders(value) - ITEM
        yield from _held(value, next(copies), is_held or others > 0, tuples)


def _held(value: Any, copy: Any, is_held: bool, tuples: bool) -> Iterator[tuple[Any, Any]]:
    if not issubclass(type(value), _CONTAINERS) or not issubclass(type(copy), _CONTAINERS):
        return  # of which there is no copy
    if is_held and (tuples or not isinstance(value, tuple)):
        yield value, copy
    if not isinstance(value, set) and not getattr(copy, "is_staged", False):
        copies = iter(copy.values() if isinstance(copy, dict) else copy)
        yield from held_parts(value.values() if isinstance(value, dict) else value, copies, is_held, tuples)


_CONTAINERS = (tuple, list, dict, set)
