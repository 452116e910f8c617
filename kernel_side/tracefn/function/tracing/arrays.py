"""Whether a trace has arrays among its values. Code of objects and Python numbers has none."""

from __future__ import annotations

from collections.abc import Iterable

from ...ir.graph import Node
from ...ir.kept_graph import KeptGraph
from ...ir.types import Kind, TensorType
from ...trace.signature import CallSignature, ForeignSpec, TensorSpec
from ..concrete import ConcreteFunction


def has_arrays(call: CallSignature, concrete: ConcreteFunction | None) -> bool:
    """True for a call with arrays, or with a trace that has some; None where the trace was refused. A trace that was
    kept on disk is not read for that."""
    if any(isinstance(leaf, ForeignSpec) or (type(leaf) is TensorSpec and leaf.shape) for leaf in call.leaves):
        return True
    return concrete is not None and (isinstance(concrete.graph, KeptGraph) or are_of_arrays(concrete.graph.nodes))


def are_of_arrays(nodes: Iterable[Node]) -> bool:
    """True if a node, or one in a body, has an array with axes or an object of another library among its results."""
    return any(any(map(_is_array, n.types)) or any(are_of_arrays(b.graph.nodes) for b in n.bodies) for n in nodes)


def _is_array(type: TensorType) -> bool:
    axes = len(type.shape) - (type.kind is Kind.LIST)
    return axes > 0 or type.kind is Kind.OBJECT
