"""Containers from outside that a loop goes over and changes: each item is read when the loop comes to it."""

from __future__ import annotations

import collections
import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any

from ....errors import ControlFlowError, message
from ...active import TRACING, current
from ...context import Trace
from ...origin import user_source, where
from ..iterators.iterables import Live
from .changes import decided


class View(list[Any]):
    """The results of `values()` and `items()` of a dict from outside: the items of each call."""

    def __init__(self, found: list[Any], owner: Any, name: str) -> None:
        super().__init__(found)
        self.owner = owner
        self.name = name

    __hash__ = None

    def __eq__(self, other: Any) -> Any:
        return self is other if self.name == "values" else _compared("__eq__", self, other)

    def __ne__(self, other: Any) -> Any:
        return self is not other if self.name == "values" else _compared("__ne__", self, other)


def _compared(method: str, view: View, other: Any) -> Any:
    """The set that `items()` are where they are compared or combined."""
    if view.name == "values":
        return NotImplemented
    return getattr(dict(view).items(), method)(dict(other).items() if type(other) is View else other)


for _name in ("lt", "le", "gt", "ge", "and", "or", "sub", "xor", "rand", "ror", "rsub", "rxor"):
    setattr(View, f"__{_name}__", functools.partialmethod(lambda self, m, o: _compared(m, self, o), f"__{_name}__"))


def live(value: Any, found: Any) -> Any:
    """The iterable of a loop that may change the container it iterates over. `found` are its items as they are now."""
    cls = type(value)
    if cls not in _KINDS or type(found) is not list or not TRACING or (trace := current()) is None:
        return found
    if not trace.is_outside(value.owner if cls is View else value):
        return found
    return _KINDS[cls](trace, value, found)


class _List(Live):
    """The items of a list."""

    def __init__(self, trace: Trace, owner: Any, found: list[Any]) -> None:
        super().__init__(owner)
        self._trace = trace
        self._before = list(owner)
        self._found = found

    def _item(self, index: int) -> Any:
        held = decided(self.owner)[index]
        if index < len(self._before) and held is self._before[index]:
            return self._found[index]
        return self._trace.observe(self.owner, "item", index, held)

    def __iter__(self) -> Iterator[Any]:
        for index in itertools.count():
            if index >= len(decided(self.owner)):
                return
            yield self._item(index)

    def __reversed__(self) -> Iterator[Any]:
        return self._downwards(len(self.owner))

    def _downwards(self, length: int) -> Iterator[Any]:
        for index in reversed(range(length)):
            if index >= len(decided(self.owner)):
                return
            yield self._item(index)


class _Deque(_List):
    """The items of a deque, which may not become longer or shorter meanwhile."""

    def __init__(self, trace: Trace, owner: Any, found: list[Any]) -> None:
        super().__init__(trace, owner, found)
        self._was_changed = trace.is_changed(owner)

    def _check(self) -> None:
        now = decided(self.owner)
        if len(now) != len(self._before) or self._trace.is_changed(now) != self._was_changed:
            raise RuntimeError("deque mutated during iteration")
        if self._was_changed and any(new is not old for new, old in zip(now, self._before, strict=True)):
            raise ControlFlowError(
                message(
                    "a loop changes the deque that it goes over", where(user_source(3)), "Go over a copy: `list(...)`."
                )
            )

    def _each(self, indices: Any) -> Iterator[Any]:
        for index in indices:
            self._check()
            yield self._item(index)
        self._check()

    def __iter__(self) -> Iterator[Any]:
        return self._each(range(len(self._before)))

    def __reversed__(self) -> Iterator[Any]:
        return self._each(reversed(range(len(self._before))))


class _Pairs(Live):
    """The values or items of a dict."""

    def __init__(self, trace: Trace, view: View, found: list[Any]) -> None:
        super().__init__(view.owner)
        self._trace = trace
        self._is_pairs = view.name == "items"
        self._keys: Any = collections.OrderedDict if isinstance(self.owner, collections.OrderedDict) else dict
        before = [(key, dict.__getitem__(self.owner, key)) for key in self._keys.__iter__(self.owner)]
        values = [pair[1] for pair in found] if self._is_pairs else found
        self._before = {key: (held, value) for (key, held), value in zip(before, values, strict=True)}

    def __iter__(self) -> Iterator[Any]:
        for key in self._keys.__iter__(self.owner):  # it raises where a key was added or deleted
            held = dict.__getitem__(decided(self.owner), key)
            before = self._before.get(key)
            if before is None or before[0] is not held:
                value = self._trace.observe(self.owner, "item", key, held)
            else:
                value = before[1]
            yield (key, value) if self._is_pairs else value

    def __reversed__(self) -> Iterator[Any]:
        return reversed(list(self))


_KINDS: dict[type, Callable[[Trace, Any, list[Any]], Any]] = {list: _List, collections.deque: _Deque, View: _Pairs}
