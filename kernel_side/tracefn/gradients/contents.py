"""The content of a Variable as a tape takes it: a value of its own, apart from the one that was assigned."""

from __future__ import annotations

from typing import Any

from ..autodiff import source_of
from ..ir.graph import Node
from ..trace.active import current
from ..trace.context import Trace
from ..trace.tensor import Tensor
from .eager import Session


def content_apart(trace: Trace, session: Session | None, variable: Any, node: Node) -> Node:
    """The node of a Variable's content: that of a copy, where it was assigned in the trace. All tapes share it."""
    states = trace.variables
    is_own = (states if session is None else session).is_read_value(variable, node)
    if is_own or node in states.apart or current() is not trace:
        return node
    made = source_of(trace, Tensor(node, trace, owned=False))
    states.hold(variable, made)
    states.apart.add(made._node)
    return made._node
