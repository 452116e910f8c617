"""Variables of a loop that rounds leave as they are or set to one number: flags (`found = True`), types of sums.

The value of such a variable after the loop says whether any round has set it, and that needs no order of rounds.
"""

from __future__ import annotations

from typing import Any

from ....ir.graph import Graph, Node
from ....ir.op import CONSTANT, ITEM
from ....ir.template import Ref
from ....ir.types import Kind

Numbers = frozenset[Any]
"""The numbers that a value may be, and OWN for the value of the variable before the round."""
OWN = "own"


def marks(loop: Node) -> dict[int, int]:
    """Variable → the number, for those of a loop over a range that its rounds read for nothing else."""
    body, types = loop.args[3].graph, loop.types
    if len(body.outputs) != len(types):
        return {}
    found = {k: _set_to(body, k) for k in range(len(types))}
    return {k: number for k, number in found.items() if number is not None}


def _set_to(body: Graph, k: int) -> int | None:
    own = body.inputs[1 + k]
    if own.type.kind is Kind.ARRAY or own.type.dtype.kind not in "biu":
        return None
    found = _results(body, {own: frozenset([OWN])})
    if found is None or set(found) != {k} or len(found[k]) != 2:
        return None
    (number,) = found[k] - {OWN}
    return int(number)


def _results(graph: Graph, carried: dict[Node, Numbers]) -> dict[int, Numbers] | None:
    """Output → the numbers that it may be, for those that `carried` reaches through branches. None if it is used
    otherwise."""
    branches: dict[Node, dict[int, Numbers]] = {}
    for node in graph.nodes:
        if node.op is ITEM and node.inputs[0] in branches:
            if found := branches[node.inputs[0]].get(node.args[1]):
                carried[node] = found
        elif not carried.keys().isdisjoint(node.inputs):
            given = _through(node, carried)
            if given is None:
                return None
            branches[node] = given
    return {i: carried[output] for i, output in enumerate(graph.outputs) if output in carried}


def _through(node: Node, carried: dict[Node, Numbers]) -> dict[int, Numbers] | None:
    """The same for the results of a branch. None where they may be more than carried values and numbers."""
    if node.op.name != "cond":
        return None
    choice, *bodies, operands = node.args
    given = [node.inputs[i.index] if isinstance(i, Ref) else None for i in operands.items]
    if isinstance(choice, Ref) and node.inputs[choice.index] in carried:
        return None
    united: dict[int, Numbers] = {}
    sides = []
    for body in bodies:
        pairs = zip(body.graph.inputs, given, strict=True)
        side = _results(body.graph, {inner: carried[outer] for inner, outer in pairs if outer in carried})
        if side is None:
            return None
        sides.append(side)
    for k in {k for side in sides for k in side}:
        for body, side in zip(bodies, sides, strict=True):
            output = body.graph.outputs[k]
            if k not in side and output.op is not CONSTANT:
                return None
            own = side[k] if k in side else frozenset([output.args[0].value])
            united[k] = united.get(k, frozenset()) | own
    return united
