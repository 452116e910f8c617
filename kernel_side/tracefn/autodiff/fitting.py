"""Gives a cotangent the dtype and the shape of the value that it belongs to."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.graph import Node
from ..ir.op import CONSTANT
from ..ir.template import Ref
from ..ir.types import Kind, TensorType
from ..ops.derivatives.common import unbroadcast
from ..trace.active import current
from ..trace.context import Trace
from ..trace.operators import combined
from ..trace.tensor import Tensor


def is_differentiable(found: TensorType) -> bool:
    """True for values of a floating-point or complex dtype."""
    return found.dtype.kind in "fc"


def fitted(g: Any, like: Any) -> Any:
    """The cotangent of a broadcast and cast operand as that of the operand: summed over the axes along which it was
    repeated, real where the operand is real. A written value may have more axes of length 1 than its place."""
    if type(g) is Tensor and type(like) is Tensor:
        found, wanted = g._node.type, like._node.type
        if found.shape == wanted.shape and found.dtype == wanted.dtype:
            return g
    if like.dtype.kind != "c" and g.dtype.kind == "c":
        g = np.real(g)
    missing = like.ndim - g.ndim
    if missing > 0:
        g = np.broadcast_to(unbroadcast(g[(np.newaxis,) * missing], like), like.shape)
    else:
        g = unbroadcast(g, like)
    return g if g.dtype == like.dtype else g.astype(like.dtype)


def own(trace: Trace, g: Tensor) -> Any:
    """A cotangent that may be written into: of a view, which may be read-only, a copy."""
    node = trace.node_of(g)
    return np.copy(g) if isinstance(node.op.viewed(node.args, node.kwargs), Ref) else g


def times(g: Any, partial: Any) -> Any:
    """The product of a cotangent and a derivative. Of a cotangent that repeats a number, as after a sum, the number is
    multiplied."""
    number = _repeated(g) if type(g) is Tensor else None
    if number is not None and type(partial) is Tensor and g._node.types == partial._node.types:
        return partial if _is_one(number._node) else combined(np.multiply, number, partial)
    if number is not None and type(partial) in (int, float):
        factor = number._node.dtype.type(partial) if _is_one(number._node) else combined(np.multiply, number, partial)
        return np.broadcast_to(_traced(factor), g.shape)
    return combined(np.multiply, g, partial)


def _repeated(g: Tensor) -> Tensor | None:
    """The number that each element of an array is."""
    node = g._node
    while node.op.name in ("broadcast_to", "expand_dims"):
        node = node.inputs[0]
    is_number = node.type.kind is Kind.SCALAR and node.dtype == g._node.dtype
    return Tensor(node, g._trace, owned=False) if is_number and node is not g._node else None


def _traced(number: Any) -> Tensor:
    trace = current()
    assert trace is not None
    return Tensor(trace.value_node(number), trace, owned=False)


def _is_one(node: Node) -> bool:
    return node.op is CONSTANT and bool(node.args[0].value == 1)
