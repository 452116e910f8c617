"""A loop of a graph: its parts, which the three kinds of loops have in different places."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ...ir.graph import Graph, Node
from ...ir.template import Body, ListOf, Ref
from ...records import dataclass
from ..fitting import is_differentiable
from ..rules import has_derivative, holds_operands


@dataclass(frozen=True)
class Loop:
    """`state`, `rows` (of a scan) and `operands` are the nodes around the loop that it is given. `indices` is 1 for a
    loop over a range, whose body is given the index first."""

    node: Node
    body: Body
    indices: int
    state: list[Node]
    rows: list[Node]
    operands: list[Node]

    @classmethod
    def of(cls, node: Node) -> Loop:
        args = node.args
        if node.op.name == "scan":
            body, state, rows, _, operands = args
            return cls(node, body, 0, _nodes(node, state), _nodes(node, rows), _nodes(node, operands))
        *_, body, state, operands = args
        return cls(node, body, int(node.op.name == "for_loop"), _nodes(node, state), [], _nodes(node, operands))

    @property
    def graph(self) -> Graph:
        graph: Graph = self.body.graph
        return graph

    @property
    def index(self) -> Node | None:
        return self.graph.inputs[0] if self.indices else None

    @property
    def state_inputs(self) -> Sequence[Node]:
        return self.graph.inputs[self.indices :][: len(self.state)]

    @property
    def row_inputs(self) -> Sequence[Node]:
        return self.graph.inputs[self.indices + len(self.state) :][: len(self.rows)]

    @property
    def operand_inputs(self) -> Sequence[Node]:
        return self.graph.inputs[self.indices + len(self.state) + len(self.rows) :]

    @property
    def next_state(self) -> Sequence[Node]:
        return self.graph.outputs[: len(self.state)]

    @property
    def stacked(self) -> Sequence[Node]:
        """The results that a scan stacks."""
        return self.graph.outputs[len(self.state) :] if self.node.op.name == "scan" else ()

    @property
    def may_end(self) -> bool:
        """True for a loop over a range whose rounds say whether there is another one."""
        return self.node.op.name == "for_loop" and len(self.graph.outputs) > len(self.state)

    def active_state(self, active: Collection[Node]) -> list[bool]:
        """For each part of the state, whether derivatives flow through it. `active` are nodes around the loop."""
        found = [n in active for n in self.state]
        given = zip([*self.row_inputs, *self.operand_inputs], [*self.rows, *self.operands], strict=True)
        around = {inner for inner, outer in given if outer in active}
        while True:
            inner = around | {n for n, is_active in zip(self.state_inputs, found, strict=True) if is_active}
            for node in self.graph.nodes:
                if inner.isdisjoint(node.inputs):
                    continue
                if has_derivative(node):
                    inner.add(node)
                inner.update(filter(holds_operands, node.inputs))
            reached = [
                is_active or (n in inner and is_differentiable(n.type))
                for is_active, n in zip(found, self.next_state, strict=True)
            ]
            if reached == found:
                return found
            found = reached


def _nodes(node: Node, items: Any) -> list[Node]:
    assert isinstance(items, ListOf)
    return [node.inputs[item.index] for item in items.items if isinstance(item, Ref)]
