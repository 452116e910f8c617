"""Whether a trace has arrays among its values. Code of objects and Python numbers has none."""

from __future__ import annotations

from ...ir.graph import are_of_arrays
from ...ir.kept_graph import KeptGraph
from ...trace.signature import CallSignature, ForeignSpec, TensorSpec
from ..concrete import ConcreteFunction


def has_arrays(call: CallSignature, concrete: ConcreteFunction | None) -> bool:
    """True for a call with arrays, or with a trace that has some; None where the trace was refused. A trace that was
    kept on disk is not read for that."""
    if any(isinstance(leaf, ForeignSpec) or (type(leaf) is TensorSpec and leaf.shape) for leaf in call.leaves):
        return True
    return concrete is not None and (isinstance(concrete.graph, KeptGraph) or are_of_arrays(concrete.graph.nodes))
