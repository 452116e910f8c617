"""Derivatives of calls and branches: what their bodies compute is computed once more where its derivative is taken."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from ..errors import MissingDerivativeError, message
from ..ir.dims import Dim
from ..ir.graph import Graph, Node
from ..ir.op import by_name
from ..ir.template import Body, ListOf, Ref
from ..ir.types import Kind, TensorType
from ..trace.active import current
from ..trace.body import BodyTrace
from ..trace.context import Trace
from ..trace.control.record import bodies_of, record
from ..trace.origin import where
from ..trace.tensor import Tensor
from .expanded import expanded
from .fitting import is_differentiable, own
from .lists import zeros_of
from .reverse import reverse
from .rules import THROUGH, Call, Part


def through_call(call: Call, g: Any, active: Collection[Node]) -> Iterator[Part]:
    """The cotangents of what the body of a call uses. A checkpoint's body is computed once more, with the memory of its
    values given back in between; that of any other call is merged with the call itself."""
    trace, node = under_way(), call.node
    body = node.bodies[0]
    operands = operands_of(node)
    inputs = [trace.node_of(call.tensor(n)) for n in operands]
    if node.op.name == "recompute":
        inputs = [_again(trace, n) for n in inputs]
    yield from zip(operands, walked_back(trace, body.graph, inputs, g, _are(operands, active), node), strict=True)


def through_branch(call: Call, g: Any, active: Collection[Node]) -> Iterator[Part]:
    """The cotangents of what branches use, by a branch that chooses as the node does."""
    trace, node = under_way(), call.node
    operands = operands_of(node)
    wanted = _are(operands, active)
    types = [cotangent_type(n.type) for n, is_wanted in zip(operands, wanted, strict=True) if is_wanted]
    sides = []
    for body in node.bodies:
        side = BodyTrace(trace, body.name)

        def run(side: BodyTrace = side, graph: Graph = body.graph) -> list[Node]:
            inputs = [side.node_of(call.tensor(n)) for n in operands]
            given = [None if c is None else _in(side, own(trace, c)) for c in g]
            found = walked_back(side, graph, inputs, given, wanted, node)
            kept = [(f, i) for f, i, is_wanted in zip(found, inputs, wanted, strict=True) if is_wanted]
            return [settled(side, f, Tensor(i, side, owned=False)) for f, i in kept]

        sides.append((side, side.run(run)))
    graphs, outer = bodies_of(sides)
    selector = call.tensor(node.inputs[node.args[0].index])
    found = record(trace, node.op.name, [selector, *graphs, outer], types, [True] * len(types))
    yield from zip([n for n, is_wanted in zip(operands, wanted, strict=True) if is_wanted], found, strict=True)


def walked_back(
    trace: Trace, graph: Graph, inputs: Sequence[Node], g: Sequence[Any], wanted: Sequence[bool], node: Node
) -> list[Any]:
    """The cotangents of the inputs of a body, given those of its outputs; None for those that are not wanted."""
    again = expanded(trace, graph, inputs)
    pairs = zip(graph.outputs, g, strict=False)
    if any(c is not None and n not in again.copies for n, c in pairs):
        raise MissingDerivativeError(
            message(
                "the derivative of random numbers, or of what has an effect, in a branch or a checkpoint is not known",
                where(node.source),
                "Draw the numbers before it.",
            )
        )
    targets = [(again.copies[n], c) for n, c in zip(graph.outputs, g, strict=False) if c is not None]
    sources = [n for n, is_wanted in zip(inputs, wanted, strict=True) if is_wanted]
    found = iter(reverse(trace, again.nodes, targets, sources))
    return [next(found) if is_wanted else None for is_wanted in wanted]


def through_own(call: Call, g: Any, active: Collection[Node]) -> Iterator[Part]:
    """The cotangents that a derivative of the user's own gives. Raises `MissingDerivativeError` where the values depend
    on a source in another way than through the arguments: the derivative says nothing of that."""
    trace, node = under_way(), call.node
    values, operands, kept, body = node.args
    if not isinstance(body, Body):
        return
    by = {node.inputs[operand.index] for operand in operands.items}
    if _reaches_source([node.inputs[v.index] for v in values.items], by, active):
        raise MissingDerivativeError(
            message(
                "a function with a derivative of its own uses a value from around by which a derivative is taken",
                where(node.source),
                "Pass it as a positional argument; or pass `tracefn.stop_gradient` of it, where it is a constant.",
            )
        )
    given = [
        trace.value_node(np.zeros_like(call.tensor(node.inputs[v.index])) if c is None else c)
        for v, c in zip(values.items, g, strict=True)
        if is_differentiable(node.inputs[v.index].type)
    ]
    inputs = [*given, *[trace.node_of(call.tensor(node.inputs[k.index])) for k in kept.items]]
    types = [n.type for n in body.graph.outputs]
    found = record(trace, "call", [Body(body.name, body.graph), inputs], types, [True] * len(types))
    for operand, part in zip(operands.items, found, strict=True):
        if node.inputs[operand.index] in active:
            yield node.inputs[operand.index], part


def _reaches_source(nodes: list[Node], without: set[Node], active: Collection[Node]) -> bool:
    """True if nodes depend on a source of derivatives, but for what they get through the nodes `without`."""
    waiting, seen = list(nodes), set(without)
    while waiting:
        node = waiting.pop()
        if node in seen or node not in active:
            continue
        seen.add(node)
        found = [n for n in node.inputs if n in active]
        if not found:
            return True
        waiting += found
    return False


def operands_of(node: Node) -> list[Node]:
    """The values from around that the bodies of a node take, in order."""
    operands = node.args[-1]
    assert isinstance(operands, ListOf)
    return [node.inputs[item.index] for item in operands.items if isinstance(item, Ref)]


def cotangent_type(found: TensorType) -> TensorType:
    """The type of a cotangent: that of a Python number is a NumPy scalar, that of a list an array."""
    if found.kind is Kind.LIST:
        return TensorType(found.dtype, (Dim.fresh(), *found.shape[1:]))
    return TensorType(found.dtype, found.shape, Kind.SCALAR) if found.kind is Kind.PYTHON else found


def settled(trace: Trace, cotangent: Any, like: Tensor) -> Node:
    """The node of a cotangent with the very type that it is to have; zeros where there is none."""
    return of_type(
        trace, zeros_like(like) if cotangent is None else cotangent, cotangent_type(trace.node_of(like).type)
    )


def zeros_like(like: Tensor) -> Any:
    """The cotangent of zeros of a value."""
    return zeros_of(like) if like._node.type.kind is Kind.LIST else np.zeros_like(like)


def of_type(trace: Trace, cotangent: Any, found: TensorType) -> Node:
    """The node of a cotangent, as an array or a NumPy scalar, which what follows may write into."""
    kind = cotangent._node.type.kind
    if found.kind is not Kind.ARRAY and (kind is not found.kind or cotangent.dtype != found.dtype):
        cotangent = trace.record(by_name("as_scalar"), (cotangent, found.dtype), {})
        cotangent = cotangent[()] if cotangent._node.type.kind is Kind.ARRAY else cotangent
    elif found.kind is Kind.ARRAY and kind is not Kind.ARRAY:
        cotangent = np.copy(cotangent)
    return trace.node_of(own(trace, cotangent))


def under_way() -> Trace:
    trace = current()
    assert trace is not None
    return trace


def _are(nodes: Sequence[Node], active: Collection[Node]) -> list[bool]:
    return [n in active for n in nodes]


def _in(trace: Trace, cotangent: Any) -> Tensor:
    return Tensor(trace.node_of(cotangent), trace, owned=False)


def _again(trace: Trace, node: Node) -> Node:
    made = Node(by_name("computed_again"), (node,), (Ref(0),), (), node.types, None, node.scope, node.source)
    trace.nodes.append(made)
    return made


THROUGH |= {
    "call": through_call,
    "recompute": through_call,
    "cond": through_branch,
    "switch": through_branch,
    "with_derivative": through_own,
}
