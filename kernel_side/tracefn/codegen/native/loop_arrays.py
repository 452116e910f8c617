"""Arrays in loop kernels: where their elements are, and the copies that are written into."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ...ir.graph import Node
from ...ir.types import Kind
from .loop_emitter import INT, Checking, Unfit
from .loop_scalars import Number
from .scalars import memory_type


def is_array(node: Node) -> bool:
    """True for arrays with axes: those without are computed with as scalars are."""
    return node.type.kind is Kind.ARRAY and node.type.ndim > 0


@dataclasses.dataclass(frozen=True, eq=False)
class Array:
    """C-contiguous memory that holds an array: the registers of its address and lengths. `node` tells its type: an
    argument, that it is or was copied from. `replaces` is true for a copy that takes the place of the argument."""

    address: str
    node: Node
    lengths: tuple[str, ...]
    replaces: bool = False


class Arrays:
    """Emits reads and writes of elements. `made` are the new arrays."""

    def __init__(self, emitter: Checking) -> None:
        self._e = emitter
        self.made: list[Array] = []

    def read(self, array: Array, indices: Sequence[str]) -> str:
        dtype = array.node.type.dtype
        value = self._e.do(f"load {memory_type(dtype)}, ptr {self._element(array, indices)}")
        return self._e.do(f"icmp ne i8 {value}, 0") if dtype.kind == "b" else value

    def write(self, array: Array, indices: Sequence[str], value: Number) -> None:
        """Writes a number, as the array's dtype has it."""
        dtype = array.node.type.dtype
        element = self._element(array, indices)
        fitting = self._e.fitting(value.name, value.dtype, dtype)
        if dtype.kind == "b":
            fitting = self._e.do(f"zext i1 {fitting} to i8")
        self._e.put(f"store {memory_type(dtype)} {fitting}, ptr {element}")

    def _element(self, array: Array, indices: Sequence[str]) -> str:
        """The address of an element. An index outside of the array leaves the kernel."""
        e = self._e
        if len(indices) != len(array.lengths) or not indices:
            raise Unfit("an index of something else than one element")
        place = ""
        for index, length in zip(indices, array.lengths, strict=True):
            below = e.compare("slt", INT, index, "0")
            index = e.select(below, INT, e.do(f"add i64 {index}, {length}"), index)
            e.leave_if(e.compare("uge", INT, index, length))
            place = e.do(f"add nuw nsw i64 {e.do(f'mul nuw nsw i64 {place}, {length}')}, {index}") if place else index
        return e.do(f"getelementptr inbounds {memory_type(array.node.type.dtype)}, ptr {array.address}, i64 {place}")

    def copy(self, old: Array, replaces: bool) -> Array:
        """A new array with the same elements."""
        e = self._e
        new = Array(f"%m{len(self.made)}", old.node, old.lengths, replaces)
        self.made.append(new)
        size = str(old.node.type.dtype.itemsize)
        for length in old.lengths:
            size = e.do(f"mul i64 {size}, {length}")
        e.intrinsics.add("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
        e.put(f"call void @llvm.memcpy.p0.p0.i64(ptr {new.address}, ptr {old.address}, i64 {size}, i1 false)")
        return new
