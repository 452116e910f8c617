"""A loop without its effects: it repeats the rounds of the loop, with the random numbers that they drew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import MissingDerivativeError, message
from ...ir.graph import Node
from ...ir.template import Body
from ...ir.types import python
from ...trace.body import BodyTrace
from ...trace.control.record import record
from ...trace.origin import where
from ...trace.tensor import Tensor
from ..needed import TWINS, Needed
from .keeping import Kept
from .loop import Loop
from .needed import NeededOfRound


def twin_of_loop(needed: Needed, node: Node, forward: BodyTrace) -> Mapping[int, Node]:
    """Records, in the trace of `needed`, the loop `node` of the trace `forward`. Gives its results by their numbers."""
    loop, kept, trace = Loop.of(node), Kept(forward, node), needed.body
    if loop.stacked:
        raise MissingDerivativeError(
            message(
                "the derivative of a scan with random numbers or effects, inside of a branch, loop or checkpoint, is "
                "not known",
                where(node.source),
                "Write it as a loop, or draw the numbers before it.",
            )
        )
    rounds: Any = kept.rounds(loop)
    if type(rounds) is Tensor:
        rounds = needed.value(rounds._node)
    given = [i for i, n in enumerate(loop.state) if not n.type.kind.is_random]
    body = BodyTrace(trace, loop.body.name)
    index = body.input("k", python(int))
    state = [(loop.state_inputs[i], body.input(f"s{i}", loop.state_inputs[i].type)._node) for i in given]
    inner = NeededOfRound(body, loop, index, kept, needed.value, computes_all=True)

    def run() -> list[Node]:
        inner.give(state)
        inner.enter_round([needed.value(n) for n in loop.operands], [needed.value(n) for n in loop.rows])
        return [inner.value(loop.next_state[i])._node for i in given]

    outputs = body.run(inner.settle, body.run(run))
    outer = list(body.lifted)
    first = [needed.value(loop.state[i]) for i in given]
    types = [node.types[i] for i in given]
    made = Body(body.name, body.graph(outputs, outer))
    results = record(trace, "for_loop", [0, rounds, 1, made, first, outer], types)
    return {i: result._node for i, result in zip(given, results, strict=True)}


TWINS |= dict.fromkeys(("for_loop", "while_loop", "scan"), twin_of_loop)
