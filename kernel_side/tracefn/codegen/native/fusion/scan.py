"""Which running totals native code computes: how elements are combined, and along which axis."""

from __future__ import annotations

from typing import Any

from ....ir.graph import Node
from ....ir.template import Ref
from ....ir.types import Kind
from ....records import dataclass
from ..scalar.emitter import DType, castable, computable
from ..scalar.folds import FOLDS, start_of
from .lowering import is_operand


@dataclass(frozen=True, slots=True)
class Scan:
    """How one node combines each element, cast to the node's dtype, with the result before it along an axis, by a rule
    of `scalars.RULES`. NumPy goes along in this order, too: results are the same to the bit."""

    rule: str
    axis: int


def scan(node: Node) -> Scan | None:
    """How a node is computed as a running total. None for any other node."""
    how, options = node.op.combines, dict(node.kwargs)
    if how is None or not how.is_running or node.args != (Ref(0),):
        return None
    if node.container is not None or len(node.inputs) != 1:
        return None
    rule, source, dtype = how.ufunc.__name__, node.inputs[0].type, node.type.dtype
    if rule not in FOLDS or not FOLDS[rule].runs:
        return None
    if not {"axis", "dtype"}.issuperset(options) or not is_operand(node.inputs[0]) or not source.ndim:
        return None
    axis = options.get("axis", 0 if source.ndim == 1 else how.axis)
    axis = 0 if axis is None and source.ndim == 1 else axis
    if node.type.kind is not Kind.ARRAY or not computable(dtype) or not castable(source.dtype, dtype):
        return None
    if not isinstance(axis, int) or dtype.kind == "b" or (dtype.kind == "c" and rule != "add"):
        return None
    return Scan(rule, axis % source.ndim)


def start(found: Scan, dtype: DType) -> Any:
    """The neutral element of the operation, the sign of zero included."""
    return -0.0 if found.rule == "add" and dtype.kind in "fc" else start_of(found.rule, dtype)
