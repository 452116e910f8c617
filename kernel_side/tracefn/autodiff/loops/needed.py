"""What a round of the walk back needs of the round forward: what is computed once more, and what is kept."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from ...ir.dims import Dim
from ...ir.graph import Node, input_node, pure_symbol, template_symbols
from ...ir.op import CONSTANT, DIM, INPUT, ITEM, by_name
from ...ir.types import Kind
from ...passes.rewrite import with_inputs
from ...trace.body import BodyTrace
from ...trace.tensor import Tensor
from ..expanded import copied
from .keeping import Kept
from .loop import Loop


class Needed:
    """The nodes of a loop's body in a round of the walk back, `copies` by the node of the body.

    All of them are recorded once more at first; `settle` then decides which of them are, and which the loop keeps.
    """

    def __init__(self, body: BodyTrace, loop: Loop, index: Tensor, kept: Kept) -> None:
        self._body, self._loop, self._index, self._kept = body, loop, index, kept
        self.copies: dict[Node, Node] = {}
        self.nodes: list[Node] = []
        self._cheap: dict[Node, bool] = {}
        self._free: set[Node] = set()  # what costs nothing: inputs of the loop, the index, rows

    def enter(self, operands: Sequence[Node], rows: Sequence[Tensor]) -> None:
        """Records the nodes of the body, given the nodes of the operands and the arrays whose rows it takes."""
        body, loop = self._body, self._loop
        start = len(body.nodes)
        if loop.index is not None:
            self.copies[loop.index] = body.value_node(self._index_of_round())
        self._give(loop.operand_inputs, operands)
        taken = [Tensor(body.node_of(r), body, owned=False)[self._index] for r in rows]
        self._give(loop.row_inputs, [body.node_of(r) for r in taken])
        self._free |= {*body.nodes[start:], *self.copies.values(), self._index._node}
        for node in loop.state_inputs:
            self._placeholder(node)
        for node in loop.graph.nodes:
            if node in self.copies:
                continue
            if not node.pure or any(n not in self.copies for n in node.inputs):
                if node.container is None:
                    self._placeholder(node)
                continue
            self.copies[node] = made = copied(node, self.copies)
            self.nodes.append(made)
            body.nodes.append(made)

    def _give(self, inner: Sequence[Node], given: Sequence[Node]) -> None:
        self.copies |= dict(zip(inner, given, strict=True))

    def _placeholder(self, node: Node) -> None:
        """A value of the round that cannot be computed once more."""
        made = input_node("value", node.type)
        self.copies[node] = made
        self._body.nodes.append(made)

    def _index_of_round(self) -> Any:
        """The index of the round, given its number."""
        start, _, step = [self._bound(a) for a in self._loop.node.args[:3]]
        number = self._index
        scaled = number if type(step) is int and step == 1 else number * step
        return scaled if type(start) is int and start == 0 else scaled + start

    def _bound(self, bound: Any) -> Any:
        found = self._kept.bound(bound)
        return Tensor(self._body.node_of(found), self._body, owned=False) if type(found) is Tensor else found

    def settle(self, outputs: list[Node]) -> list[Node]:
        """Leaves in the body what the outputs need, with what is kept in the place of what is not computed once more.
        Gives the outputs."""
        body = self._body
        self._originals = {copy: node for node, copy in self.copies.items() if copy not in self._free}
        nodes = [self._without_values(n) for n in body.nodes]
        new = {before: after for before, after in zip(body.nodes, nodes, strict=True) if before is not after}
        start = len(body.nodes)
        live = _live(outputs, new, self._originals)
        measured = self._measured(nodes, live)
        for copy in self._wanted(nodes, live, [*outputs, *measured]):
            if not self._is_cheap(copy):
                new[copy] = self._read(self._originals[copy])
        reads = body.nodes[start:]
        body.nodes[:] = self._ordered(nodes, reads, [*outputs, *measured], new)
        return [_latest(n, new) for n in outputs]

    def _measured(self, nodes: list[Node], live: set[Node]) -> list[Node]:
        """The copies that tell the lengths, of those that only values tell, which derivatives use."""
        used = {s for n in nodes if n in live and n not in self._originals for s in template_symbols(n)}
        found: dict[str, Node] = {}
        for copy in nodes if used else ():
            if copy in self._originals and copy.container is None:
                for length in copy.type.readable_lengths:
                    name = pure_symbol(length) if isinstance(length, Dim) and length.depends_on_values else None
                    if name in used:
                        found.setdefault(name, copy)
        return list(found.values())

    def _without_values(self, node: Node) -> Node:
        """An array of one number that has the shape of a value of the round: the shape alone will do."""
        if node in self._originals or node.op.name not in _LIKE or node.inputs[0] not in self._originals:
            return node
        shape, dtype = node.type.shape, node.type.dtype
        if any(isinstance(n, Dim) and n.depends_on_values for n in shape):
            return node
        op = by_name(_LIKE[node.op.name])
        return Node(op, (), (shape,), (("dtype", dtype),), node.types, None, node.scope, node.source)

    def _wanted(self, nodes: list[Node], live: set[Node], outputs: list[Node]) -> list[Node]:
        """The copies that derivatives use, and those that these are computed of, if that is cheap."""
        originals = self._originals
        waiting = [n for n in outputs if n in originals]
        waiting += [
            n for node in nodes if node in live and node not in originals for n in node.inputs if n in originals
        ]
        found: dict[Node, None] = {}
        while waiting:
            copy = waiting.pop()
            if copy not in found:
                found[copy] = None
                if self._is_cheap(copy):
                    waiting += [n for n in copy.inputs if n in originals]
        return list(found)

    def _is_cheap(self, copy: Node) -> bool:
        """True for what is computed once more: of what is at hand, in little time; and for what cannot be kept."""
        if copy not in self._cheap:
            self._cheap[copy] = self._decide(copy)
        return self._cheap[copy]

    def _decide(self, copy: Node) -> bool:
        if copy.op is INPUT:
            return False
        if copy.op in (CONSTANT, DIM) or copy.container is not None or copy.type.kind is Kind.LIST:
            return True
        is_quick = copy.op.elementwise or copy.op.view or copy.op.style in ("index", "operator", "builtin", "method")
        inner = [n for n in copy.inputs if n in self._originals]
        return copy.op is not ITEM and bool(is_quick) and all(map(self._is_cheap, inner))

    def _read(self, node: Node) -> Node:
        """The value of a node of the body in this round."""
        body, found = self._body, node.type
        stack = Tensor(body.node_of(Tensor(self._kept.stack(node), self._kept.home, owned=False)), body, owned=False)
        if stack._node.type.kind is Kind.LIST:
            read = body.node_of(body.record(by_name("list_get"), (stack, self._index), {}))
            body.nodes[-1] = exact = dataclasses.replace(read, types=node.types)  # its lengths have their own names
            return exact
        value = stack[self._index]
        if found.kind is Kind.PYTHON:
            name = {"b": "bool", "i": "int", "f": "float", "c": "complex"}[found.dtype.kind]
            value = body.record(by_name(name), (value,), {})
        elif found.kind is Kind.ARRAY and not found.shape:
            value = np.copy(value)
        return body.node_of(value)

    def _ordered(self, nodes: list[Node], reads: list[Node], outputs: list[Node], new: dict[Node, Node]) -> list[Node]:
        """The nodes that outputs need, those that are kept first, on their new inputs."""
        body = self._body
        made = dict.fromkeys([*body.explicit, *body.lifted.values(), *reads])
        for node in nodes:
            if node in made or _latest(node, new) is not node or node.op is INPUT:
                continue
            after = with_inputs(node, tuple([_latest(n, new) for n in node.inputs]))
            if after is not node:
                new[node] = after
            made[after] = None
        live = _live(outputs, new, {})
        return [n for n in made if n in live or n.op is INPUT]


_LIKE = {"zeros_like": "zeros", "ones_like": "ones", "empty_like": "zeros"}


def _latest(node: Node, new: dict[Node, Node]) -> Node:
    while node in new:
        node = new[node]
    return node


def _live(outputs: Iterable[Node], new: dict[Node, Node], ends: Collection[Node]) -> set[Node]:
    """The nodes that some are computed of, up to those that are `ends`."""
    live: set[Node] = set()
    waiting = [_latest(n, new) for n in outputs]
    while waiting:
        node = waiting.pop()
        if node not in live:
            live.add(node)
            if node not in ends:
                waiting += [_latest(n, new) for n in node.inputs]
    return live
