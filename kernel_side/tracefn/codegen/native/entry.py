"""LLVM IR of the function that Python calls: it checks the arguments, makes the results and runs the kernel.

`entry` is a `METH_FASTCALL` function. Its `self` is a tuple of Python functions: one takes every call that is not the
usual one (other memory layouts, many elements), one those in which a floating-point flag was raised. `call` is the same
for a traced function whose graph is one kernel: it takes keywords (and passes them on), counts calls, and does nothing
itself while a function is traced.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ...ir.graph import Node
from ...ir.types import Kind
from . import abi
from .emitter import memory_type, part
from .kernel import Kernel
from .layouts import strides_of
from .reduction_nest import more_words

WITHOUT_LOCK = 1 << 15
"""So many elements are worth letting other Python threads run meanwhile."""

SLOW, FLAGGED, TIMED, COUNTER, OBJECTS = range(5)
"""Places in the tuple `self`. From `OBJECTS` on there are those that arguments must be."""

DECLARATIONS = """
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare ptr @PyTuple_New(i64)
declare i32 @PyTuple_SetItem(ptr, i64, ptr)
declare ptr @PyTuple_GetItem(ptr, i64)
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare i64 @PyLong_AsLongLongAndOverflow(ptr, ptr)
declare ptr @tf.new_array(ptr, ptr, i32, ptr, ptr, ptr, i32, ptr)
declare ptr @tf.new_scalar(ptr, ptr, ptr)
@tf.ndarray = external global i8
@tf.float = external global i8
@tf.complex = external global i8
@tf.int = external global i8
@tf.tracing = external global i8
"""


@dataclasses.dataclass(frozen=True)
class Call:
    """How a traced function is called whose graph is one kernel.

    `arguments` has for each argument, in order, the node that it is, or the object that it must be. `given` are the
    nodes that the kernel's own inputs stand for, in order.
    """

    arguments: tuple[Any, ...]
    given: tuple[Node, ...]


def entry_code(kernel: Kernel, call: Call | None = None) -> str:
    """The text of `entry`, which takes the kernel's arguments, and of `call` where there is one."""
    entry = _Entry(kernel, kernel.graph.inputs, None)
    texts = [entry.text("entry")]
    if call is not None:
        direct = _Entry(kernel, call.arguments, dict(zip(call.given, kernel.graph.inputs, strict=True)))
        texts.append(direct.text("call"))
        entry.globals |= direct.globals
    return "\n".join([DECLARATIONS, *[f"@{name} = external global i8" for name in sorted(entry.globals)], *texts])


class _Entry:
    """Writes one of the two functions; `call`, where it knows by what `inner` nodes the kernel knows the arguments."""

    def __init__(self, kernel: Kernel, arguments: Sequence[Any], inner: Mapping[Node, Node] | None) -> None:
        self.kernel = kernel
        self.lines: list[str] = []
        self._arguments = arguments
        self._inner = inner
        self._is_call = inner is not None
        self._count = 0
        self._objects = 0
        self.globals: set[str] = set()
        self._lengths = {a: str(n) for a, n in enumerate(kernel.shape) if isinstance(n, int)}
        self._data: dict[Node, str] = {}
        self._scalars: dict[Node, list[tuple[str, str]]] = {}

    def text(self, name: str) -> str:
        kernel = self.kernel
        results = kernel.results
        self._check(f"icmp eq i64 %nargs, {len(self._arguments)}")
        if self._is_call:
            self._check("icmp eq ptr %kwnames, null")
            self._check(f"icmp eq i64 {self._read('i64', '@tf.tracing', abi.LIST_SIZE)}, 0")
        for index, argument in enumerate(self._arguments):
            self._argument(index, argument)
        lengths = [self._lengths[axis] for axis in range(len(kernel.shape))]
        total = self._product(lengths)
        if lengths:
            self._check(f"icmp slt i64 {total}, {min(kernel.worth_sharing, kernel.most)}")
        if kernel.reductions:
            self._check(f"icmp ne i64 {total}, 0")
        if self._is_call:
            self._count_call()
        made = self._allocate(lengths)
        self._frame(lengths, made)
        self._call(total if lengths else "")
        self._return(made)
        keywords = ", ptr %kwnames" if self._is_call else ""
        head = [f"define ptr @{name}(ptr %self, ptr %args, i64 %nargs{keywords}) nounwind {{", "start:"]
        head += [f"%{name} = alloca [{max(1, len(lengths))} x i64], align 8" for name in ("dims", "strides")]
        words = 5 + len(kernel.axes) + len(kernel.arrays) + len(results) + 2 * len(kernel.scalars)
        head += [f"%frame = alloca [{max(1, words)} x i64], align 8", "%overflow = alloca i32, align 4"]
        head += [f"%slot{k} = alloca [2 x i64], align 8" for k in range(len(results))]
        tail = []
        given = "ptr %kwnames" if self._is_call else "ptr null"
        for block, index in (("slow", SLOW), ("flagged", FLAGGED), *([("timed", TIMED)] if self._is_call else [])):
            tail += [f"{block}:", f"%{block}.f = call ptr @PyTuple_GetItem(ptr %self, i64 {index})"]
            tail += [f"%{block}.r = call ptr @PyObject_Vectorcall(ptr %{block}.f, ptr %args, i64 %nargs, {given})"]
            tail += [f"ret ptr %{block}.r"]
        return "\n".join([*head, *self.lines, *tail, "fail:", "ret ptr null", "}"])

    # --- writing

    def _do(self, instruction: str) -> str:
        self._count += 1
        self.lines.append(f"%e{self._count} = {instruction}")
        return f"%e{self._count}"

    def _check(self, test: str, otherwise: str = "slow") -> None:
        """Goes on where a test holds."""
        holds = self._do(test)
        self._count += 1
        self.lines += [f"br i1 {holds}, label %b{self._count}, label %{otherwise}", f"b{self._count}:"]

    def _at(self, pointer: str, offset: int) -> str:
        return self._do(f"getelementptr i8, ptr {pointer}, i64 {offset}")

    def _read(self, kind: str, pointer: str, offset: int) -> str:
        return self._do(f"load {kind}, ptr {self._at(pointer, offset)}, align {8 if kind in ('ptr', 'i64') else 1}")

    def _global(self, name: str) -> str:
        if name not in ("tf.ndarray", "tf.float", "tf.complex", "tf.int"):
            self.globals.add(name)
        return f"@{name}"

    # --- arguments

    def _argument(self, index: int, argument: Any) -> None:
        value = self._read("ptr", "%args", 8 * index)
        if not isinstance(argument, Node):
            place = abi.tuple_items() + 8 * (OBJECTS + self._objects)
            self._objects += 1
            self._check(f"icmp eq ptr {value}, {self._read('ptr', '%self', place)}")
            return
        node = argument if self._inner is None else self._inner.get(argument, argument)
        kind = self._read("ptr", value, abi.TYPE)
        if node.type.kind is Kind.ARRAY:
            self._check(f"icmp eq ptr {kind}, {self._global('tf.ndarray')}")
            self._array(value, node)
        elif node.type.kind is Kind.SCALAR:
            self._check(f"icmp eq ptr {kind}, {self._global(f'tf.type.{abi.symbol(node.type.dtype)}')}")
            self._scalars[node] = self._number(node, self._at(value, abi.VALUE))
        elif node.type.dtype.kind in "fc":
            self._check(f"icmp eq ptr {kind}, @tf.{'float' if node.type.dtype.kind == 'f' else 'complex'}")
            self._scalars[node] = self._number(node, self._at(value, abi.VALUE))
        else:
            self._check(f"icmp eq ptr {kind}, @tf.int")
            number = self._do(f"call i64 @PyLong_AsLongLongAndOverflow(ptr {value}, ptr %overflow)")
            self._check(f"icmp eq i32 {self._do('load i32, ptr %overflow, align 4')}, 0")
            self._scalars[node] = [("i64", number)]

    def _array(self, value: str, node: Node) -> None:
        dtype = self._global(f"tf.dtype.{abi.symbol(node.type.dtype)}")
        self._check(f"icmp eq ptr {self._read('ptr', value, abi.DESCR)}, {dtype}")
        self._check(f"icmp eq i32 {self._read('i32', value, abi.NDIM)}, {node.type.ndim}")
        flags = self._do(f"and i32 {self._read('i32', value, abi.FLAGS)}, {abi.DENSE}")
        self._check(f"icmp eq i32 {flags}, {abi.DENSE}")
        if node.type.ndim:
            dims = self._read("ptr", value, abi.DIMS)
            for axis, length in enumerate(node.type.shape):
                found = self._read("i64", dims, 8 * axis)
                whole = axis + len(self.kernel.shape) - node.type.ndim
                if isinstance(length, int):
                    self._check(f"icmp eq i64 {found}, {length}")
                if self.kernel.is_static or node not in self.kernel.operands:
                    continue
                if whole in self._lengths and self.kernel.is_full(node.type, whole):
                    self._check(f"icmp eq i64 {found}, {self._lengths[whole]}")
                elif self.kernel.is_full(node.type, whole):
                    self._lengths[whole] = found
            self._data[node] = self._read("ptr", value, abi.DATA)
        else:
            self._scalars[node] = self._number(node, self._read("ptr", value, abi.DATA))

    def _number(self, node: Node, pointer: str) -> list[tuple[str, str]]:
        """A number in memory as words of the frame: their types and values."""
        dtype = part(node.type.dtype)
        if dtype != node.type.dtype:
            kind = memory_type(dtype)
            return [(kind, self._read(kind, pointer, offset)) for offset in (0, dtype.itemsize)]
        kind = memory_type(dtype)
        value = self._do(f"load {kind}, ptr {pointer}, align {dtype.itemsize}")
        if dtype.kind in "biu" and dtype.itemsize < 8:
            return [("i64", self._do(f"{'sext' if dtype.kind == 'i' else 'zext'} {kind} {value} to i64"))]
        if kind == "half":
            return [("float", self._do(f"fpext half {value} to float"))]
        return [(kind, value)]

    def _count_call(self) -> None:
        """Counts the call. One in so many is timed, by Python."""
        counter = self._read("ptr", self._read("ptr", "%self", abi.tuple_items() + 8 * COUNTER), abi.DATA)
        count = self._do(f"add i64 {self._read('i64', counter, 0)}, 1")
        self._check(f"icmp ne i64 {self._do(f'and i64 {count}, 63')}, 2", "timed")
        self.lines.append(f"store i64 {count}, ptr {counter}, align 8")

    def _product(self, lengths: list[str]) -> str:
        total = lengths[0] if lengths else "1"
        for length in lengths[1:]:
            total = self._do(f"mul i64 {total}, {length}")
        return total

    # --- results

    def _allocate(self, lengths: list[str]) -> list[str]:
        """Makes the arrays of the results. What is made already is given back where one cannot be."""
        made: list[str] = []
        for node in self.kernel.results:
            if node.type.kind is Kind.SCALAR:
                made.append("")
                continue
            own = self.kernel.lengths_of(node, lengths, "1")
            for axis, length in enumerate(own):
                self.lines.append(f"store i64 {length}, ptr {self._at('%dims', 8 * axis)}, align 8")
            dtype = self._global(f"tf.dtype.{abi.symbol(node.type.dtype)}")
            self.lines.append(f"call void @Py_IncRef(ptr {dtype})")
            strides = "null"
            if node in self.kernel.layouts:
                strides, size = "%strides", node.type.dtype.itemsize
                for axis, stride in enumerate(strides_of(node.type.shape, self.kernel.layouts[node], size)):
                    self.lines.append(f"store i64 {stride}, ptr {self._at(strides, 8 * axis)}, align 8")
            array = self._do(
                f"call ptr @tf.new_array(ptr @tf.ndarray, ptr {dtype}, i32 {len(own)}, ptr %dims, "
                f"ptr {strides}, ptr null, i32 0, ptr null)"
            )
            there = self._do(f"icmp ne ptr {array}, null")
            self._count += 1
            ok, no = f"b{self._count}", f"n{self._count}"
            self.lines += [f"br i1 {there}, label %{ok}, label %{no}", f"{no}:"]
            self.lines += [f"call void @Py_DecRef(ptr {a})" for a in made if a]
            self.lines += ["br label %fail", f"{ok}:"]
            made.append(array)
        return made

    def _frame(self, lengths: list[str], made: list[str]) -> None:
        kernel = self.kernel
        words = [("i64", "0"), *[("i64", self._product([lengths[a] for a in group])) for group in kernel.axes]]
        words += [("ptr", self._data[n]) for n in kernel.arrays]
        for k, array in enumerate(made):
            words.append(("ptr", self._read("ptr", array, abi.DATA) if array else f"%slot{k}"))
        if kernel.reductions:
            values = {"count": self._product([lengths[a] for a in kernel.reduced]), "whole": words[1][1], "row": "0"}
            words += [("i64", values[name]) for name in more_words(kernel)]
        words += [word for n in kernel.scalars for word in self._scalars[n]]
        for index, (kind, value) in enumerate(words):
            self.lines.append(f"store {kind} {value}, ptr {self._at('%frame', 8 * index)}, align 8")

    def _call(self, total: str) -> None:
        self._count += 1
        number = self._count
        if not total or (total.isdigit() and int(total) < WITHOUT_LOCK):
            flags = self._do("call i32 @run(ptr %frame)")
        else:
            large = self._do(f"icmp sge i64 {total}, {WITHOUT_LOCK}")
            self.lines += [
                f"br i1 {large}, label %unlocked{number}, label %locked{number}",
                f"unlocked{number}:",
                "%thread = call ptr @PyEval_SaveThread()",
                "%flags.u = call i32 @run(ptr %frame)",
                "call void @PyEval_RestoreThread(ptr %thread)",
                f"br label %ran{number}",
                f"locked{number}:",
                "%flags.l = call i32 @run(ptr %frame)",
                f"br label %ran{number}",
                f"ran{number}:",
            ]
            flags = self._do(f"phi i32 [ %flags.u, %unlocked{number} ], [ %flags.l, %locked{number} ]")
        self.lines.append(f"%fine = icmp eq i32 {flags}, 0")

    def _return(self, made: list[str]) -> None:
        self.lines += ["br i1 %fine, label %good, label %bad", "bad:"]
        self.lines += [f"call void @Py_DecRef(ptr {a})" for a in made if a]
        self.lines += ["br label %flagged", "good:"]
        values = []
        for k, (node, array) in enumerate(zip(self.kernel.results, made, strict=True)):
            if array:
                values.append(array)
                continue
            dtype = self._global(f"tf.dtype.{abi.symbol(node.type.dtype)}")
            values.append(self._do(f"call ptr @tf.new_scalar(ptr %slot{k}, ptr {dtype}, ptr null)"))
            self._check(f"icmp ne ptr {values[-1]}, null", "fail")
        if len(values) == 1:
            self.lines.append(f"ret ptr {values[0]}")
            return
        result = self._do(f"call ptr @PyTuple_New(i64 {len(values)})")
        self._check(f"icmp ne ptr {result}, null", "fail")
        self.lines += [f"call i32 @PyTuple_SetItem(ptr {result}, i64 {i}, ptr {v})" for i, v in enumerate(values)]
        self.lines.append(f"ret ptr {result}")
