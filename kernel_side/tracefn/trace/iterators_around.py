"""The iterators from outside a branch or loop that its code can reach."""

from __future__ import annotations

import functools
import gc
import itertools
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from .state.journal import Journal
from .tensor import Tensor

MOST = 20_000
"""Values that are looked at: half a millisecond."""

_LEAVES = frozenset(
    {Tensor, np.ndarray, bool, int, float, complex, str, bytes, type(None), types.ModuleType, types.CodeType, type}
)
"""Types of most variables: they hold none."""

_PARTS = frozenset({types.CellType, types.MethodType, functools.partial, tuple})
"""Types of objects that lead to the variables of functions."""

_OURS = __name__.partition(".")[0] + "."


def iterators_around(
    function: Any, journals: Iterable[Journal], is_outside: Callable[[Any], bool]
) -> dict[int, Any] | None:
    """The iterators that a function can reach by its variables, by their ids. None where there are over `MOST` values.

    What is from outside is not looked into: its iterators are known as such. What the trace has put into it is noted
    in `journals`.
    """
    found: dict[int, Any] = {}
    seen: dict[int, Any] = {}
    stack = [function, *_put_outside(journals, is_outside)]
    for count, value in enumerate(stack):
        cls = type(value)
        if count > MOST:
            return None
        if cls in _LEAVES or (key := id(value)) in seen:
            continue
        seen[key] = value
        if cls is types.FunctionType:
            stack += [*gc.get_referents(*(value.__closure__ or ())), *(value.__defaults__ or ())]
        elif cls in _PARTS:
            stack += gc.get_referents(value)
        elif hasattr(cls, "__next__"):
            found[key] = value
            stack += gc.get_referents(value)
        elif not (f"{cls.__module__}".startswith(_OURS) or isinstance(value, type) or is_outside(value)):
            stack += gc.get_referents(value)
    return found


def position(iterator: Any) -> Any:
    """The position of one of Python's own iterators, which each item changes: the number of items left, or the
    iterators and variables that it holds."""
    hint = getattr(type(iterator), "__length_hint__", None)
    if type(hint) is types.MethodDescriptorType:
        return hint(iterator)
    if isinstance(iterator, itertools.count):
        return repr(iterator)
    place = None
    if isinstance(iterator, types.GeneratorType):
        place = None if iterator.gi_frame is None else iterator.gi_frame.f_lasti
    return place, *map(id, gc.get_referents(iterator))


def _put_outside(journals: Iterable[Journal], is_outside: Callable[[Any], bool]) -> Iterator[Any]:
    for journal in journals:
        for place in journal.places():
            if is_outside(place.owner):
                yield place.load()
