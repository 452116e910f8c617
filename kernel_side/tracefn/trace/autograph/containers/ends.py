"""Lists and deques from outside that grow: their length is a number, their items are counted from the ends.

A trace that looks at the ends of such a container alone holds for all lengths but those that its guards exclude.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from ....ir.dims import Length
from ...active import TRACING, current
from ...context import Trace
from ...control.undefined import Maybe
from ...control.unsettled import is_undecided
from ...foreign import as_foreign
from ...origin import user_source
from ...state.journal import Operation
from ...state.lengths import LENGTH, Lengths
from ...state.place import Contents
from ...tensor import Tensor
from .changes import name_of


class _Ends:
    """The content of a container after the operations of the trace: new items (`first`, `last` are how many), and
    between them the old ones, but for those that were taken from its ends."""

    def __init__(self, lengths: Lengths, owner: Any) -> None:
        self._lengths = lengths
        self._owner = owner
        self._most = getattr(owner, "maxlen", None)
        self._first = self._last = 0
        self._skipped = self._dropped = 0
        self._holds_old = True
        self.is_known = True  # where the items stand
        self.before: Length = LENGTH

    @property
    def length(self) -> Length:
        return self._first + self._last + (self._old if self._holds_old else 0)

    @property
    def _old(self) -> Length:
        """How many of the earlier items are there."""
        return self.before - self._skipped - self._dropped

    @property
    def keeps_order(self) -> bool:
        """True where the earlier items that are there stand as they did."""
        return self.is_known and self._holds_old

    @property
    def kept(self) -> slice:
        """The earlier items that are there, among the earlier ones."""
        return slice(self._skipped, -self._dropped or None)

    def added(self) -> tuple[list[Any], list[Any]]:
        """The new items at the start, and those at the end."""
        held = list(self._owner)
        return held[: self._first], held[len(held) - self._last :]

    def has(self, count: int) -> bool:
        """True if it holds at least `count` items."""
        length = self.length
        return length >= count if type(length) is int else self._lengths.suppose(self._owner, ">=", length, count)

    def _has_old(self, count: int) -> bool:
        return self._holds_old and self._lengths.suppose(self._owner, ">=", self._old, count)

    def place(self, key: int) -> int | str | None:
        """Where the item `key` was before: its place, from the end for a negative one. 'new' for an item of the trace,
        None where that depends on the length."""
        if not self.is_known:
            return None
        front, back, sign = (self._first, self._last, 1) if key >= 0 else (self._last, self._first, -1)
        gone = self._skipped if key >= 0 else self._dropped
        count = key + 1 if key >= 0 else -key
        if count <= front:
            return "new"
        if self._has_old(count - front):
            old = count - front + gone
            return old - 1 if sign > 0 else -old
        return "new" if not self._holds_old and count <= front + back else None

    def take(self, key: int) -> bool:
        """Records that the first (0) or the last (-1) item is removed. False if there is none."""
        near, far = ("_first", "_last") if key == 0 else ("_last", "_first")
        if getattr(self, near):
            setattr(self, near, getattr(self, near) - 1)
        elif self._has_old(1):
            if key == 0:
                self._skipped += 1
            else:
                self._dropped += 1
        else:
            self._holds_old = False
            if not getattr(self, far):
                return False
            setattr(self, far, getattr(self, far) - 1)
        return True

    def put(self, key: int, count: int) -> None:
        """Records that `count` items are added at the start (0) or the end (-1)."""
        for _ in range(count):
            if self._most is not None and self.has(self._most):
                self.take(-1 - key)
            if key == 0:
                self._first += 1
            else:
                self._last += 1

    def clear(self) -> None:
        self._first = self._last = 0
        self._holds_old = False

    def do(self, operation: Operation) -> bool:
        """Records an operation. False if its effect on the ends is not known."""
        name, args = operation
        if any(type(argument) is Maybe for argument in args):
            return False
        if name in _ADDS and len(args) == 1:
            self.put(_ADDS[name], len(args[0]) if name.startswith("extend") else 1)
            return True
        if name == "clear":
            self.clear()
            return True
        if name in _ORDERED:
            self.is_known = False
            if (more := _ORDERED[name]) > 0:
                self.put(-1, more)
            return more >= 0 or self.take(-1)
        key = removed(self._owner, name, args)
        return key is not None and self.take(key)


_ORDERED = {
    "heapq.heappush": 1, "bisect.insort_left": 1, "bisect.insort_right": 1, "heapq.heappop": -1, "heapq.heapify": 0,
    "heapq.heapreplace": 0, "heapq.heappushpop": 0,
}  # fmt: skip
"""How many items longer functions make a list that they change by the order of its items."""

_ADDS = {"append": -1, "extend": -1, "appendleft": 0, "extendleft": 0}


def removed(owner: Any, name: str, args: tuple[Any, ...]) -> int | None:
    """Which end a method removes an item from: 0 or -1. None for other methods."""
    if name == "popleft" and not args:
        return 0
    if name == "pop" and not args:
        return -1
    is_at_end = name == "__delitem__" or (name == "pop" and type(owner) is list)
    return args[0] if is_at_end and len(args) == 1 and type(args[0]) is int and args[0] in (0, -1) else None


def ends_of(trace: Trace, owner: Any) -> _Ends | None:
    """The ends of a container from outside whose length is a number. None for any other."""
    root = trace.root
    lengths, journal = root.lengths, root.journal
    if lengths is None or type(owner) not in (list, deque) or not trace.is_outside(owner):
        return None
    if getattr(owner, "maxlen", None) == 0 or id(owner) in root.symbolic:
        return None
    place, around = Contents(owner, ""), trace
    bodies = [root]
    while around is not root:
        if around.repeats or around.journal.has_items(owner):
            return None
        bodies.insert(1, around)
        around = around.parent  # type: ignore[attr-defined]
    is_keyed = id(owner) in root.keyed
    if journal.has_items(owner) or is_undecided(owner) or not (is_keyed or lengths.varies(owner)):
        return None
    done: list[Operation] = []
    for changed in [body.journal for body in bodies if place in body.journal]:
        operations = changed.operations.get(place)
        if operations is None:
            return None
        done += operations
    found = _Ends(lengths, owner)
    if is_keyed:
        found.is_known = False
        found.before = LENGTH if lengths.varies(owner) else lengths.guarded(owner)
    return found if all(map(found.do, done)) else None


def length_of(owner: Any) -> Any:
    """`len(owner)` of such a container. None for any other."""
    if type(owner) not in (list, deque) or not TRACING or (trace := current()) is None:
        return None
    if (ends := ends_of(trace, owner)) is None:
        return None
    length = ends.length
    if type(length) is int:
        return length
    found, more = trace.root.lengths.tensor(owner), length - LENGTH
    return found + more if more else found


def is_filled(trace: Trace, owner: Any) -> bool | None:
    """Whether such a container holds anything. None for any other."""
    ends = ends_of(trace, owner)
    return None if ends is None else ends.has(1)


def item_at_end(trace: Trace, owner: Any, key: Any) -> tuple[Any, ...]:
    """`owner[key]` as a tuple of one, where that is counted from an end of such a container. () for any other."""
    if type(owner) not in (list, deque) or (ends := ends_of(trace, owner)) is None:
        return ()
    if type(key) is Tensor:
        whose, key = trace.root.lengths.dim(trace, key)
        key = key - ends.length if whose is owner else None
        key = key if type(key) is int and key < 0 else None
    if type(key) is not int or (place := ends.place(key)) is None:
        return ()
    return (_item(trace, owner, key, place),)


def as_known(value: Any) -> Any:
    """A number that is a length, or computed from one, as that of this call; any other value as it is."""
    if type(value) is not Tensor or not TRACING or (trace := current()) is None or trace.root.lengths is None:
        return value
    return trace.root.lengths.known(trace, value)


def _item(trace: Trace, owner: Any, key: int, place: int | str) -> Any:
    held = owner[key]
    return held if place == "new" else as_foreign(trace.root.lengths.item(owner, place, held))


def part_at_end(trace: Trace, owner: Any, key: slice) -> list[Any] | None:
    """`owner[-3:]` and `owner[:3]` of such a list. None for any other."""
    if key.step is not None or (key.start is None) is (key.stop is None):
        return None
    count = -key.start if type(key.start) is int else key.stop
    if type(count) is not int or count <= 0 or type(owner) is not list or (ends := ends_of(trace, owner)) is None:
        return None
    if not ends.has(count):
        return None
    positions = range(count) if key.start is None else range(-count, 0)
    places = [ends.place(position) for position in positions]
    if None in places:
        return None
    return [_item(trace, owner, at, place) for at, place in zip(positions, places, strict=True) if place is not None]


def take_at_end(trace: Trace, owner: Any, name: str, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The result of `owner.pop(0)` and the like, as a tuple of one, where that leaves the other items of such a
    container alone. () where it does not."""
    if trace is not trace.root or (end := removed(owner, name, args)) is None:
        return ()
    if (ends := ends_of(trace, owner)) is None or (place := ends.place(end)) is None:
        return ()
    found = _item(trace, owner, end, place)
    trace.journal.will_do(Contents(owner, name_of(owner)), name, args, user_source(3))
    getattr(owner, name)(*args)
    return (found,)


__all__ = ["is_filled", "item_at_end", "as_known", "length_of", "part_at_end", "take_at_end"]
