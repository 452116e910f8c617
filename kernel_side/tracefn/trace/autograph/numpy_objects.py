"""NumPy's objects that code indexes or loops over, `np.r_`, `np.mgrid`, `np.ndenumerate`, on traced values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...ir.op import by_name
from ..context import Trace, current
from ..tensor import Tensor
from ..variable_reads import in_trace
from .numpy_makers import holds_traced, owned

_NAMES = {id(np.r_): "r_", id(np.c_): "c_", id(np.mgrid): "mgrid", id(np.ogrid): "ogrid"}
BRACKETS = frozenset({type(np.r_), type(np.c_), type(np.mgrid), type(np.ogrid)})


def in_brackets(trace: Trace, owner: Any, key: Any) -> Any:
    """`np.r_[key]` and the like: a node where a part of the key is traced."""
    parts = tuple(map(in_trace, key)) if isinstance(key, tuple) else in_trace(key)
    if not holds_traced(parts):
        return owned(trace, owner[key])
    return trace.record(by_name(_NAMES[id(owner)]), (parts,), {})


def ndenumerate(arr: Any) -> Any:
    """`np.ndenumerate`: indices and elements, one by one."""
    arr = in_trace(arr)
    return _enumerated(arr) if type(arr) is Tensor else np.ndenumerate(arr)


def _enumerated(array: Tensor) -> Iterator[tuple[tuple[int, ...], Any]]:
    for index in np.ndindex(array.shape):
        yield index, array[index]


class Broadcast:
    """`np.broadcast` of traced arrays: what is known of it without their elements."""

    def __init__(self, shape: tuple[Any, ...]) -> None:
        self.shape = shape
        self.nd = self.ndim = len(shape)

    @property
    def size(self) -> Any:
        size: Any = 1
        for length in self.shape:
            size = size * length
        return size


def broadcast(*arrays: Any) -> Any:
    """`np.broadcast`."""
    if current() is None or not holds_traced(arrays):
        return np.broadcast(*arrays)
    return Broadcast(np.broadcast_arrays(*map(in_trace, arrays))[0].shape)
