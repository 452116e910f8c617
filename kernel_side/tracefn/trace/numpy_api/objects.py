"""NumPy's objects that code indexes or loops over, `np.r_`, `np.mgrid`, `np.ndenumerate`, on traced values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...errors import UnsupportedFunctionError, message
from ...ir.op import by_name
from ..active import current
from ..context import Trace
from ..origin import user_source, where
from ..reads import in_trace
from ..tensor import Tensor
from .makers import holds_traced, owned

_NAMES = {id(np.r_): "r_", id(np.c_): "c_", id(np.mgrid): "mgrid", id(np.ogrid): "ogrid"}
BRACKETS = frozenset({type(np.r_), type(np.c_), type(np.mgrid), type(np.ogrid)})


def in_brackets(trace: Trace, owner: Any, key: Any) -> Any:
    """`np.r_[key]` and the like: a node where a part of the key is traced."""
    parts = tuple(map(in_trace, key)) if isinstance(key, tuple) else in_trace(key)
    if not holds_traced(parts):
        return owned(trace, owner[key])
    return trace.record(by_name(_NAMES[id(owner)]), (parts,), {})


def may_share(function: Callable[..., Any]) -> Callable[..., Any]:
    """`np.may_share_memory` and `np.shares_memory`, where the trace knows which arrays share memory."""

    def ask(a: Any, b: Any, /, max_work: Any = None) -> Any:
        left, right = in_trace(a), in_trace(b)
        if type(left) is not Tensor and type(right) is not Tensor:
            return function(a, b, max_work=max_work)
        found = _may_share(left, right) if type(left) is type(right) is Tensor else None
        if found is None and type(left) is type(right) is Tensor:
            bases = [t if t._base is None else t._base for t in (left, right)]
            found = left._trace.root.outside.share(*bases)
            found = _may_share(left, right) if found is None else found
        if found is None:
            what = f"whether two arrays share memory is asked (np.{function.__name__}), which is not known of these"
            raise UnsupportedFunctionError(message(what, where(user_source(3)), "Ask outside the traced function."))
        return found

    return ask


def _may_share(left: Tensor, right: Tensor) -> bool | None:
    """True, False, or None where that is not known: parts of one array, or two arrays that are given."""
    bases = [t if t._base is None else t._base for t in (left, right)]
    if any(not t._node.type.has_memory or not isinstance(t.size, int) or t._doubts for t in (left, right)):
        return None
    if bases[0] is bases[1]:
        return True if not (left._path and right._path) and left.size and right.size else None
    return False if any(b._owned and not b._outside and b._choice is None for b in bases) else None


def ndenumerate(arr: Any) -> Any:
    """`np.ndenumerate`: indices and elements, one by one."""
    arr = in_trace(arr)
    return _enumerated(arr) if type(arr) is Tensor else np.ndenumerate(arr)


def _enumerated(array: Tensor) -> Iterator[tuple[tuple[int, ...], Any]]:
    for index in np.ndindex(array.shape):
        yield index, array[index]


class Broadcast:
    """`np.broadcast` of traced arrays: an iterator over tuples of elements, and its attributes, which need none of
    these."""

    def __init__(self, arrays: Sequence[Any]) -> None:
        self._arrays = arrays  # of one shape
        self._trace = current()
        self.shape = arrays[0].shape
        self.nd = self.ndim = len(self.shape)
        self.numiter = len(arrays)
        self.index = 0

    @property
    def size(self) -> Any:
        size: Any = 1
        for length in self.shape:
            size = size * length
        return size

    def reset(self) -> None:
        self._moves()
        self.index = 0

    def __iter__(self) -> Broadcast:
        return self

    def __next__(self) -> tuple[Any, ...]:
        if self.index >= self.size:
            raise StopIteration
        self._moves()
        self.index += 1
        return tuple([array.reshape(-1)[self.index - 1] for array in self._arrays])

    def _moves(self) -> None:
        if current() is not self._trace:
            what = "an `np.broadcast` is advanced in a branch or loop that a traced value decides"
            raise UnsupportedFunctionError(message(what, where(user_source(4)), "Index `np.broadcast_arrays`."))


def broadcast(*arrays: Any) -> Any:
    """`np.broadcast`."""
    if current() is None or not holds_traced(arrays):
        return np.broadcast(*arrays)
    return Broadcast(np.broadcast_arrays(*map(in_trace, arrays)))
