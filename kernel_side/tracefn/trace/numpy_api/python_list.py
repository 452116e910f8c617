"""`x.tolist()` of a traced array: lists of traced Python numbers."""

from __future__ import annotations

from typing import Any

from ...errors import TensorConversionError, message
from ...ir.op import by_name
from .. import provided
from ..active import current
from ..origin import user_source, where
from ..tensor import Tensor
from ..values.graph_list import GraphList
from ..values.symbolic_int import SymbolicInt
from .in_place import to_python

MOST = 256
"""Elements that are written out one by one; a longer list is one of the graph."""


def to_list(tensor: Tensor) -> Any:
    """Python numbers in lists of lists; of an array with one axis and many elements, a list that the graph keeps."""
    trace, size = current() or tensor._trace, tensor._node.type.size
    if tensor.ndim == 1:
        length = tensor.shape[0]
        if not (isinstance(length, SymbolicInt) and length.is_traced) and length == 0:  # a guard
            return []
    if tensor.dtype.kind in "biufc" and tensor.dtype.char not in "gG":
        if isinstance(size, int) and size <= MOST:
            return _written_out(tensor)
        if tensor.ndim == 1:
            return GraphList.of(trace.record(by_name("tolist"), (tensor,), {}))
    raise TensorConversionError(
        message(
            f"{tensor.describe()} was read with .tolist()",
            where(user_source(3)),
            "Loop over the array itself, or return it and call .tolist() on the result.",
        )
    )


def _written_out(tensor: Any) -> Any:
    return [_written_out(tensor[i]) for i in range(tensor.shape[0])] if tensor.ndim else to_python(tensor)


provided.to_list = to_list
