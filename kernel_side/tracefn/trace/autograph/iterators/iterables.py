"""The iterables of a loop in the graph: ranges with traced bounds, arrays, and zip, enumerate, reversed of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....ir.types import Kind, class_name
from ... import provided
from ...active import current
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


class Zipped(Indexed):
    def __init__(self, parts: tuple[Any, ...]) -> None:
        self._parts = [p if isinstance(p, Indexed | Tensor | GraphList | range) else list(p) for p in parts]
        self._lengths = [length_of(p) for p in self._parts]
        self.length = _shortest(self._lengths)

    @property
    def parts(self) -> list[Any]:
        return self._parts

    def require_equal_lengths(self) -> None:
        """Raises ValueError as `zip(strict=True)` does, though before the first round."""
        for number, length in enumerate(self._lengths[1:], 2):
            if length != self._lengths[0]:
                found = "shorter" if length < self._lengths[0] else "longer"
                others = "argument 1" if number == 2 else f"arguments 1-{number - 1}"
                raise ValueError(f"zip() argument {number} is {found} than {others}")

    def __getitem__(self, index: Any) -> Any:
        return tuple([provided.item(p, index) if isinstance(p, list) else p[index] for p in self._parts])


class Enumerated(Indexed):
    def __init__(self, part: Any, start: Any) -> None:
        self._part, self._start = part, start
        self.length = length_of(part)

    @property
    def parts(self) -> list[Any]:
        return [self._part]

    def __getitem__(self, index: Any) -> Any:
        return (index + self._start, self._part[index])


class Reversed(Indexed):
    def __init__(self, part: Any) -> None:
        self._part = part
        self.length = length_of(part)

    @property
    def parts(self) -> list[Any]:
        return [self._part]

    def __getitem__(self, index: Any) -> Any:
        return self._part[self.length - 1 - index]


def is_staged_iterable(value: Any) -> bool:
    """True for iterables that only the graph can iterate over, or does so better."""
    return isinstance(value, Indexed) or type(value) is Tensor or (type(value) is GraphList and value.is_staged)


def containers_in(iterable: Any) -> list[Any]:
    """The containers from outside that a loop goes over in the graph."""
    if isinstance(iterable, Zipped | Enumerated | Reversed):
        return [container for part in iterable.parts for container in containers_in(part)]
    is_found = type(iterable) is GraphList and iterable.found_in is not None
    return [iterable.found_in] if is_found else []


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
