"""LLVM IR of the function that Python calls: it checks the arguments, makes the results and runs the kernel.

`entry` is a `METH_FASTCALL` function. Its `self` is a tuple of Python functions: one takes every call that is not the
usual one (other memory layouts, many elements), one those in which a floating-point flag was raised.
"""

from __future__ import annotations

from ...ir.graph import Node
from ...ir.types import Kind
from . import abi
from .emitter import memory_type, part
from .entry_writer import EntryWriter
from .kernel import Kernel
from .layouts import strides_of
from .reduction_nest import more_words

WITHOUT_LOCK = 1 << 15
"""So many elements are worth letting other Python threads run meanwhile."""

SLOW, FLAGGED, ADDRESS = range(3)
"""Places in the tuple `self`. The last is an array with the address of `run`."""

DECLARATIONS = """
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare ptr @PyTuple_New(i64)
declare i32 @PyTuple_SetItem(ptr, i64, ptr)
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
"""


def entry_code(kernel: Kernel) -> str:
    """The text of a module with `entry`, which takes the kernel's arguments."""
    entry = _Entry(kernel)
    text = entry.text()
    return "\n".join([DECLARATIONS, *[f"@{name} = external global i8" for name in sorted(entry.globals)], text])


class _Entry(EntryWriter):
    def __init__(self, kernel: Kernel) -> None:
        super().__init__()
        self.kernel = kernel
        self.globals: set[str] = set()
        self._lengths = {a: str(n) for a, n in enumerate(kernel.shape) if isinstance(n, int)}
        self._data: dict[Node, str] = {}
        self._scalars: dict[Node, list[tuple[str, str]]] = {}

    def text(self) -> str:
        kernel = self.kernel
        results = kernel.results
        self.check(f"icmp eq i64 %nargs, {len(kernel.graph.inputs)}", "slow")
        for index, node in enumerate(kernel.graph.inputs):
            self._argument(self.read("ptr", "%args", 8 * index), node)
        lengths = [self._lengths[axis] for axis in range(len(kernel.shape))]
        total = self.product(lengths)
        if lengths:
            self.check(f"icmp slt i64 {total}, {min(kernel.worth_sharing, kernel.most)}", "slow")
        if kernel.reductions:
            self.check(f"icmp ne i64 {total}, 0", "slow")
        made = self._allocate(lengths)
        self._frame(lengths, made)
        self._call(total if lengths else "", self.read("ptr", self.read("ptr", self.owned(ADDRESS), abi.DATA), 0))
        self._return(made)
        head = ["define ptr @entry(ptr %self, ptr %args, i64 %nargs) nounwind {", "start:"]
        head += [f"%{name} = alloca [{max(1, len(lengths))} x i64], align 8" for name in ("dims", "strides")]
        words = 5 + len(kernel.axes) + len(kernel.arrays) + len(results) + 2 * len(kernel.scalars)
        head += [f"%frame = alloca [{max(1, words)} x i64], align 8", "%overflow = alloca i32, align 4"]
        head += [f"%slot{k} = alloca [2 x i64], align 8" for k in range(len(results))]
        tail = []
        for block, index in (("slow", SLOW), ("flagged", FLAGGED)):
            tail += [f"{block}:", f"%{block}.at = getelementptr i8, ptr %self, i64 {abi.tuple_items() + 8 * index}"]
            tail += [f"%{block}.f = load ptr, ptr %{block}.at, align 8"]
            tail += [f"%{block}.r = call ptr @PyObject_Vectorcall(ptr %{block}.f, ptr %args, i64 %nargs, ptr null)"]
            tail += [f"ret ptr %{block}.r"]
        return "\n".join([*head, *self.lines, *tail, "fail:", "ret ptr null", "}"])

    def _global(self, name: str) -> str:
        if name not in ("tf.ndarray", "tf.float", "tf.complex", "tf.int"):
            self.globals.add(name)
        return f"@{name}"

    # --- arguments

    def _argument(self, value: str, node: Node) -> None:
        kind = self.type_of(value)
        if node.type.kind is Kind.ARRAY:
            self.check(f"icmp eq ptr {kind}, {self._global('tf.ndarray')}", "slow")
            self._array(value, node)
        elif node.type.kind is Kind.SCALAR:
            self.check(f"icmp eq ptr {kind}, {self._global(f'tf.type.{abi.symbol(node.type.dtype)}')}", "slow")
            self._scalars[node] = self._number(node, self.at(value, abi.VALUE))
        elif node.type.dtype.kind in "fc":
            self.check(f"icmp eq ptr {kind}, @tf.{'float' if node.type.dtype.kind == 'f' else 'complex'}", "slow")
            self._scalars[node] = self._number(node, self.at(value, abi.VALUE))
        else:
            self.check(f"icmp eq ptr {kind}, @tf.int", "slow")
            number = self.do(f"call i64 @PyLong_AsLongLongAndOverflow(ptr {value}, ptr %overflow)")
            self.check(f"icmp eq i32 {self.do('load i32, ptr %overflow, align 4')}, 0", "slow")
            self._scalars[node] = [("i64", number)]

    def _array(self, value: str, node: Node) -> None:
        dtype = self._global(f"tf.dtype.{abi.symbol(node.type.dtype)}")
        self.check(f"icmp eq ptr {self.read('ptr', value, abi.DESCR)}, {dtype}", "slow")
        self.check(f"icmp eq i32 {self.read('i32', value, abi.NDIM)}, {node.type.ndim}", "slow")
        flags = self.do(f"and i32 {self.read('i32', value, abi.FLAGS)}, {abi.DENSE}")
        self.check(f"icmp eq i32 {flags}, {abi.DENSE}", "slow")
        if node.type.ndim:
            dims = self.read("ptr", value, abi.DIMS)
            for axis, length in enumerate(node.type.shape):
                found = self.read("i64", dims, 8 * axis)
                whole = axis + len(self.kernel.shape) - node.type.ndim
                if isinstance(length, int):
                    self.check(f"icmp eq i64 {found}, {length}", "slow")
                if self.kernel.is_static or node not in self.kernel.operands:
                    continue
                if whole in self._lengths and self.kernel.is_full(node.type, whole):
                    self.check(f"icmp eq i64 {found}, {self._lengths[whole]}", "slow")
                elif self.kernel.is_full(node.type, whole):
                    self._lengths[whole] = found
            self._data[node] = self.read("ptr", value, abi.DATA)
        else:
            self._scalars[node] = self._number(node, self.read("ptr", value, abi.DATA))

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

    def _allocate(self, lengths: list[str]) -> list[str]:
        """Makes the arrays of the results. What is made already is given back where one cannot be."""
        made: list[str] = []
        for node in self.kernel.results:
            if node.type.kind is Kind.SCALAR:
                made.append("")
                continue
            own = self.kernel.lengths_of(node, lengths, "1")
            for axis, length in enumerate(own):
                self.lines.append(f"store i64 {length}, ptr {self.at('%dims', 8 * axis)}, align 8")
            dtype = self._global(f"tf.dtype.{abi.symbol(node.type.dtype)}")
            self.lines.append(f"call void @Py_IncRef(ptr {dtype})")
            strides = "null"
            if node in self.kernel.layouts:
                strides, size = "%strides", node.type.dtype.itemsize
                for axis, stride in enumerate(strides_of(node.type.shape, self.kernel.layouts[node], size)):
                    self.lines.append(f"store i64 {stride}, ptr {self.at(strides, 8 * axis)}, align 8")
            array = self.do(
                f"call ptr @tf.new_array(ptr @tf.ndarray, ptr {dtype}, i32 {len(own)}, ptr %dims, "
                f"ptr {strides}, ptr null, i32 0, ptr null)"
            )
            there = self.do(f"icmp ne ptr {array}, null")
            self._count += 1
            ok, no = f"b{self._count}", f"n{self._count}"
            self.lines += [f"br i1 {there}, label %{ok}, label %{no}", f"{no}:"]
            self.lines += [f"call void @Py_DecRef(ptr {a})" for a in made if a]
            self.lines += ["br label %fail", f"{ok}:"]
            made.append(array)
        return made

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
            self.lines.append(f"store {kind} {value}, ptr {self.at('%frame', 8 * index)}, align 8")

    def _call(self, total: str, run: str) -> None:
        self._count += 1
        number = self._count
        if not total or (total.isdigit() and int(total) < WITHOUT_LOCK):
            flags = self.do(f"call i32 {run}(ptr %frame)")
        else:
            large = self.do(f"icmp sge i64 {total}, {WITHOUT_LOCK}")
            self.lines += [
                f"br i1 {large}, label %unlocked{number}, label %locked{number}",
                f"unlocked{number}:",
                "%thread = call ptr @PyEval_SaveThread()",
                f"%flags.u = call i32 {run}(ptr %frame)",
                "call void @PyEval_RestoreThread(ptr %thread)",
                f"br label %ran{number}",
                f"locked{number}:",
                f"%flags.l = call i32 {run}(ptr %frame)",
                f"br label %ran{number}",
                f"ran{number}:",
            ]
            flags = self.do(f"phi i32 [ %flags.u, %unlocked{number} ], [ %flags.l, %locked{number} ]")
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
            values.append(self.do(f"call ptr @tf.new_scalar(ptr %slot{k}, ptr {dtype}, ptr null)"))
            self.check(f"icmp ne ptr {values[-1]}, null", "fail")
        if len(values) == 1:
            self.lines.append(f"ret ptr {values[0]}")
            return
        result = self.do(f"call ptr @PyTuple_New(i64 {len(values)})")
        self.check(f"icmp ne ptr {result}, null", "fail")
        self.lines += [f"call i32 @PyTuple_SetItem(ptr {result}, i64 {i}, ptr {v})" for i, v in enumerate(values)]
        self.lines.append(f"ret ptr {result}")
