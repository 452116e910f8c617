"""LLVM IR of a loop kernel as Python calls it: arguments into a frame (`loop_function`), `run(frame)`, results."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....ir.dims import Dim, Length
from ....ir.graph import Graph, Node
from ....ir.types import Kind, python_type
from ...entry.objects import ObjectWriter
from ...machine import abi
from .arrays import is_array
from .code import LoopCode
from .function import INTERRUPTED

LEFT, STATE, OBJECTS = range(1, 4)
"""Places in the tuple `self`, behind the function for unusual calls: that for those which the code could not finish,
and an array of int64. Then there are the objects."""

FAILED, ADDRESS = range(2)
"""The items of the array: how many calls in a row the code could not finish, and where `run` is."""

MOST_BYTES = 1 << 15
"""So much memory of its own a kernel gets from the stack."""


class UnknownLength(Exception):
    """Lengths are computed in a way that only Python knows."""


class LoopEntry(ObjectWriter):
    """Writes `entry`. Calls are left to others once `futile` of them could not be finished."""

    def __init__(self, graph: Graph, loops: LoopCode, futile: int) -> None:
        super().__init__(OBJECTS)
        self._graph, self._loops = graph, loops
        self._symbols: dict[str, str] = {}
        self._words: list[str] = []
        self._pointers: dict[Node, str] = {}
        self._futile = futile

    def module(self) -> str:
        """The text of the module. Raises UnknownLength."""
        loops, inputs = self._loops, self._graph.inputs
        self.miss_unless(f"icmp eq i64 %nargs, {len(inputs)}")
        state = self.read("ptr", self.owned(STATE), abi.DATA)
        self.miss_unless(f"icmp slt i64 {self.read('i64', state, 8 * FAILED)}, {self._futile}")
        arguments = [self.read("ptr", "%args", 8 * i) for i in range(len(inputs))]
        for value, node in zip(arguments, inputs, strict=True):
            self._argument(value, node)
        self._compare_lengths(dict(zip(inputs, arguments, strict=True)))
        for length in loops.lengths:
            self._word("i64", self._length(length))
        made = [self._array(n) for n in loops.made]
        self._room()
        first = len(self._words)
        scalars = sum(kind == "scalar" for kind, _ in loops.results)
        self.allocas.append(f"%frame = alloca [{first + scalars} x i64], align 16")
        run = self.read("ptr", state, 8 * ADDRESS)
        flags = self.do(f"call i32 {run}(ptr %frame)")
        self.check(f"icmp eq i32 {flags}, 0", "unfinished")
        self.store("i64", "0", state, 8 * FAILED)
        found = []
        for node, (kind, i) in zip(self._graph.outputs, loops.results, strict=True):
            if kind == "scalar":
                found.append(self._scalar(node, self.at("%frame", 8 * (first + i))))
            else:
                found.append(made[i] if kind == "made" else arguments[i])
        result = found[0] if len(found) == 1 else self.tuple_of(found)
        return self.text("entry", result, self._unfinished(state, flags))

    # --- arguments

    def _word(self, kind: str, value: str) -> None:
        self.store(kind, value, "%frame", 8 * len(self._words))
        self._words.append(value)

    def _argument(self, value: str, node: Node) -> None:
        dtype = node.type.dtype
        if is_array(node):
            self.is_array(value, dtype, [n if isinstance(n, int) else None for n in node.type.shape])
            wanted = abi.DENSE | abi.WRITEABLE if node in self._loops.written else abi.DENSE
            flags = self.do(f"and i32 {self.read('i32', value, abi.FLAGS)}, {wanted}")
            self.miss_unless(f"icmp eq i32 {flags}, {wanted}")
            self._pointers[node] = self.read("ptr", value, abi.DATA)
            self._word("ptr", self._pointers[node])
            return
        place = self.at(value, abi.VALUE)
        if node.type.kind is Kind.ARRAY:
            self.is_array(value, dtype, ())
            place = self.read("ptr", value, abi.DATA)
        elif node.type.kind is Kind.SCALAR:
            self.has_type(value, dtype.type)
        else:
            self.has_type(value, python_type(dtype))
            if dtype.kind != "f":
                self._word("i64", self._integer(value, dtype.kind == "b"))
                return
        kind = f"i{8 * dtype.itemsize}"
        self._word(kind, self.do(f"load {kind}, ptr {place}, align 1"))

    def _integer(self, value: str, is_bool: bool) -> str:
        if is_bool:
            return self.do(f"zext i1 {self.do(f'icmp eq ptr {value}, {self.constant(True)}')} to i64")
        number = self.do(f"call i64 @PyLong_AsLongLongAndOverflow(ptr {value}, ptr %overflow)")
        self.miss_unless(f"icmp eq i32 {self.do('load i32, ptr %overflow, align 4')}, 0")
        return number

    def _compare_lengths(self, arguments: dict[Node, str]) -> None:
        """Finds the open lengths, and that each array has those that it should."""
        for symbol, (node, axis) in self._graph.symbols.items():
            if node in arguments:
                self._symbols[symbol] = self.length_of(arguments[node], axis)
        for node, value in arguments.items():
            if is_array(node):
                for axis, length in enumerate(node.type.shape):
                    if isinstance(length, Dim):
                        self.miss_unless(f"icmp eq i64 {self.length_of(value, axis)}, {self._length(length)}")

    def _length(self, length: Length) -> str:
        if isinstance(length, int):
            return str(length)
        total = "0"
        for factors, coefficient in length.terms:
            term = str(coefficient)
            for factor in factors:
                if not isinstance(factor, str) or factor not in self._symbols:
                    raise UnknownLength
                term = self.do(f"mul i64 {term}, {self._symbols[factor]}")
            total = self.do(f"add i64 {total}, {term}")
        return total

    # --- memory

    def _array(self, node: Node) -> str:
        """A new array, whose address goes to the frame."""
        made = self._new(node.type.dtype, [self._length(n) for n in node.type.shape])
        self._word("ptr", self.read("ptr", made, abi.DATA))
        return made

    def _new(self, dtype: Any, lengths: list[str]) -> str:
        dims = f"%dims{self.label()}"
        self.allocas.append(f"{dims} = alloca [{len(lengths)} x i64], align 8")
        for axis, length in enumerate(lengths):
            self.store("i64", length, dims, 8 * axis)
        return self.new_array(dtype, len(lengths), dims)

    def _room(self) -> None:
        """The kernel's own memory."""
        size = self._loops.room
        if size > MOST_BYTES:
            self._word("ptr", self.read("ptr", self._new(np.dtype(np.uint8), [str(size)]), abi.DATA))
        elif size:
            self.allocas.append(f"%room = alloca [{size} x i8], align 64")
            self._word("ptr", "%room")
        else:
            self._word("ptr", "null")

    # --- results

    def _scalar(self, node: Node, place: str) -> str:
        dtype = node.type.dtype
        if node.type.kind is Kind.SCALAR:
            made = self.do(f"call ptr @tf.new_scalar(ptr {place}, ptr {self.dtype(dtype)}, ptr null)")
        elif dtype.kind == "f":
            made = self.do(f"call ptr @PyFloat_FromDouble(double {self.read('double', place, 0)})")
        elif dtype.kind == "b":
            number = self.do(f"zext i8 {self.read('i8', place, 0)} to i64")
            made = self.do(f"call ptr @PyBool_FromLong(i64 {number})")
        else:
            made = self.do(f"call ptr @PyLong_FromLongLong(i64 {self.read('i64', place, 0)})")
        return self.found(made, "raise")

    def _unfinished(self, state: str, flags: str) -> list[str]:
        """Writes are taken back, and the call is left to NumPy, unless an error interrupted it."""
        before, self.lines = self.lines, ["unfinished:"]
        interrupted = self.do(f"icmp eq i32 {self.do(f'and i32 {flags}, {INTERRUPTED}')}, 0")
        self.lines += [f"br i1 {interrupted}, label %restore, label %raise", "restore:"]
        self.store("i64", self.do(f"add i64 {self.read('i64', state, 8 * FAILED)}, 1"), state, 8 * FAILED)
        first = len(self._graph.inputs) + len(self._loops.lengths)
        for k, node in enumerate(self._loops.made):
            if self._loops.kept[k]:
                count = self.product([self._length(n) for n in node.type.shape])
                size = self.do(f"mul i64 {count}, {node.type.dtype.itemsize}")
                self.call("ptr @memcpy", f"ptr {self._pointers[node]}", f"ptr {self._words[first + k]}", f"i64 {size}")
        found, self.lines = self.lines, before
        return [*found, *self.handed_over("left", LEFT)]
