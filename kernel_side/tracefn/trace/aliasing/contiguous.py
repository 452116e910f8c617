"""Which arrays are certainly contiguous in C order while tracing, and of which arrays from outside that is assumed."""

from __future__ import annotations

from typing import Any

from ...ir.graph import Node
from ...ir.op import CAPTURE, CONSTANT, INPUT
from ..tensor import Tensor

MADE = frozenset("zeros ones empty full eye identity arange linspace array matmul ascontiguousarray".split())
"""Ops whose results are contiguous in C order unless another order is asked for."""

COPYING = frozenset(["copy", "astype"])
"""Ops whose results lie as their arrays do unless another order is asked for."""

FLAT = frozenset(
    """ravel flatten repeat append concatenate cumsum cumprod sort argsort where sum mean max min dot
flatnonzero getitem_advanced getitem_mask""".split()
)
"""Ops whose results are contiguous where they have one axis."""


def is_contiguous(tensor: Tensor) -> bool:
    """True if the array is contiguous in C order; arrays from outside that this rests on are then guarded."""
    leaves: set[Node] = set()
    trace = tensor._trace
    if not _holds(trace.node_of(tensor), trace, leaves, set()):
        return False
    return trace.root.outside.assume_contiguous(leaves)


def _holds(node: Node, trace: Any, leaves: set[Node], seen: set[Node]) -> bool:
    """True if the value is contiguous where these `leaves`, to which it adds, are. Nodes that were `seen` hold, as the
    first that does not ends the search."""
    if node in seen:
        return True
    seen.add(node)
    op = node.op
    if op in (INPUT, CAPTURE):
        outer = next((o for o, inner in getattr(trace, "lifted", {}).items() if inner is node), None)
        if outer is not None:
            return _holds(outer, trace.parent, leaves, seen)
        leaves.add(node)
        return node not in getattr(trace, "explicit", ())
    if op is CONSTANT:
        return bool(node.args[0].value.flags.c_contiguous)
    if op.name in MADE or op.name in COPYING:
        order = dict(node.kwargs).get("order", "K" if op.name in COPYING else "C")
        return order == "C" or (order == "K" and op.name in COPYING and _holds(node.inputs[0], trace, leaves, seen))
    if op.name == "roll":
        return dict(node.kwargs).get("axis") is None or _holds(node.inputs[0], trace, leaves, seen)
    if op.name in FLAT and node.container is None and node.type.ndim == 1:
        return True
    if op.style == "write":
        return _holds(node.inputs[node.args[0].index], trace, leaves, seen)
    return op.elementwise and node.container is None and all(_holds(n, trace, leaves, seen) for n in node.inputs)
