"""The rules that every graph keeps, checked in tests after every pass."""

from __future__ import annotations

from ..errors import VerificationError
from .graph import Graph, Node
from .infer import RuleError, infer
from .op import DIM, INPUT, ITEM, Static
from .template import Ref, leaves
from .types import TensorType


def verify(graph: Graph) -> Graph:
    """The graph itself. Raises `VerificationError` naming the first node that breaks a rule."""
    seen: set[Node] = set()
    for node in graph.nodes:
        if node in seen:
            _fail(graph, node, "stands twice")
        if any(n not in seen for n in node.inputs):
            _fail(graph, node, "stands before one of its inputs")
        used = {item.index for item in leaves((node.args, tuple(v for _, v in node.kwargs))) if isinstance(item, Ref)}
        if used != set(range(len(node.inputs))):
            _fail(graph, node, f"refers to inputs {sorted(used)} but has {len(node.inputs)}")
        for body in node.bodies:
            verify(body.graph)
        if not node.is_leaf and node.op not in (ITEM, DIM) and not node.op.fresh_dims:
            _check_types(graph, node)
        seen.add(node)
    for node in (*graph.outputs, *graph.inputs):
        if node not in seen:
            _fail(graph, node, "is an input or output and not among the nodes")
    if any(n.op is not INPUT for n in graph.inputs):
        raise VerificationError(f"{graph!r}: an input is not an input node")
    return graph


def _check_types(graph: Graph, node: Node) -> None:
    try:
        found = infer(node.op, tuple(n.type for n in node.inputs), node.args, node.kwargs)
    except RuleError:
        if all(n.type.is_static for n in node.inputs):
            raise
        return  # the rule was asked for the lengths of one call, which a guard holds fast
    if isinstance(found, Static):
        _fail(graph, node, "has a result that is known while tracing")
    types = (found,) if isinstance(found, TensorType) else tuple(found)  # type: ignore[arg-type]
    if types != node.types:
        _fail(graph, node, f"has types {node.types}, its op's rule says {types}")


def _fail(graph: Graph, node: Node, what: str) -> None:
    raise VerificationError(f"{graph!r}: node {graph.names.get(node, node)} ({node.op.name}) {what}")
