"""Forward mode: the derivative of the reverse walk, which is linear in its cotangents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..ir.graph import Node
from ..ir.op import by_name
from ..ir.types import Kind, TensorType
from ..trace.context import Trace
from ..trace.tensor import Tensor
from .reverse import reverse
from .sources import source_of


def forward(
    home: Trace, trace: Trace, nodes: Sequence[Node], tangents: Sequence[tuple[Node, Any]], targets: Sequence[Node]
) -> list[Any]:
    """The tangents of `targets`, given those of sources; None for a target that depends on none of them.

    `nodes` are those between the two, which `home` has recorded; `trace` is the one under way, which is `home` or a
    body in it.

    The reverse walk is a linear map from cotangents to cotangents, and its own reverse walk the transposed map: the one
    from tangents to tangents (Radul et al., "You Only Linearize Once", 2023, has the other direction). It does not
    depend on the cotangents, so that the first walk leaves nothing that is computed.
    """
    start = len(trace.nodes)
    duals = [source_of(trace, np.zeros_like(Tensor(node, home, owned=False))) for node in targets]
    pairs = zip(targets, duals, strict=True)
    found = reverse(home, nodes, list(pairs), [source for source, _ in tangents])
    between = trace.nodes[start:]
    linear = [(trace.node_of(g), t) for g, (_, t) in zip(found, tangents, strict=True) if g is not None]
    made = reverse(trace, between, linear, [dual._node for dual in duals])
    return [_of_kind(trace, t, node.type) for t, node in zip(made, targets, strict=True)]


def _of_kind(trace: Trace, tangent: Any, wanted: TensorType) -> Any:
    """A tangent as a number where its target is one."""
    is_same = tangent is None or wanted.kind is Kind.ARRAY or trace.node_of(tangent).type.kind is not Kind.ARRAY
    return tangent if is_same else trace.record(by_name("as_scalar"), (tangent, wanted.dtype), {})
