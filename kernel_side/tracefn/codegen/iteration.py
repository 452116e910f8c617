"""Loops over the rows of arrays: `for row in x` takes half the time of `x[i]` in each round."""

from __future__ import annotations

from ..ir.dims import Length
from ..ir.graph import Graph, Node, fed_by
from ..ir.op import DIM
from ..ir.template import Body, Ref


def rows_taken(node: Node) -> dict[Node, Node]:
    """The nodes `x[i]` of a loop's body that read the row of each round, with the array around the loop.

    Such an array is none of the loop's variables, so that it holds the same in all rounds, and has a row for each.
    """
    start, stop, step, body = node.args[:4]
    if (start, step) != (0, 1):
        return {}
    count = _count(node, stop)
    index, around = body.graph.inputs[0], dict(zip(body.graph.inputs, fed_by(node, body), strict=True))
    variables = len(node.args[4].items)
    outer = set(body.graph.inputs[1 + variables :])
    return {
        n: array
        for n in body.graph.nodes
        if n.op.name == "getitem" and n.args == (Ref(0), Ref(1)) and n.inputs[1] is index and n.inputs[0] in outer
        if (array := around[n.inputs[0]]) is not None and array.type.shape[:1] == (count,)
    }


def needs_number(body: Body, taken: dict[Node, Node]) -> bool:
    """True if the body uses the number of the round for more than those rows."""
    graph: Graph = body.graph
    index = graph.inputs[0]
    return index in graph.outputs or any(index in n.inputs for n in graph.nodes if n not in taken)


def _count(node: Node, stop: object) -> Length | object:
    """The number of rounds, as a length."""
    if isinstance(stop, Ref) and node.inputs[stop.index].op is DIM:
        return node.inputs[stop.index].args[0]
    return stop
