"""The results of `vjp` and `linearize` without a trace: graphs of their own, given the values of the first pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..function import Function
from ..function.options import Options
from ..ir.graph import Graph, Node
from ..ir.template import Body, Ref
from ..ir.types import TensorType
from ..trace.active import current
from ..trace.body import BodyTrace
from ..trace.context import Trace
from ..trace.control.record import bodies_of, record
from ..trace.tensor import Tensor


class Kept:
    """A part of a trace that runs later, perhaps often: `function` takes the inputs of the part and then `residuals`,
    the values of the trace that it uses, and gives a tuple."""

    def __init__(
        self, trace: Trace, name: str, types: Sequence[TensorType], run: Callable[[list[Tensor]], Sequence[Any]],
        shared: Sequence[Node | None],
    ) -> None:  # fmt: skip
        body = BodyTrace(trace, name)
        inputs = [body.input(f"g{i}", found) for i, found in enumerate(types)]
        outputs = [body.value_node(v) for v in body.run(lambda: list(run(inputs)))]
        bodies, outer = bodies_of([(body, outputs)])
        kept = {root(n) for n in shared if n is not None}
        self.residuals = [_own(Tensor(n, trace, owned=False), kept) for n in outer]
        self.function = _function(name, bodies[0].graph)
        self.function.body = bodies[0]


def root(node: Node) -> Node:
    """The node whose memory a value may share."""
    while isinstance(viewed := node.op.viewed(node.args, node.kwargs), Ref):
        node = node.inputs[viewed.index]
    return node


def _own(value: Tensor, shared: set[Node]) -> Any:
    """A value that the caller cannot change: of an array that he has, too, a copy."""
    found = root(value._node)
    return np.copy(value) if value._node.type.has_memory and (found.is_leaf or found in shared) else value


def _function(name: str, graph: Graph) -> Any:
    """A traced function that runs a graph."""

    def run(values: tuple[Any, ...]) -> tuple[Any, ...]:
        trace = current()
        assert trace is not None
        nodes = [trace.value_node(v) for v in values]
        types = [n.type for n in graph.outputs]
        return tuple(record(trace, "call", [Body(name, graph), nodes], types, [True] * len(types)))

    def pulled(*values: Any) -> tuple[Any, ...]:
        return run(values)

    return Function(pulled, Options(name=name, on_unsupported="error"))
