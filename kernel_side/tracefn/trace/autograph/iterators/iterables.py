"""The iterables of a loop in the graph: ranges with traced bounds, arrays, and zip, enumerate, reversed of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from ....errors import ControlFlowError, message
from ....ir.types import Kind, class_name
from ... import provided
from ...active import current
from ...origin import user_source, where
from ...tensor import Tensor
from ...values.graph_list import GraphList
from ...values.symbolic_int import SymbolicInt
from ...values.traced_range import Indexed, TracedRange


def traced_range(*bounds: Any) -> Any:
    """As `range`, but in a trace a `for` statement over it is one loop in the graph, also where the bounds are Python
    ints: the index is then a traced int. `range(stop)`, `range(start, stop)` or `range(start, stop, step)`.

    >>> import numpy as np, tracefn
    >>> @tracefn.function
    ... def power(x):
    ...     for _ in tracefn.range(3):
    ...         x = x * x
    ...     return x
    >>> power(np.float64(2)), [n.op.name for n in power.concrete_functions[0].graph]
    (np.float64(256.0), ['input', 'for_loop', 'item'])
    """
    if current() is None:
        return range(*bounds)
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    return TracedRange(start, stop, step)


class Live:
    """The items of a container, each of which is read when a loop comes to it."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner


class OneTime(Indexed):
    """An iterator over other iterables. Python's own read them item by item, when they come to them, and give each item
    once: one whose containers change before, or that is gone over again, is refused."""

    def __init__(self, *given: Any) -> None:
        self._parts = [p if isinstance(p, Indexed | Tensor | GraphList | range) else list(p) for p in given]
        containers = [container for p in given for container in containers_in(p)]
        self._before = [(container, _contents(container)) for container in containers]
        self._is_taken = False

    @property
    def parts(self) -> list[Any]:
        trace = current()
        for container, before in self._before:
            now = _contents(container)
            is_changed = len(now) != len(before) or any(new is not old for new, old in zip(now, before, strict=True))
            if is_changed or (trace is not None and id(container) in trace.root.keyed):
                refuse_changed()
        return self._parts

    @property
    def containers(self) -> list[Any]:
        return [container for container, _ in self._before]

    @property
    def length(self) -> Any:
        return _shortest([length_of(p) for p in self.parts])

    def taken(self) -> Indexed:
        """The same for the only one that goes over it, maybe in several tries."""
        if self._is_taken:
            raise ControlFlowError(
                message("an iterator is gone over twice", where(user_source(3)), "Make a list of it: `list(...)`.")
            )
        self._is_taken = True
        for part in self.parts:
            taken(part)
        return _Taken(self)

    def refuse_next(self) -> NoReturn:
        raise ControlFlowError(
            message(
                "`next` takes an item of an iterator that the graph goes over",
                where(user_source(4)),
                "Make a list of it: `list(...)`.",
            )
        )

    def __iter__(self) -> Iterator[Any]:
        return iter(self.taken())


class _Taken(Indexed):
    """An iterator while it is gone over."""

    def __init__(self, iterator: OneTime) -> None:
        self.iterator = iterator

    @property
    def length(self) -> Any:
        return self.iterator.length

    def __getitem__(self, index: Any) -> Any:
        return self.iterator[index]


def taken(iterable: Any) -> Any:
    """An iterable for a loop over it: one that gives its items once has given them."""
    return iterable.taken() if isinstance(iterable, OneTime) else iterable


def refuse_changed() -> NoReturn:
    raise ControlFlowError(
        message("a loop changes the list that it goes over", where(user_source(4)), "Go over a copy: `list(...)`.")
    )


def _contents(container: Any) -> list[Any]:
    return [*container.keys(), *container.values()] if isinstance(container, dict) else list(container)


class Zipped(OneTime):
    def require_equal_lengths(self) -> None:
        """Raises ValueError as `zip(strict=True)` does, though before the first round."""
        first, *lengths = map(length_of, self.parts)
        for number, length in enumerate(lengths, 2):
            if length != first:
                found = "shorter" if length < first else "longer"
                others = "argument 1" if number == 2 else f"arguments 1-{number - 1}"
                raise ValueError(f"zip() argument {number} is {found} than {others}")

    def __getitem__(self, index: Any) -> Any:
        return tuple([provided.item(p, index) if isinstance(p, list) else p[index] for p in self._parts])


class Enumerated(OneTime):
    def __init__(self, part: Any, start: Any) -> None:
        super().__init__(part)
        self._start = start

    def __getitem__(self, index: Any) -> Any:
        return (index + self._start, self._parts[0][index])


class Reversed(OneTime):
    def __getitem__(self, index: Any) -> Any:
        return self._parts[0][length_of(self._parts[0]) - 1 - index]


def is_staged_iterable(value: Any) -> bool:
    """True for iterables that only the graph can iterate over, or does so better."""
    return isinstance(value, Indexed) or type(value) is Tensor or (type(value) is GraphList and value.is_staged)


def containers_in(iterable: Any) -> list[Any]:
    """The containers that a loop goes over in the graph, and may change."""
    if isinstance(iterable, OneTime | _Taken):
        return (iterable.iterator if isinstance(iterable, _Taken) else iterable).containers
    if isinstance(iterable, Live):
        return [iterable.owner]
    if type(iterable) is GraphList and iterable.found_in is not None:
        return [iterable.found_in]
    return [iterable] if type(iterable) is list else []


def length_of(value: Any) -> Any:
    """The number of items: an int, a symbolic or a traced one."""
    if isinstance(value, Indexed):
        return value.length
    if type(value) is Tensor:
        if not value.ndim:
            if value._node.type.kind is not Kind.ARRAY:
                raise TypeError(f"{class_name(value._node.type)!r} object is not iterable")
            raise TypeError("iteration over a 0-d array")
        return value.shape[0]
    return value.length() if type(value) is GraphList else len(value)


def _shortest(lengths: list[Any]) -> Any:
    known = [n for n in lengths if isinstance(n, int) and type(n) is int]
    others = [n for n in lengths if type(n) is not int]
    found: Any = min(known) if known else None
    for n in others:
        if found is None:
            found = n
        elif isinstance(n, SymbolicInt) or isinstance(found, SymbolicInt):
            found = n if n < found else found
        else:
            found = np.minimum(n, found)
    return found
