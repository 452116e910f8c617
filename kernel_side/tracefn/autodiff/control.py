"""Derivatives of calls and branches: a branch that chooses as they do takes cotangents back."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from ..errors import MissingDerivativeError, message
from ..ir.dims import Dim
from ..ir.graph import Node
from ..ir.op import by_name
from ..ir.template import Body, Ref
from ..ir.types import Kind, TensorType
from ..trace.active import current
from ..trace.context import Trace
from ..trace.control.record import record
from ..trace.origin import where
from ..trace.tensor import Tensor
from .arms import KeptByArms, NeededOfArm, by_arms, operands_of
from .fitting import is_differentiable, own
from .lists import zeros_of
from .reverse import reverse
from .rules import THROUGH, Call, Part


def through_branch(call: Call, g: Any, active: Collection[Node]) -> Iterator[Part]:
    """The cotangents of operands of branches, by a branch that chooses as the node does. A call is a branch with one
    arm.

    Quick steps of an arm are recomputed, and the branch keeps the rest. A checkpoint keeps results of
    effects alone, and the memory of its values is given back in between; the body of any other call merges with
    the call itself.
    """
    trace, node = under_way(), call.node
    is_call = node.op.name in ("call", "recompute")
    operands = operands_of(node)
    wanted = [n for n in operands if n in active]
    types = [cotangent_type(n.type) for n in wanted]
    computes_all = is_call or trace.computes_again

    def around(outer: Node) -> Tensor:
        value = call.tensor(outer)
        return Tensor(_again(trace, trace.node_of(value)), trace, owned=False) if outer in again else value

    again = {n for n in operands if node.op.name == "recompute"}

    def run(needed: NeededOfArm) -> list[Node]:
        side, graph = needed.body, needed.graph
        side.computes_again = True
        needed.enter_arm()
        given = [(needed.value(n)._node, c) for n, c in zip(graph.outputs, g, strict=False) if c is not None]
        targets = [(n, _in(side, own(trace, c))) for n, c in given]
        inputs = [needed.value(i)._node for i, n in zip(graph.inputs, operands, strict=True) if n in active]
        found = reverse(side, needed.nodes, targets, inputs)
        return [settled(side, f, Tensor(i, side, owned=False)) for f, i in zip(found, inputs, strict=True)]

    graphs, outer = by_arms(trace, KeptByArms(call.trace, node), around, computes_all, run)
    selector = [] if is_call else [call.tensor(node.inputs[node.args[0].index])]
    found = record(trace, "call" if is_call else node.op.name, [*selector, *graphs, outer], types, [True] * len(types))
    yield from zip(wanted, found, strict=True)


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
    """True if nodes depend on a source of derivatives, but for paths through the nodes `without`."""
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
    """The node of a cotangent, as an array or a NumPy scalar, which later steps may write into."""
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


def _in(trace: Trace, cotangent: Any) -> Tensor:
    return Tensor(trace.node_of(cotangent), trace, owned=False)


def _again(trace: Trace, node: Node) -> Node:
    made = Node(by_name("computed_again"), (node,), (Ref(0),), (), node.types, None, node.scope, node.source)
    trace.nodes.append(made)
    return made


THROUGH |= {
    **dict.fromkeys(("call", "recompute", "cond", "switch"), through_branch),
    "with_derivative": through_own,
}
