"""The values of a forward round that the same round of the walk back needs."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ir.graph import Node
from ...ir.op import by_name
from ...ir.types import Kind
from ...trace.body import BodyTrace
from ...trace.tensor import Tensor
from ..needed import Around, Needed, opened
from .keeping import Kept
from .loop import Loop


class NeededOfRound(Needed):
    """The nodes of a loop's body in the round of number `index`. `kept` are the values that the forward rounds keep."""

    def __init__(self, body: BodyTrace, loop: Loop, index: Tensor, kept: Kept, around: Around,
                 computes_all: bool = False) -> None:  # fmt: skip
        super().__init__(body, around, computes_all)
        self._loop, self._index, self._kept = loop, index, kept

    def enter_round(self, operands: Sequence[Tensor], rows: Sequence[Tensor]) -> None:
        """Records the nodes of the body, given the operands and the arrays whose rows it takes."""
        body, loop = self.body, self._loop
        start = len(body.nodes)
        given = []
        if loop.index is not None:
            given.append((loop.index, body.value_node(self._index_of_round())))
        given += [(n, body.node_of(o)) for n, o in zip(loop.operand_inputs, operands, strict=True)
                  if not n.type.kind.is_random]  # fmt: skip
        taken = [Tensor(body.node_of(r), body, owned=False)[self._index] for r in rows]
        given += zip(loop.row_inputs, [body.node_of(r) for r in taken], strict=True)
        self.give(given, [*body.nodes[start:], self._index._node])
        self.enter(loop.graph)

    def opened(self) -> contextlib.AbstractContextManager[BodyTrace]:
        return opened(self._kept.home, self._loop.node, Loop.of(self._loop.node).body)

    def can_keep(self, node: Node) -> bool:
        return node.type.kind is not Kind.LIST

    def _index_of_round(self) -> Any:
        """The index of the round, given its number."""
        start, _, step = [self._bound(a) for a in self._loop.node.args[:3]]
        number = self._index
        scaled = number if type(step) is int and step == 1 else number * step
        return scaled if type(start) is int and start == 0 else scaled + start

    def _bound(self, bound: Any) -> Any:
        found = self._kept.bound(bound)
        return self.around(found._node) if type(found) is Tensor else found

    def read(self, node: Node) -> Node:
        body, found = self.body, node.type
        stack = Tensor(body.node_of(self.around(self._kept.stack(node))), body, owned=False)
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
