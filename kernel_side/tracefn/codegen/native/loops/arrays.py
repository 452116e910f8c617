"""Arrays in loop kernels: where their elements are, and which of them may be in the same place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....ir.graph import Node
from ....ir.types import Kind
from ....records import dataclass
from ..scalar.emitter import DType, memory_type
from .checked import INT, Checking, Unfit
from .scalars import Number
from .value_ranges import is_known


def is_array(node: Node) -> bool:
    """True for arrays with axes: those without are computed with as scalars are."""
    return bool(node.types) and node.type.kind is Kind.ARRAY and node.type.ndim > 0


@dataclass(eq=False)
class Memory:
    """A piece of memory. Different pieces never overlap. `is_own`: the kernel may write into it."""

    is_own: bool


@dataclass(frozen=True, eq=False)
class Array:
    """Where an array lies: the registers or literals of its address, lengths, and strides in bytes. `node` has its
    dtype; for arguments, copies of them and new arrays it is the array itself. `keeps` is true for a copy with
    which an argument gets its old content back. `offset` is how far its first element is from the start of its memory:
    bytes, and other terms. `bounds` are the largest lengths it may have, where they are known."""

    address: str
    node: Node
    lengths: tuple[str, ...]
    strides: tuple[str, ...]
    memory: Memory
    bounds: tuple[int | None, ...]
    offset: tuple[int, tuple[tuple[str, ...], ...]] = (0, ())
    keeps: bool = False
    is_dense: bool = True

    @property
    def dtype(self) -> DType:
        return self.node.type.dtype

    @property
    def ndim(self) -> int:
        return len(self.lengths)


def dense_strides(e: Checking, lengths: Sequence[str], dtype: DType) -> tuple[str, ...]:
    """The strides of a C-contiguous array."""
    found = [str(dtype.itemsize)]
    for length in reversed(lengths[1:]):
        found.insert(0, product(e, found[0], length))
    return tuple(found)


def product(e: Checking, a: str, b: str) -> str:
    """Of two integers, of which any may be known."""
    if is_known(a) and is_known(b):
        return str(int(a) * int(b))
    if "1" in (a, b):
        return b if a == "1" else a
    return e.do(f"mul nsw i64 {a}, {b}")


def is_same_place(a: Array, b: Array) -> bool:
    """True if two arrays certainly have the same elements, one by one."""
    where = [(x.memory, x.offset, x.lengths, x.dtype) for x in (a, b)]
    strides = [[s for s, n in zip(x.strides, x.lengths, strict=True) if n != "1"] for x in (a, b)]
    return where[0] == where[1] and strides[0] == strides[1]


def may_overlap(a: Array, b: Array) -> bool:
    """True unless two arrays certainly have no element in common."""
    if a.memory is not b.memory:
        return False
    if a.offset[1] != b.offset[1] or not all(map(is_known, (*a.lengths, *a.strides, *b.lengths, *b.strides))):
        return True
    views: Any = [_ghost(x, x.offset[0] - min(a.offset[0], b.offset[0])) for x in (a, b)]
    try:
        return bool(np.shares_memory(views[0], views[1], max_work=_PATIENCE))
    except np.exceptions.TooHardError:
        return True


_NOWHERE = 1 << 46
_PATIENCE: Any = 1000  # of NumPy, which may need long to find out


class _Address:
    """Memory that is never touched, as NumPy's interface describes it."""

    def __init__(self, array: Array, offset: int) -> None:
        self.__array_interface__ = {
            "version": 3,
            "data": (_NOWHERE + offset, False),
            "shape": tuple(map(int, array.lengths)),
            "strides": tuple(map(int, array.strides)),
            "typestr": array.dtype.str,
        }


def _ghost(array: Array, offset: int) -> object:
    """An array with the layout of another one, at an address that is never read."""
    return np.asarray(_Address(array, offset))


class Arrays:
    """Emits reads and writes of elements, and makes arrays: `made` are those that Python is to make. `room` is the
    size in bytes of the kernel's scratch buffer."""

    def __init__(self, emitter: Checking) -> None:
        self._e = emitter
        self.made: list[Array] = []
        self.room = 0

    def read(self, array: Array, indices: Sequence[str]) -> str:
        dtype = array.dtype
        value = self._e.do(f"load {memory_type(dtype)}, ptr {self._element(array, indices, is_write=False)}")
        return self._e.do(f"icmp ne i8 {value}, 0") if dtype.kind == "b" else value

    def unchecked(self, array: Array, index: str) -> str:
        """Reads an element of a row at an index that is known to be right."""
        place = self._e.do(f"getelementptr i8, ptr {array.address}, i64 {product(self._e, index, array.strides[0])}")
        return self._e.do(f"load {memory_type(array.dtype)}, ptr {place}")

    def write(self, array: Array, indices: Sequence[str], value: Number) -> None:
        """Writes a number, as the array's dtype has it."""
        dtype = array.dtype
        element = self._element(array, indices, is_write=True)
        fitting = self._e.fitting(value.name, value.dtype, dtype)
        if dtype.kind == "b":
            fitting = self._e.do(f"zext i1 {fitting} to i8")
        self._e.put(f"store {memory_type(dtype)} {fitting}, ptr {element}")

    def index(self, index: str, length: str) -> str:
        """An index from 0 on. One outside of the array leaves the kernel."""
        e = self._e
        if is_known(index) and is_known(length):
            found = int(index) + int(length) * (int(index) < 0)
            if not 0 <= found < int(length):
                raise Unfit("an index outside of the array")
            return str(found)
        if e.ahead is not None:
            return e.ahead.index(index, length)
        below = e.compare("slt", INT, index, "0")
        index = e.select(below, INT, e.do(f"add i64 {index}, {length}"), index)
        e.leave_if(e.compare("uge", INT, index, length))
        return index

    def _element(self, array: Array, indices: Sequence[str], is_write: bool) -> str:
        """The address of an element. An index outside of the array leaves the kernel."""
        e = self._e
        if len(indices) != len(array.lengths) or not indices:
            raise Unfit("an index of something else than one element")
        indices = [self.index(i, n) for i, n in zip(indices, array.lengths, strict=True)]
        if e.ahead is not None:
            e.ahead.visits(array.memory, array.address, array.dtype.itemsize, indices, array.is_dense, is_write)
        place = ""
        for index, length, stride in zip(indices, array.lengths, array.strides, strict=True):
            if not array.is_dense:
                moved = product(e, index, stride)
                place = e.do(f"add nsw i64 {place}, {moved}") if place else moved
                continue
            place = e.do(f"add nuw nsw i64 {e.do(f'mul nuw nsw i64 {place}, {length}')}, {index}") if place else index
        unit = memory_type(array.dtype) if array.is_dense else "i8"
        return e.do(f"getelementptr inbounds {unit}, ptr {array.address}, i64 {place}")

    def new(self, node: Node, lengths: tuple[str, ...], keeps: bool = False) -> Array:
        """A new array that Python makes, as the node's type says. It may keep the content of an argument."""
        bounds = tuple([int(n) if is_known(n) else None for n in lengths])
        strides = dense_strides(self._e, lengths, node.type.dtype)
        made = Array(f"%m{len(self.made)}", node, lengths, strides, Memory(True), bounds, keeps=keeps)
        self.made.append(made)
        return made

    def between(self, node: Node, lengths: tuple[str, ...], bounds: tuple[int | None, ...]) -> Array:
        """A new array that is local to the kernel."""
        size = node.type.dtype.itemsize
        for bound in bounds:
            if bound is None:
                raise Unfit("an array whose size is open")
            size *= bound
        address = f"%room{self.room}"
        self._e.room.append((address, self.room))
        self.room += -(-size // 64) * 64
        return Array(address, node, lengths, dense_strides(self._e, lengths, node.type.dtype), Memory(True), bounds)
