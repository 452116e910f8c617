"""The values by which derivatives are taken, kept apart so that other uses of the same array do not count."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.graph import Node
from ..ir.op import by_name
from ..ir.template import Ref
from ..ir.types import Kind
from ..trace.active import current
from ..trace.context import Trace
from ..trace.tensor import Tensor


def source_of(trace: Trace, value: Any) -> Tensor:
    """A value of the trace that equals `value`, an array or a number, and is used nowhere yet."""
    node = trace.value_node(value)
    op = by_name(_SAME[node.type.kind] if node.type.shape or node.type.kind is not Kind.ARRAY else "copy")
    made = Node(op, (node,), (Ref(0),), (), node.types, None, trace.scope, node.source)
    trace.nodes.append(made)
    trace.root.sources.add(made)
    return Tensor(made, trace, owned=True)


def fresh_source(value: Any) -> Tensor:
    """The same in the trace under way."""
    trace = current()
    assert trace is not None
    return source_of(trace, value)


_SAME = {Kind.PYTHON: "operator.pos", Kind.SCALAR: "positive", Kind.ARRAY: "positive"}
"""The ops that change nothing. Of an array without axes NumPy's makes a scalar, which is no place to write into."""


def result_of(trace: Trace, cotangent: Any, source: Tensor, taken: set[Node]) -> Any:
    """A derivative as the caller gets it: an array of its own of the shape of the source, or a NumPy scalar; zeros
    where there is none. `taken` are the nodes of other results."""
    found = trace.node_of(source).type
    if cotangent is None:
        cotangent = np.zeros_like(source)
    if found.kind is not Kind.ARRAY:
        return trace.record(by_name("as_scalar"), (cotangent, found.dtype), {})
    node = trace.node_of(cotangent)
    is_own = node.op.elementwise or node.op.fresh_memory or node.op.combines is not None
    if node in taken or not is_own or node.type.kind is not Kind.ARRAY:
        cotangent = np.copy(cotangent)
    taken.add(trace.node_of(cotangent))
    return cotangent
