"""The walk back through a loop: a loop over its rounds from the last to the first."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from ...errors import MissingDerivativeError, message
from ...ir.graph import Node
from ...ir.op import by_name
from ...ir.template import Body
from ...ir.types import Kind, python
from ...trace.body import BodyTrace
from ...trace.control.record import record
from ...trace.origin import where
from ...trace.tensor import Tensor
from ...trace.values.symbolic_int import SymbolicInt
from ..control import cotangent_type, of_type, settled, under_way, zeros_like
from ..reverse import reverse
from ..rules import THROUGH, Call, Part
from .keeping import Kept
from .loop import Loop
from .needed import NeededOfRound
from .sunk import Sunk


def through_loop(call: Call, g: Any, active: Collection[Node]) -> Iterator[Part]:
    """The cotangents of a loop's operands."""
    yield from _Walk(call, g, active).parts()


class _Walk:
    def __init__(self, call: Call, g: Sequence[Any], active: Collection[Node]) -> None:
        self._call, self._trace = call, under_way()
        self._loop = loop = Loop.of(call.node)
        self._kept = Kept(call.trace, call.node)
        self._g = list(g) + [None] * (len(call.node.types) - len(g))
        self._state = loop.active_state(active)
        self._given = [*loop.rows, *loop.operands]
        self._wanted = [n in active for n in self._given]
        self._refuse_growing()

    def _refuse_growing(self) -> None:
        """Raises for an array that has another length after each round: a list may have."""
        loop = self._loop
        for before, after, is_active in zip(loop.state_inputs, loop.next_state, self._state, strict=True):
            if is_active and before.type.kind is not Kind.LIST and before.type.shape != after.type.shape:
                raise MissingDerivativeError(
                    message(
                        f"the derivative of a loop whose rounds change the lengths of an array ({after.type!r}) is not "
                        "known",
                        where(after.source),
                        "Give it its last length before the loop, or gather parts in a list.",
                    )
                )

    def parts(self) -> Iterator[Part]:
        loop, trace = self._loop, self._trace
        rounds = self._kept.rounds(loop)
        body = BodyTrace(trace, f"{loop.body.name} backwards")
        body.computes_again = True
        index = body.input("k", python(int))
        outputs = body.run(self._round, body, index)
        states = [n for n, is_active in zip(loop.state, self._state, strict=True) if is_active]
        outputs = body.run(self._needed.settle, outputs)
        first = [*self._first_cotangents(), *map(self._so_far, self._accumulated)]
        sunk = Sunk(trace, body, outputs, first, rounds)
        for number in range(len(states), len(outputs)) if type(rounds) in (int, SymbolicInt) else ():
            sunk.take(number)
        sunk.settle()
        types = [n.type for n in body.explicit[1:]]
        likes = [*states, *self._accumulated]
        first = [
            zeros_like(self._call.tensor(likes[number])) if value is None else value
            for number, value in zip(sunk.left, first, strict=True)
        ]
        nodes = [of_type(trace, v, t) for v, t in zip(first, types, strict=True)]
        outer = list(body.lifted)
        graph = body.graph(outputs, outer)
        last = rounds - 1
        results = record(
            trace,
            "for_loop",
            [last, -1, -1, Body(body.name, graph), nodes, outer],
            types,
            [True] * len(types),
        )
        yield from zip(likes, sunk.totals(list(results)), strict=True)

    def _first_cotangents(self) -> list[Any]:
        """The cotangents of the parts of the state that derivatives flow through, after the last round."""
        found = []
        for position, is_active in enumerate(self._state):
            if is_active:
                g = self._g[position]
                like = self._call.tensor(
                    self._call.items[position] if position in self._call.items else self._loop.state[position]
                )
                found.append(zeros_like(like) if g is None else g)
        return found

    def _so_far(self, node: Node) -> Any:
        """The sum that rounds add to: the cotangent of a value that they all use, None for none."""
        return None if node in self._loop.rows else self._call.take(node)

    def _round(self, body: BodyTrace, index: Tensor) -> list[Node]:
        """Records one round of the walk: the body's nodes once more, and their derivatives."""
        loop, call = self._loop, self._call
        self._needed = needed = NeededOfRound(body, loop, index, self._kept, call.tensor)
        needed.enter_round([call.tensor(n) for n in loop.operands], [call.tensor(n) for n in loop.rows])
        copies = needed.copies
        targets, sources = [], []
        for position, is_active in enumerate(self._state):
            if is_active:
                cotangent = body.input(f"g{position}", cotangent_type(loop.state_inputs[position].type))
                targets.append((copies[loop.next_state[position]], cotangent))
                sources.append(copies[loop.state_inputs[position]])
        for position, node in enumerate(loop.stacked, len(loop.state)):
            if (g := self._g[position]) is not None:
                targets.append((copies[node], Tensor(body.node_of(g), body, owned=False)[index]))
        inner = [n for n, w in zip([*loop.row_inputs, *loop.operand_inputs], self._wanted, strict=True) if w]
        outer = [n for n, w in zip(self._given, self._wanted, strict=True) if w]
        totals = [body.input(f"total{i}", cotangent_type(n.type)) for i, n in enumerate(outer)]
        rows = sum(self._wanted[: len(loop.rows)])
        targets += [(copies[n], total) for n, total in list(zip(inner, totals, strict=True))[rows:]]
        found = reverse(body, needed.nodes, targets, [*sources, *[copies[n] for n in inner]])
        outputs = [
            settled(body, part, Tensor(source, body, owned=False))
            for part, source in zip(found[: len(sources)], sources, strict=True)
        ]
        self._accumulated = []
        for number, (node, total, part) in enumerate(zip(outer, totals, found[len(sources) :], strict=True)):
            if part is None or (number >= rows and body.node_of(part) is total._node):
                body.explicit.remove(total._node)
                continue
            if number < rows:
                part = body.record(by_name("setitem"), (total, (), index, part), {})
            self._accumulated.append(node)
            outputs.append(settled(body, part, total))
        return outputs


THROUGH |= dict.fromkeys(("for_loop", "while_loop", "scan"), through_loop)
