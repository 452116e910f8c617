"""Elementwise operations read a number itself in the place of an array that repeats it: NumPy repeats it as well."""

from __future__ import annotations

from ..ir.graph import Graph, Node
from ..ir.op import by_name
from ..ir.template import Ref
from ..ir.types import Kind
from .rewrite import rewrite, with_inputs

_REPEAT = by_name("broadcast_to")


def without_repeats(graph: Graph) -> Graph:
    """The graph in which no operation is given a repeated number, where another operand has the shape of the result."""
    return rewrite(graph, _without) if _REPEAT in graph.ops else graph


def _without(node: Node) -> Node | None:
    if not node.op.elementwise or node.kwargs or node.container is not None or node.type.kind is not Kind.ARRAY:
        return None
    if not all(type(a) is Ref or not isinstance(a, tuple) for a in node.args):
        return None
    numbers = {n: n.inputs[0] for n in node.inputs if _is_repeated(n)}
    if not numbers or all(n in numbers or n.type.shape != node.type.shape for n in node.inputs):
        return None
    return with_inputs(node, tuple([numbers.get(n, n) for n in node.inputs]))


def _is_repeated(node: Node) -> bool:
    """True for an array of one number, again and again."""
    if node.op is not _REPEAT or node.kwargs or node.args[0] != Ref(0):
        return False
    number = node.inputs[0].type
    return number.shape == () and number.kind is not Kind.PYTHON and number.dtype == node.type.dtype
