"""Values in loop kernels: the numbers and arrays of nodes, and the open lengths."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ....ir.dims import Dim, Length
from ....ir.graph import Graph, Node
from ....ir.template import Ref
from ....ir.types import Kind, python
from ..scalar.emitter import supported
from .arrays import Array, Arrays, Memory, dense_strides, is_array
from .checked import INT, Checking, Unfit
from .scalars import Number, number

Value = Number | Array


class Values:
    """The values of the nodes of a kernel's graph, and of the bodies in it, so far. `several` are the results of
    branches and loops, `lengths` the registers of open lengths."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.e = Checking()
        self.arrays = Arrays(self.e)
        self.known: dict[Node, Any] = {}
        self.several: dict[Node, list[Value]] = {}
        self.lengths: dict[Dim, str] = {}
        for i, node in enumerate(graph.inputs):
            self.known[node] = self._argument(i, node)

    def _argument(self, index: int, node: Node) -> Value:
        if not supported(node.type.dtype) or node.type.kind not in (Kind.ARRAY, Kind.SCALAR, Kind.PYTHON):
            raise Unfit(f"an argument is {node.type!r}")
        if is_array(node):
            lengths = tuple([self._length(n) for n in node.type.shape])
            bounds = tuple([n if isinstance(n, int) else None for n in node.type.shape])
            strides = dense_strides(self.e, lengths, node.type.dtype)
            return Array(f"%a{index}", node, lengths, strides, Memory(False), bounds)
        return Number(f"%a{index}", node.type)

    def _length(self, length: Length) -> str:
        """The register of a length that is read before all else, or its literal."""
        if not isinstance(length, Dim):
            return str(length)
        if not length.symbols() <= set(self._symbols):
            raise Unfit(f"no argument has the length {length}")
        return self.lengths.setdefault(length, f"%n{len(self.lengths)}")

    @cached_property
    def _symbols(self) -> set[str]:
        return {s for s, (node, _) in self.graph.symbols.items() if node in self.graph.inputs}

    def constant(self, node: Node) -> Number:
        """A constant. One that is an array without axes is computed with as a scalar is."""
        value = node.args[0].value
        known = number(value[()] if isinstance(value, np.ndarray) else value)
        return Number(known.name, node.type, known.value)

    def item(self, node: Node) -> Value:
        """One of the results of a branch or loop."""
        if node.inputs[0] not in self.several:
            raise Unfit("one of several results")
        return self.several[node.inputs[0]][node.args[1]]

    def value(self, node: Node) -> Value:
        if node not in self.known:
            raise Unfit(f"{node.types} is no number and no array")
        found: Value = self.known[node]
        return found

    def number(self, item: Any, node: Node) -> Number:
        """The value of an item of a node's template: one of its inputs, a length, or a known number."""
        if isinstance(item, Ref):
            found = self.value(node.inputs[item.index])
            if isinstance(found, Array):
                raise Unfit(f"{node.op.name} of a {found.node.type!r}")
            return found
        if isinstance(item, Dim):
            return Number(self._length(item), python(int))
        return number(item)

    def operands(self, node: Node, operands: Any) -> list[Value]:
        found: list[Value] = []
        for item in operands.items:
            found.append(self.value(node.inputs[item.index]) if isinstance(item, Ref) else self.number(item, node))
        return found

    def integer(self, item: Any, node: Node) -> str:
        """An item of a node's template as 64 bits."""
        found = self.number(item, node)
        if found.dtype.kind not in "iu":
            raise Unfit(f"{found.type!r} is no index")
        return self.e.fitting(found.name, found.dtype, INT)

    def array(self, item: Any, node: Node) -> Array:
        found = self.value(node.inputs[item.index]) if isinstance(item, Ref) else None
        if not isinstance(found, Array):
            raise Unfit(f"{node.op.name} of something else than an array")
        return found

    def indices(self, index: Any, node: Node) -> list[str]:
        items = index if type(index) is tuple else (index,)
        if not all(isinstance(i, Ref | Dim | int | np.integer) for i in items):
            raise Unfit("an index of something else than one element")
        return [self.integer(i, node) for i in items]
