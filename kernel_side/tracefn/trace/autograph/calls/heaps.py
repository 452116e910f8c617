"""Functions of `heapq` and `bisect` on a list from outside, where the call decides the order of its items.

A change of the list waits until the program has ended (`containers/keyed.py`), and a read is a step of the graph.
"""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Callable
from typing import Any

import numpy as np

from ...active import current
from ...context import Trace
from ...foreign.arguments import holds_traced
from ...tensor import Tensor
from ...values.graph_list import GraphList
from ..augmented import ORDERING
from ..containers.foreseen import foresee, refuse_later
from ..containers.keyed import changed_later, waits

_NAMES = {function: name for name, function in ORDERING.items()}
_READ = (bisect.bisect_left, bisect.bisect_right)
_OF_HEAPS = {
    heapq.heapify: "heapify", heapq.heappush: "push", heapq.heappop: "pop", heapq.heapreplace: "replace",
    heapq.heappushpop: "pushpop",
}  # fmt: skip
_GIVE_NONE = (heapq.heappush, heapq.heapify, bisect.insort_left, bisect.insort_right)


def in_order(function: Any, called: Callable[..., Any]) -> Callable[..., Any]:
    """The function that is called for one of these, and for any other the one that is given."""
    if not any(function is other for other in (*_READ, *_NAMES)):
        return called

    def call(*args: Any, **kwargs: Any) -> Any:
        trace = current()
        if args and type(args[0]) is GraphList and function in _OF_HEAPS and _is_kept(*args):
            return args[0].heap(_OF_HEAPS[function], *args[1:])
        if trace is None or kwargs or not args or not _is_decided_later(trace, *args):
            return called(*args, **kwargs)
        if trace is not trace.root and function not in _GIVE_NONE:  # no branch reads it
            return called(*args, **kwargs)
        items, *more = args
        if function in _READ:
            return foresee(items, function, *more)
        found = None if function in _GIVE_NONE else foresee(items, function, *more)
        if not changed_later(trace, items, _NAMES[function], tuple(more)):
            refuse_later(items)
        return found

    return call


def _is_kept(heap: GraphList, *items: Any) -> bool:
    """True for a heap that the graph keeps. One with traced items is staged first."""
    trace = current()
    assert trace is not None
    if not heap.is_staged and (holds_traced(items) or any(map(holds_traced, heap)) or not heap.is_made_here):
        heap.stage(trace)
    return heap.is_staged


def _is_decided_later(trace: Trace, items: Any, *more: Any) -> bool:
    """True for a list from outside of numbers, or tuples of them, that gets one which only the call knows, or has got
    one before, or is longer at each call: comparing them raises no error."""
    if type(items) is not list or not trace.is_outside(items) or not trace.path_to(items):
        return False
    lengths = trace.root.lengths
    if not (waits(trace, items, ()) or holds_traced(more) or (lengths is not None and lengths.varies(items))):
        return False
    return _are_comparable([*items, *more])


def _are_comparable(values: list[Any]) -> bool:
    """True for numbers, and for tuples of one length with these at each place."""
    if not values or type(values[0]) is not tuple:
        return all(map(_is_number, values))
    if any(type(value) is not tuple or len(value) != len(values[0]) for value in values):
        return False
    return all(_are_comparable(list(column)) for column in zip(*values, strict=True))


def _is_number(value: Any) -> bool:
    if type(value) is Tensor:
        return not value.ndim and value.dtype.kind in "biuf"
    return isinstance(value, (int, float, np.integer, np.floating, np.bool_))
