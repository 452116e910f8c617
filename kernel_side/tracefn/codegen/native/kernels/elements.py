"""LLVM IR of one element of a kernel: its reads, arithmetic and writes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....ir.graph import Node
from ....ir.op import CONSTANT
from ....ir.template import Ref
from ..fusion.gather import Index, WholeAxis
from ..fusion.layouts import strides_of
from ..fusion.lowering import Lowering, lowering
from ..fusion.masked import is_picking
from ..fusion.search import searched
from ..scalar.complex_numbers import compared_size
from ..scalar.emitter import DType, Emitter, Pair, literal, memory_type, part, register
from ..scalar.rules import RULES
from .kernel import Kernel, Moving


class ElementWriter:
    """Writes the instructions for one element, which `_element` collects. `_names` are the registers of the values of
    nodes, `_moving` those of addresses where tables and the like are for this element."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self._element = Emitter()
        self._names: dict[Node, Any] = {}
        self._moving: dict[Moving, str] = {}

    def _emit(self) -> None:
        """The instructions for one element; the values of the arguments have their names already."""
        e = self._element
        for node in self.kernel.graph.nodes:
            if node.op is CONSTANT:
                dtype = node.type.dtype
                self._names[node] = e.hidden(literal(node.args[0].value[()], dtype), dtype)
        for node in self.kernel.steps:
            self._names[node] = self._step(node)

    def _step(self, node: Node) -> Any:
        """The value of a step."""
        if node in self.kernel.gathers:
            return self._gathered(node)
        if (looked_for := self.kernel.searches.get(node)) is not None:
            first, last = (f"%g{self.kernel.tables.index(looked_for.tables[k])}" for k in (0, -1))
            return searched(self._element, looked_for, first, last, self._names[looked_for.keys])
        if node in self.kernel.masked:
            return self._masked(node)
        if is_picking(node):
            return self._picked(node)
        e, found = self._element, lowering(node)
        assert found is not None
        if (value := self._compared(node, found)) is not None:
            return value
        operands = []
        for operand, dtype in zip(found.operands, found.dtypes, strict=True):
            if isinstance(operand, Ref):
                source = node.inputs[operand.index]
                operands.append(e.cast(self._names[source], source.type.dtype, dtype))
            else:
                constant = literal(operand, dtype)
                operands.append(e.hidden(constant, dtype) if found.facts.chooses else constant)
        value = RULES[found.rule].emit(e, register(found.dtypes[-1]), operands)
        return e.rounded(value) if node.type.dtype.char == "e" else value

    def _compared(self, node: Node, found: Lowering) -> str | None:
        """A comparison of the absolute value of a complex number with a known number. None where it is something
        else."""
        if not found.facts.mirrored:
            return None
        left, right = found.operands
        rule = found.rule if isinstance(left, Ref) else found.facts.mirrored
        size, bound = (left, right) if isinstance(left, Ref) else (right, left)
        source = node.inputs[size.index] if isinstance(size, Ref) else node
        if isinstance(bound, Ref) or source.op.name != "absolute" or source not in self.kernel.steps:
            return None
        (number,) = source.inputs
        p = source.type.dtype
        if number.type.dtype.kind != "c" or found.dtypes[0] != p:
            return None
        return compared_size(self._element, rule, p, self._names[number], float(bound))

    def _gathered(self, node: Node) -> Any:
        """The element of a table that indices point to. An index outside is left to NumPy, which raises an error."""
        e, found, dtype, int64 = self._element, self.kernel.gathers[node], node.type.dtype, np.dtype(np.int64)
        table = self.kernel.moving_table(node)
        place = self._moving[table] if table is not None else f"%g{self.kernel.tables.index(found.table)}"
        strides = strides_of(found.lengths, tuple(range(len(found.lengths))), dtype.itemsize)
        for item, length, stride in zip(found.items, found.lengths, strides, strict=True):
            if isinstance(item, WholeAxis):
                continue
            given, is_signed = str(item), True
            if isinstance(item, Index):
                own = item.node.type.dtype
                last = item.is_last(node.type.ndim)
                value = (
                    self._names[item.node] if last else self._load(own, self._moving[self.kernel.moving_index(item)])
                )
                given, is_signed = e.cast(value, own, int64), own.kind == "i"
            from_end = e.do(f"add i64 {given}, {length}")
            counted = e.select(e.do(f"icmp slt i64 {given}, 0"), int64, from_end, given) if is_signed else given
            inside = e.do(f"icmp ult i64 {counted}, {length}")
            e.out_of_range.append(e.do(f"xor i1 {inside}, true"))
            offset = e.do(f"mul i64 {e.select(inside, int64, counted, '0')}, {stride}")
            place = e.do(f"getelementptr i8, ptr {place}, i64 {offset}")
        return self._load(dtype, place)

    def _masked(self, node: Node) -> Any:
        """The element of an array after a write where a mask is true."""
        e, found, dtype = self._element, self.kernel.masked[node], node.type.dtype
        if isinstance(found.value, Node):
            value = e.cast(self._names[found.value], found.value.type.dtype, dtype)
        else:
            constant = literal(found.value, dtype)
            value = e.hidden(constant, dtype) if dtype.kind in "fc" else constant
        return e.select(self._names[found.mask], register(dtype), value, self._names[found.base])

    def _picked(self, node: Node) -> Any:
        """The element of an array where a mask is true, and 1 elsewhere."""
        source, mask = node.inputs
        operands = [self._mask(mask), self._names[source]]
        return RULES["picked"].emit(self._element, register(source.type.dtype), operands)

    def _mask(self, mask: Node) -> Any:
        """Whether an element, or its row, is picked."""
        if mask.type.ndim == len(self.kernel.shape):
            return self._names[mask]
        return self._load(mask.type.dtype, self._moving[self.kernel.moving_mask(mask)])

    def _load(self, dtype: DType, pointer: str) -> Any:
        if dtype.kind == "c":
            second = self._element.do(f"getelementptr i8, ptr {pointer}, i64 {dtype.itemsize // 2}")
            return Pair(self._load(part(dtype), pointer), self._load(part(dtype), second))
        found = self._element.do(f"load {memory_type(dtype)}, ptr {pointer}, align {dtype.itemsize}")
        if dtype.char == "e":
            return self._element.do(f"fpext half {found} to float")
        return self._element.do(f"icmp ne i8 {found}, 0") if dtype.kind == "b" else found

    def _store(self, node: Node, pointer: str) -> None:
        self._put(self._names[node], node.type.dtype, pointer)

    def _put(self, value: Any, dtype: DType, pointer: str) -> None:
        e = self._element
        if dtype.kind == "c":
            second = e.do(f"getelementptr i8, ptr {pointer}, i64 {dtype.itemsize // 2}")
            self._put(value.real, part(dtype), pointer)
            self._put(value.imag, part(dtype), second)
            return
        if dtype.kind == "b":
            value = e.do(f"zext i1 {value} to i8")
        elif dtype.char == "e":
            value = e.do(f"fptrunc float {value} to half")
        e.lines.append(f"store {memory_type(dtype)} {value}, ptr {pointer}, align {dtype.itemsize}")
