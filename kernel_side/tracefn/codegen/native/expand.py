"""Operations that are several for native code: variances, standard deviations, and norms along axes."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from ...ir.graph import Graph, Node
from ...ir.infer import infer
from ...ir.op import by_name
from ...ir.template import Ref
from ...ir.types import Kind
from ...passes.rewrite import with_inputs
from .lowering import is_operand
from .reduction import axes_of


def expanded(graph: Graph) -> Graph:
    """The graph with such operations as what NumPy makes of them, in its order."""
    if not any(_is_moment(n) or _is_norm(n) for n in graph.nodes):
        return graph
    new: dict[Node, Node] = {}
    nodes: dict[Node, None] = {}
    for node in graph.nodes:
        candidate = with_inputs(node, tuple([new[n] for n in node.inputs]))
        steps = _steps(candidate) if _is_moment(node) else _norm(candidate) if _is_norm(node) else [candidate]
        new[node] = steps[-1]
        nodes.update(dict.fromkeys(steps))
    return dataclasses.replace(graph, nodes=tuple(nodes), outputs=tuple([new[n] for n in graph.outputs]))


def _is_moment(node: Node) -> bool:
    """True for a variance or standard deviation of at least so many numbers that NumPy does not warn."""
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


def _is_norm(node: Node) -> bool:
    """True for the roots of sums of squares along an axis."""
    options = dict(node.kwargs)
    if node.op.name != "linalg.norm" or node.args != (Ref(0),) or not is_operand(node.inputs[0]):
        return False
    known = {"axis", "keepdims"}.issuperset(options) and isinstance(options.get("axis"), int)
    return known and node.inputs[0].type.dtype.char in "fd" and node.inputs[0].type.kind is Kind.ARRAY


def _norm(node: Node) -> list[Node]:
    (source,) = node.inputs
    square = like(node, "multiply", source, source)
    total = like(node, "sum", square, **dict(node.kwargs))
    return [square, total, like(node, "sqrt", total)]


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


def like(node: Node, name: str, *operands: Any, **options: Any) -> Node:
    """A node of another op in the place of one. Operands are nodes and numbers."""
    op = by_name(name)
    inputs = tuple(dict.fromkeys(o for o in operands if isinstance(o, Node)))
    args = tuple([Ref(inputs.index(o)) if isinstance(o, Node) else o for o in operands])
    kwargs = tuple(options.items())
    types: Any = infer(op, tuple([n.type for n in inputs]), args, kwargs)
    return Node(op, inputs, args, kwargs, (types,), None, node.scope, node.source, node.errors)
