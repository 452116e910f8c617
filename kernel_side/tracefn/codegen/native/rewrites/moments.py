"""Operations that are several for native code: variances, standard deviations, and others."""

from __future__ import annotations

import dataclasses
import math

from ....ir.graph import Graph, Node
from ....ir.template import Ref
from ....ir.types import Kind
from ....passes.rewrite import with_inputs
from ..builder import like
from ..fusion.lowering import is_operand
from ..fusion.reduction import axes_of
from .composites import COMPOSITES, PARTS, composite


def expanded(graph: Graph) -> Graph:
    """The graph with such operations as NumPy's own steps, in their order."""
    if not any(_is_moment(n) or n.op.name in COMPOSITES or n.op.name in PARTS for n in graph.nodes):
        return graph
    new: dict[Node, Node] = {}
    nodes: dict[Node, None] = {}
    for node in graph.nodes:
        candidate = with_inputs(node, tuple([new[n] for n in node.inputs]))
        steps = _steps(candidate) if _is_moment(node) else composite(candidate) or [candidate]
        new[node] = steps[-1]
        nodes.update(dict.fromkeys(steps))
    outputs = tuple([new[n] for n in graph.outputs])
    read = {*outputs, *[s for n in nodes for s in n.inputs]}
    kept = tuple([n for n in nodes if n in read or n.op.name not in PARTS])
    return dataclasses.replace(graph, nodes=kept, outputs=outputs)


def _is_moment(node: Node) -> bool:
    """True for a variance or standard deviation of enough numbers for NumPy not to warn."""
    options = dict(node.kwargs)
    if node.op.name not in ("var", "std") or not {"axis", "keepdims", "ddof"}.issuperset(options):
        return False
    if node.args != (Ref(0),) or len(node.inputs) != 1 or not is_operand(node.inputs[0]):
        return False
    source, ddof = node.inputs[0].type, options.get("ddof", 0)
    axes = axes_of(options.get("axis"), source.ndim)
    lengths = [n for a in axes if isinstance(n := source.shape[a], int)]
    if source.kind is not Kind.ARRAY or source.dtype.char in "eFD" or type(ddof) is not int:
        return False
    if not axes or len(lengths) < len(axes):
        return False
    return math.prod(lengths) > max(ddof, 0)


def _steps(node: Node) -> list[Node]:
    options = dict(node.kwargs)
    ddof = options.pop("ddof", 0)
    (source,) = node.inputs
    axis = {k: v for k, v in options.items() if k == "axis"}
    count = math.prod([source.type.shape[a] for a in axes_of(options.get("axis"), source.type.ndim)])
    mean = like(node, "mean", source, **axis, keepdims=True)
    difference = like(node, "subtract", source, mean)
    square = like(node, "square", difference)
    total = like(node, "sum", square, **options)
    steps = [mean, difference, square, total, like(node, "divide", total, count - ddof)]
    return [*steps, like(node, "sqrt", steps[-1])] if node.op.name == "std" else steps
