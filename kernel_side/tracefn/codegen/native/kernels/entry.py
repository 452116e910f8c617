"""LLVM IR of a kernel as Python calls it: it checks the arguments, makes the results and runs the loops.

Calls that are not the usual ones (other memory layouts, many elements) are left to a Python function, and those in
which a floating-point flag was raised to another.
"""

from __future__ import annotations

import functools
from itertools import pairwise

from ....ir.graph import Node
from ....ir.types import Kind, python_type
from ...entry.objects import ObjectWriter
from ...machine import abi
from ..fusion.layouts import strides_of
from ..scalar.emitter import memory_type, part
from .kernel import Kernel
from .reduction_nest import more_words

WITHOUT_LOCK = 1 << 15
"""So many elements are worth letting other Python threads run meanwhile."""

WORTH_PLANNING = 1 << 14
"""Arguments of fewer elements that are not C-contiguous are copied, or left to NumPy: finding an order of axes takes
Python about 15 µs."""

FLAGGED, NUMPY, WORDS, OBJECTS = range(1, 5)
"""Places in the tuple `self`, behind the function for unusual calls: that for those in which a flag was raised, the
NumPy program, and an array of int64. Then there are the objects."""

ADDRESS, TOO_MANY = range(2)
"""The items of the array: the address of `run`, and the number of elements from which the function for unusual calls
takes over."""


class KernelEntry(ObjectWriter):
    """Writes `entry`, which takes a kernel's arguments."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(OBJECTS)
        self.kernel = kernel
        self._lengths = {a: str(n) for a, n in enumerate(kernel.shape) if isinstance(n, int)}
        self._data: dict[Node, str] = {}
        self._scalars: dict[Node, list[tuple[str, str]]] = {}
        self._is_by_columns = ""

    def module(self) -> str:
        """The text of the module."""
        kernel = self.kernel
        self.miss_unless(f"icmp eq i64 %nargs, {len(kernel.graph.inputs)}")
        values = [self.read("ptr", "%args", 8 * index) for index in range(len(kernel.graph.inputs))]
        for value, node in zip(values, kernel.graph.inputs, strict=True):
            if node.type.kind is Kind.ARRAY:
                self.is_array(value, node.type.dtype, [n if isinstance(n, int) else None for n in node.type.shape])
        if kernel.is_flat:
            self._find_order([v for v, n in zip(values, kernel.graph.inputs, strict=True) if n.type.ndim])
        for value, node in zip(values, kernel.graph.inputs, strict=True):
            self._argument(value, node)
        lengths = [self._lengths[axis] for axis in range(len(kernel.shape))]
        total = self.product(lengths)
        if lengths:
            self.miss_unless(f"icmp slt i64 {total}, {self._word(TOO_MANY)}")
        if kernel.reductions:
            self.miss_unless(f"icmp ne i64 {total}, 0")
        rank, words = max(1, len(lengths)), 5 + len(kernel.axes) + len(kernel.arrays) + 2 * len(kernel.scalars)
        self.allocas += [f"%{name} = alloca [{rank} x i64], align 8" for name in ("dims", "strides")]
        self.allocas.append(f"%frame = alloca [{words + len(kernel.results)} x i64], align 8")
        made = [self._made(k, node, lengths) for k, node in enumerate(kernel.results)]
        self._frame(lengths, made)
        flags = self._run(total if lengths else "")
        self.check(f"icmp eq i32 {flags}, 0", "flagged")
        found = [
            array or self._scalar(k, node) for k, (node, array) in enumerate(zip(kernel.results, made, strict=True))
        ]
        result = found[0] if len(found) == 1 else self.tuple_of(found)
        ends = ["flagged:", *self.handed_over("flagged", FLAGGED), "numpy:", *self.handed_over("numpy", NUMPY)]
        return self.text("entry", result, ends)

    def _word(self, place: int, kind: str = "i64") -> str:
        return self.read(kind, self.read("ptr", self.owned(WORDS), abi.DATA), 8 * place)

    # --- arguments

    def _argument(self, value: str, node: Node) -> None:
        if node.type.kind is Kind.ARRAY:
            self._array(value, node)
        elif node.type.kind is Kind.SCALAR:
            self.has_type(value, node.type.dtype.type)
            self._scalars[node] = self._number(node, self.at(value, abi.VALUE))
        elif node.type.dtype.kind in "fc":
            self.has_type(value, python_type(node.type.dtype))
            self._scalars[node] = self._number(node, self.at(value, abi.VALUE))
        else:
            self.has_type(value, int)
            number = self.do(f"call i64 @PyLong_AsLongLongAndOverflow(ptr {value}, ptr %overflow)")
            self.miss_unless(f"icmp eq i32 {self.do('load i32, ptr %overflow, align 4')}, 0")
            self._scalars[node] = [("i64", number)]

    def _find_order(self, arrays: list[str]) -> None:
        """Checks whether all arrays are Fortran-contiguous: results are then, too."""
        flags = [self.read("i32", value, abi.FLAGS) for value in arrays]
        both = functools.reduce(lambda a, b: self.do(f"and i32 {a}, {b}"), flags)
        tests = []
        for wanted in (abi.DENSE, abi.BY_COLUMNS):
            tests.append(self.do(f"icmp eq i32 {self.do(f'and i32 {both}, {wanted}')}, {wanted}"))
        self._is_by_columns = self.do(f"and i1 {tests[1]}, {self.do(f'xor i1 {tests[0]}, true')}")

    def _array(self, value: str, node: Node) -> None:
        found = [self.length_of(value, axis) for axis in range(node.type.ndim)]
        if not self.kernel.is_static and node in self.kernel.operands:
            for axis, length in enumerate(found, len(self.kernel.shape) - node.type.ndim):
                if not self.kernel.is_full(node.type, axis):
                    continue
                if axis in self._lengths:
                    self.miss_unless(f"icmp eq i64 {length}, {self._lengths[axis]}")
                else:
                    self._lengths[axis] = length
        data = self._in_order(value, found)
        if node.type.ndim:
            self._data[node] = data
        else:
            self._scalars[node] = self._number(node, data)

    def _in_order(self, value: str, lengths: list[str]) -> str:
        """Where the elements lie one after the other: in the array itself, or in a copy of one whose axes lie in memory
        in their order, so that NumPy lays out results as it does for an array that is C-contiguous."""
        if lengths and self.kernel.strides:  # which the caller compares
            flags = self.do(f"and i32 {self.read('i32', value, abi.FLAGS)}, {abi.ALIGNED}")
            self.miss_unless(f"icmp ne i32 {flags}, 0")
            return self.read("ptr", value, abi.DATA)
        dense, strided, ready = self.label(), self.label(), self.label()
        flags = self.do(f"and i32 {self.read('i32', value, abi.FLAGS)}, {abi.DENSE}")
        is_dense = self.do(f"icmp eq i32 {flags}, {abi.DENSE}")
        if self._is_by_columns and len(lengths) > 1:
            is_dense = self.do(f"or i1 {is_dense}, {self._is_by_columns}")
        self.lines += [f"br i1 {is_dense}, label %{dense}, label %{strided}"]
        self.lines.append(f"{dense}:")
        own = self.read("ptr", value, abi.DATA)
        self.lines += [f"br label %{ready}", f"{strided}:"]
        self.miss_unless(f"icmp slt i64 {self.product(lengths)}, {WORTH_PLANNING}")
        strides = self.read("ptr", value, abi.STRIDES)
        steps = [self.read("i64", strides, 8 * axis) for axis in range(len(lengths))]
        if len(lengths) > 1 and not self._is_of_any_order:
            self._check_order(steps)
        copy = self.found(self.do(f"call ptr @tf.new_copy(ptr {value}, i32 0)"), "raise")
        copied, last = self.read("ptr", copy, abi.DATA), self.label()
        self.lines += [f"br label %{last}", f"{last}:", f"br label %{ready}", f"{ready}:"]
        return self.do(f"phi ptr [ {own}, %{dense} ], [ {copied}, %{last} ]")

    def _check_order(self, steps: list[str]) -> None:
        """Goes on where axes lie in memory in their order. For others Python may know a kernel, but not where elements
        are the same memory."""
        tests = [self.do(f"icmp sgt i64 {step}, {inner}") for step, inner in pairwise([*steps, "0"])]
        ordered = functools.reduce(lambda a, b: self.do(f"and i1 {a}, {b}"), tests)
        if not self.kernel.is_for_strides:
            self.check(f"and i1 {ordered}, true", "numpy")
            return
        go_on, other = self.label(), self.label()
        self.lines += [f"br i1 {ordered}, label %{go_on}, label %{other}", f"{other}:"]
        for step in steps:
            self.check(f"icmp ne i64 {step}, 0", "numpy")
        self.lines += ["br label %miss", f"{go_on}:"]

    @functools.cached_property
    def _is_of_any_order(self) -> bool:
        """True if results lie in memory in one way alone: they have one axis, or none, that is longer than 1."""
        return all(sum(n != 1 for n in node.type.shape) < 2 for node in self.kernel.results)

    def _number(self, node: Node, pointer: str) -> list[tuple[str, str]]:
        """A number in memory as words of the frame: their types and values."""
        dtype = part(node.type.dtype)
        if dtype != node.type.dtype:
            kind = memory_type(dtype)
            return [(kind, self.read(kind, pointer, offset)) for offset in (0, dtype.itemsize)]
        kind = memory_type(dtype)
        value = self.do(f"load {kind}, ptr {pointer}, align {dtype.itemsize}")
        if dtype.kind in "biu" and dtype.itemsize < 8:
            return [("i64", self.do(f"{'sext' if dtype.kind == 'i' else 'zext'} {kind} {value} to i64"))]
        if kind == "half":
            return [("float", self.do(f"fpext half {value} to float"))]
        return [(kind, value)]

    # --- results

    def _made(self, number: int, node: Node, lengths: list[str]) -> str:
        """The array of a result, empty for a scalar, which gets a place on the stack."""
        if node.type.kind is Kind.SCALAR:
            self.allocas.append(f"%slot{number} = alloca [2 x i64], align 8")
            return ""
        own = self.kernel.lengths_of(node, lengths, "1")
        for axis, length in enumerate(own):
            self.store("i64", length, "%dims", 8 * axis)
        strides = "null"
        if node in self.kernel.layouts:
            strides, size = "%strides", node.type.dtype.itemsize
            for axis, stride in enumerate(strides_of(node.type.shape, self.kernel.layouts[node], size)):
                self.store("i64", str(stride), strides, 8 * axis)
        elif self._is_by_columns:
            step = str(node.type.dtype.itemsize)
            for axis, length in enumerate(own):
                self.store("i64", step, "%strides", 8 * axis)
                step = self.do(f"mul i64 {step}, {length}")
            strides = self.do(f"select i1 {self._is_by_columns}, ptr %strides, ptr null")
        return self.new_array(node.type.dtype, len(own), "%dims", strides)

    def _frame(self, lengths: list[str], made: list[str]) -> None:
        kernel = self.kernel
        words = [("i64", "0"), *[("i64", self.product([lengths[a] for a in group])) for group in kernel.axes]]
        words += [("ptr", self._data[n]) for n in kernel.arrays]
        for k, array in enumerate(made):
            words.append(("ptr", self.read("ptr", array, abi.DATA) if array else f"%slot{k}"))
        if kernel.reductions:
            values = {"count": self.product([lengths[a] for a in kernel.reduced]), "whole": words[1][1], "row": "0"}
            words += [("i64", values[name]) for name in more_words(kernel)]
        words += [word for n in kernel.scalars for word in self._scalars[n]]
        for index, (kind, value) in enumerate(words):
            self.store(kind, value, "%frame", 8 * index)

    def _run(self, total: str) -> str:
        """The flags that the loops raised. Other threads may run while they go over many elements."""
        run = self._word(ADDRESS, "ptr")
        if not total or (total.isdigit() and int(total) < WITHOUT_LOCK):
            return self.do(f"call i32 {run}(ptr %frame)")
        large, small, done = self.label(), self.label(), self.label()
        test = self.do(f"icmp sge i64 {total}, {WITHOUT_LOCK}")
        self.lines += [f"br i1 {test}, label %{large}, label %{small}", f"{large}:"]
        thread = self.do("call ptr @PyEval_SaveThread()")
        unlocked = self.do(f"call i32 {run}(ptr %frame)")
        self.call("void @PyEval_RestoreThread", f"ptr {thread}")
        self.lines += [f"br label %{done}", f"{small}:"]
        locked = self.do(f"call i32 {run}(ptr %frame)")
        self.lines += [f"br label %{done}", f"{done}:"]
        return self.do(f"phi i32 [ {unlocked}, %{large} ], [ {locked}, %{small} ]")

    def _scalar(self, number: int, node: Node) -> str:
        known = self.dtype(node.type.dtype)
        return self.found(self.do(f"call ptr @tf.new_scalar(ptr %slot{number}, ptr {known}, ptr null)"), "raise")
