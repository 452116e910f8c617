"""Constant folding: nodes that depend on constants alone are computed once."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..ir.dims import Dim
from ..ir.graph import Graph, Node, constant_node
from ..ir.op import CONSTANT
from ..ir.template import Ref, fill, leaves
from ..ir.types import type_of
from .outputs import held_by_lists, shown_together
from .rewrite import rewrite

MAX_BYTES = 1 << 20
"""The largest constant that folding makes: a larger one would cost more memory than it saves time."""


def fold_constants(graph: Graph) -> Graph:
    """Replaces nodes whose inputs are all constants by their value.

    A node whose calculation warns or raises stays: it has to do so at every call. So does one that nothing reads.
    """
    if CONSTANT not in graph.ops:
        return graph
    unread = set(graph.nodes).difference(graph.outputs, *[n.inputs for n in graph.nodes])
    return rewrite(graph, _fold, unread | held_by_lists(graph) | shown_together(graph))


def _fold(node: Node) -> Node | None:
    if not node.inputs or any(n.op is not CONSTANT for n in node.inputs):
        return None
    if not node.pure or node.container is not None or node.op.fresh_dims:
        return None
    if (node.type.nbytes or MAX_BYTES + 1) > MAX_BYTES:
        return None
    if (
        node.op.style == "leaf"
        or node.type.dtype.char == "T"
        or any(isinstance(item, Dim) for item in leaves((node.args, node.kwargs)))
    ):
        return None

    def leaf(item: Any) -> Any:
        return node.inputs[item.index].args[0].value if isinstance(item, Ref) else item

    try:
        with warnings.catch_warnings(), np.errstate(all="raise"):
            warnings.simplefilter("error")
            value = node.op.call(*[fill(a, leaf) for a in node.args], **{k: fill(v, leaf) for k, v in node.kwargs})
    except Exception:
        return None
    return constant_node(value, type_of(value), node.source, node.scope)
