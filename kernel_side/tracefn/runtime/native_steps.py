"""Finds the steps of a short native program, which the machine code of a call can run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..codegen.native import KERNEL, LOOPS, is_number_step
from ..ir.dims import Dim
from ..ir.graph import Graph, Node
from ..ir.op import CONSTANT, ITEM
from ..ir.template import Ref
from .calls.steps import Known, Step, Steps

MOST_STEPS = 8
"""Longer programs run in Python, where the cost of one call is small beside theirs."""


def call_steps(graph: Graph, kernels: Sequence[Any]) -> Steps | None:
    """The steps of a native program with these kernels. None where it does more, or nothing but one kernel."""
    nodes = [n for n in graph.nodes if not n.is_leaf and n.op is not ITEM]
    if len(nodes) > MOST_STEPS or not any(map(is_number_step, nodes)) or not kernels:
        return None
    left, steps = list(kernels), list[Step]()
    for node in nodes:
        if node.op is KERNEL and node.args[0].name != LOOPS and not node.errors:
            operands, function = node.args[1].items, left.pop(0).function
        elif is_number_step(node):
            operands, function = node.args, node.op.call
        else:
            return None
        given = [operand for item in operands if (operand := _operand(node, item)) is not None]
        if len(given) < len(operands):
            return None
        steps.append(Step(function, tuple(given), _made(graph, node)))
    made = {n for step in steps for n in step.made}
    inputs = (*graph.inputs, *graph.captures)
    ops = tuple(["" if node.op is KERNEL else node.op.name for node in nodes])
    return Steps(tuple(steps), inputs, graph.outputs, ops) if made.union(inputs).issuperset(graph.outputs) else None


def _operand(node: Node, item: Any) -> Node | Known | None:
    if isinstance(item, Ref):
        found = node.inputs[item.index]
        return Known(found.args[0].value) if found.op is CONSTANT else found
    return Known(item) if type(item) in (bool, int, float, complex) and not isinstance(item, Dim) else None


def _made(graph: Graph, node: Node) -> tuple[Node, ...]:
    """The values of a step in the order of its results: itself, or its items."""
    if node.container is None:
        return (node,)
    items = {n.args[1]: n for n in graph.nodes if n.op is ITEM and n.inputs[0] is node}
    return tuple([items.get(k, node) for k in range(len(node.types))])
