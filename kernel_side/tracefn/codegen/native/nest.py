"""LLVM IR of one kernel: the loops over its elements, for operands that lie in memory one element after the other or in
any other way.

`run(frame)` computes a kernel. A frame is an array of 64-bit words. Where arguments are C-contiguous: the first index
of the first axis, the length of each axis, the address of each argument and then of each result, and the bits of each
scalar argument. For any memory: the length of each axis, for each operand and then each result its address and its
stride in bytes along each axis, and the bits of each scalar argument. It returns which floating-point flags were
raised, and with them `INTEGER_FAULT` where an integer was divided by zero and `OUT_OF_RANGE` where a function was given
a number that it is not made for.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir.dims import Length
from ...ir.graph import Node
from ...ir.op import CONSTANT
from ...ir.template import Ref
from .complex_numbers import MIRRORED, compared_size
from .emitter import DType, Emitter, Pair, literal, llvm_type, memory_type, part, register
from .engine import vector_bits
from .gather import Along, Index
from .kernel import Kernel, Moving
from .layouts import strides_of
from .lowering import Lowering, lowering
from .masked import is_picking
from .scalars import RULES
from .views import chain

CHOICES = ("where", "maximum", "minimum", "fmax", "fmin", "clip")
"""Rules whose result can be one of their operands."""

INTEGER_FAULT, OUT_OF_RANGE = 256, 512

MOST_SIDE_BY_SIDE, LEAST_ROUNDS = 16, 16
"""So many calls of functions one round of a loop has at most, and so many rounds are worth having several in one."""


@dataclasses.dataclass(frozen=True)
class Code:
    """LLVM IR of functions, with the declarations and mathematical functions that they need."""

    text: str
    declarations: frozenset[str]
    functions: frozenset[tuple[str, int]]


def dense_code(kernel: Kernel) -> Code:
    """`run` for arguments that are C-contiguous. Axes that one loop can run over are one axis in the frame."""
    return Nest(kernel, len(kernel.axes), False).code()


def strided_code(kernel: Kernel) -> Code:
    """`run` for arguments with any strides."""
    return Nest(kernel, max(1, len(kernel.shape)), True).code()


class Nest:
    """Writes `run`: loops over all axes but the last call the loop over the last."""

    callee = "@inner"

    def __init__(self, kernel: Kernel, rank: int, is_strided: bool) -> None:
        self.kernel = kernel
        self.rank = rank
        self.is_strided = is_strided
        self.values: list[Any] = [*kernel.operands, *kernel.moving, *kernel.results]
        self.lines: list[str] = []
        self.allocas: list[str] = []
        self._element = Emitter()
        self._names: dict[Node, Any] = {}
        self._moving: dict[Moving, str] = {}

    def code(self) -> Code:
        inner = self._inner()
        if self.is_strided:  # the loop for single strides, and one for elements that lie one after the other
            inner += [
                line.replace("@inner(", "@inner.unit(").replace("!llvm.loop !0", "!llvm.loop !2") for line in inner
            ]
        metadata = ["!0 = distinct !{!0, !1}", '!1 = !{!"llvm.loop.vectorize.enable", i1 false}']
        metadata += ["!2 = distinct !{!2, !3, !4}", f'!3 = !{{!"llvm.loop.vectorize.width", i32 {self._width}}}']
        metadata += [f'!4 = !{{!"llvm.loop.interleave.count", i32 {self._interleaved()}}}']
        text = "\n".join([*inner, *self._run(), *metadata])
        return Code(text, frozenset(self.declarations), frozenset(self._element.functions))

    @property
    def _width(self) -> int:
        """How many elements a vector has. LLVM is not left to choose: its two ways of weighing the costs can disagree,
        and an assertion then ends the process (LLVM 20, `LoopVectorizationPlanner::computeBestVF`)."""
        return vector_bits() // (
            8 * max(register(part(n.type.dtype)).itemsize for n in (*self.values, *self.kernel.steps))
        )

    def _interleaved(self) -> int:
        """How many vectors one round of the inner loop computes side by side. A function is a long chain of operations,
        each of which waits for the one before: a processor sees too few of the next round's to be busy. Code gets
        longer for it, so this is for loops that are long, and for a few functions."""
        calls = self._element.calls
        length = math.prod([n if isinstance(n, int) else 0 for n in self._inner_lengths()])
        counts = [c for c in (2, 4, 8) if c * calls <= MOST_SIDE_BY_SIDE and c * self._width * LEAST_ROUNDS <= length]
        return max(counts, default=1) if calls and not (self.kernel.reductions or self.kernel.scans) else 1

    def _inner_lengths(self) -> list[Length]:
        """The lengths of the axes that the inner loop runs over."""
        shape = self.kernel.shape
        return list(shape[-1:] if self.is_strided else [shape[a] for group in self.kernel.axes[-1:] for a in group])

    @property
    def declarations(self) -> set[str]:
        return self._element.intrinsics

    # --- one element

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
                operands.append(e.hidden(constant, dtype) if found.rule in CHOICES else constant)
        value = RULES[found.rule][1](e, register(found.dtypes[-1]), operands)
        return e.rounded(value) if node.type.dtype.char == "e" else value

    def _compared(self, node: Node, found: Lowering) -> str | None:
        """A comparison of the absolute value of a complex number with a known number. None where it is something
        else."""
        if found.rule not in MIRRORED:
            return None
        left, right = found.operands
        rule = found.rule if isinstance(left, Ref) else MIRRORED[found.rule]
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
        """The element of a table that indices point to. What lies outside is left to NumPy, which raises an error."""
        e, found, dtype, int64 = self._element, self.kernel.gathers[node], node.type.dtype, np.dtype(np.int64)
        table = self.kernel.moving_table(node)
        place = self._moving[table] if table is not None else f"%g{self.kernel.tables.index(found.table)}"
        strides = strides_of(found.lengths, tuple(range(len(found.lengths))), dtype.itemsize)
        for item, length, stride in zip(found.items, found.lengths, strides, strict=True):
            if isinstance(item, Along):
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
        return RULES["picked"][1](self._element, register(source.type.dtype), operands)

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

    def _scalar_parameters(self) -> list[str]:
        """The scalar arguments, of complex numbers both parts, and the addresses of tables."""
        names = [(n.type.dtype, self._scalar_name(i, n)) for i, n in enumerate(self.kernel.scalars)]
        found = [f"{llvm_type(part(t))} {each}" for t, name in names for each in ([name] if t.kind != "c" else name)]
        return found + [f"ptr %g{k}" for k in range(len(self.kernel.tables))]

    def _scalar_name(self, i: int, node: Node) -> Any:
        return Pair(f"%c{i}", f"%c{i}i") if node.type.dtype.kind == "c" else f"%c{i}"

    def _more_parameters(self) -> list[str]:
        """What the inner loop takes besides arrays and scalars."""
        return []

    def _inner(self) -> list[str]:
        """The loop over the last axis: `inner(n, address and stride of each array, scalars)`."""
        e = self._element
        for i, node in enumerate(self.kernel.scalars):
            self._names[node] = self._scalar_name(i, node)
        operands = len(self.kernel.operands)
        arrays = operands + len(self.kernel.moving)
        if not self.kernel.shape:
            self._emit()
            for k, node in enumerate(self.kernel.results):
                self._store(node, f"%p{k}")
        else:
            for k, node in enumerate(self.kernel.operands):
                offset = e.do(f"mul i64 %i, %s{k}")
                self._names[node] = self._load(node.type.dtype, e.do(f"getelementptr i8, ptr %p{k}, i64 {offset}"))
            for k, each in enumerate(self.kernel.moving, operands):
                offset = e.do(f"mul i64 %i, %s{k}")
                self._moving[each] = e.do(f"getelementptr i8, ptr %p{k}, i64 {offset}")
            self._emit()
            for k, node in enumerate(self.kernel.results, arrays):
                offset = e.do(f"mul i64 %i, %s{k}")
                self._store(node, e.do(f"getelementptr i8, ptr %p{k}, i64 {offset}"))
        fault = self._fault()
        parameters = ["i64 %n"]
        for k in range(len(self.values)):
            parameters += [f"ptr {'noalias ' if k >= arrays or not self.kernel.shape else ''}%p{k}", f"i64 %s{k}"]
        parameters += [*self._scalar_parameters(), *self._more_parameters()]
        head = f"define internal i32 @inner({', '.join(parameters)}) alwaysinline nounwind {{"
        if not self.kernel.shape:
            return [head, "entry:", *e.lines, f"ret i32 {fault or 0}", "}"]
        mark = "!2" if self._is_for_vectors() else "!0"
        lines = [head, "entry:", "%some = icmp sgt i64 %n, 0", "br i1 %some, label %loop, label %done", "loop:"]
        lines.append("%i = phi i64 [ 0, %entry ], [ %next, %loop ]")
        if fault:
            lines.append("%was = phi i32 [ 0, %entry ], [ %is, %loop ]")
        lines += e.lines
        if fault:
            lines.append(f"%is = or i32 %was, {fault}")
        lines += ["%next = add nuw nsw i64 %i, 1", "%more = icmp slt i64 %next, %n"]
        lines.append(f"br i1 %more, label %loop, label %done, !llvm.loop {mark}")
        lines.append("done:")
        if fault:
            lines.append("%fault = phi i32 [ 0, %entry ], [ %is, %loop ]")
        lines += [f"ret i32 {'%fault' if fault else 0}", "}"]
        return lines

    def _is_for_vectors(self) -> bool:
        """True if the inner loop is worth vectors. LLVM prints a remark where it is told to make some and cannot."""
        return not self.is_strided

    def _fault(self) -> str:
        """The register with what went wrong in one element besides floating-point flags. Empty where nothing can."""
        e = self._element
        words = [(INTEGER_FAULT, e.integer_faults), (OUT_OF_RANGE, e.out_of_range)]
        found = [e.do(f"select i1 {test}, i32 {word}, i32 0") for word, tests in words for test in tests]
        return functools.reduce(lambda a, b: e.do(f"or i32 {a}, {b}"), found) if found else ""

    # --- the loops around

    def _run(self) -> list[str]:
        self.lines = []
        put = self.lines.append
        word = 0

        def read(name: str, kind: str = "i64") -> str:
            nonlocal word
            put(f"%{name}.at = getelementptr i64, ptr %frame, i64 {word}")
            put(f"%{name} = load {kind}, ptr %{name}.at, align 8")
            word += 1
            return f"%{name}"

        bases: dict[Node, str] = {}
        start = "" if self.is_strided else read("start")
        lengths = [read(f"n{a}") for a in range(self.rank)]
        if self.is_strided:
            pointers, strides = [], []
            for k in range(len(self.values)):
                pointers.append(read(f"a{k}", "ptr"))
                strides.append([read(f"s{k}.{a}") for a in range(self.rank)])
        else:
            bases = {n: read(f"a{k}", "ptr") for k, n in enumerate((*self.kernel.arrays, *self.kernel.results))}
            self._read_more(read)
            strides = self._dense_strides(lengths)
            pointers = self._dense_pointers(bases, strides, start)
        scalars = []
        for i, node in enumerate(self.kernel.scalars):
            dtype = part(node.type.dtype)
            value = read(f"c{i}", "i64" if dtype.kind in "iub" else llvm_type(dtype))
            if dtype.kind == "b":
                put(f"%c{i}.b = icmp ne i64 {value}, 0")
                value = f"%c{i}.b"
            elif dtype.kind in "iu" and dtype.itemsize < 8:
                put(f"%c{i}.t = trunc i64 {value} to {llvm_type(dtype)}")
                value = f"%c{i}.t"
            scalars.append(f"{llvm_type(dtype)} {value}")
            if node.type.dtype.kind == "c":
                scalars.append(f"{llvm_type(dtype)} {read(f'c{i}i', llvm_type(dtype))}")
        scalars += [f"ptr {bases[n]}" for n in self.kernel.tables]
        flags = self._element.may_flag
        kinds = "FLAGS_OR_UNDERFLOW" if self.kernel.has_product else "FLAGS"
        if flags:
            put(f"call void @tf.clear_flags(i32 {kinds})")
        if self.is_strided:
            self._loops_of_two_kinds(lengths, pointers, strides, scalars)
        else:
            self._loops(0, lengths, pointers, strides, scalars)
        result = "0"
        if self._has_faults:
            put("%faults = load i32, ptr %bad, align 4")
            result = "%faults"
        if flags:
            put(f"%flags = call i32 @tf.raised_flags(i32 {kinds})")
            put(f"%both = or i32 %flags, {result}")
            result = "%both"
        head = ["define i32 @run(ptr %frame) nounwind {", "entry:"]
        head += ["%bad = alloca i32, align 4", "store i32 0, ptr %bad, align 4"] if self._has_faults else []
        return [*head, *self.allocas, *self.lines, f"ret i32 {result}", "}"]

    def _read_more(self, read: Callable[[str], str]) -> None:
        """Reads what else a dense frame has before the scalars."""

    @property
    def _has_faults(self) -> bool:
        return bool(self._element.integer_faults or self._element.out_of_range)

    def _dense_pointers(self, bases: dict[Node, str], strides: list[list[str]], start: str) -> list[str]:
        """The address of the first element of each operand and result."""
        found = []
        for k, node in enumerate(self.values):
            root = node.array if isinstance(node, Moving) else chain(node)[0]
            is_placed = self.kernel.is_static and self.kernel.shape and not isinstance(node, Moving)
            offset = self.kernel.places[node][0] if is_placed else 0
            first = strides[k][0] if strides[k] else "0"
            self.lines.append(f"%b{k} = getelementptr i8, ptr {bases[root]}, i64 {offset}")
            self.lines.append(f"%m{k} = mul i64 {start}, {first}")
            self.lines.append(f"%f{k} = getelementptr i8, ptr %b{k}, i64 %m{k}")
            found.append(f"%f{k}")
        return found

    def _dense_strides(self, lengths: list[str]) -> list[list[str]]:
        """For each operand and result its stride along each axis of the frame, where arguments are C-contiguous."""
        kernel = self.kernel
        if not kernel.axes:
            return [[] for _ in self.values]
        if kernel.is_static:
            all_ = [n.strides if isinstance(n, Moving) else kernel.places[n][1] for n in self.values]
            return [[str(strides[group[-1]]) for group in kernel.axes] for strides in all_]
        found = []
        for k, node in enumerate(self.values):
            size = str(node.type.dtype.itemsize)
            own = [kernel.spans(node, group[0]) for group in kernel.axes]
            strides = ["0"] * self.rank
            in_memory = sorted(range(self.rank), key=lambda g: kernel.axes[g])
            for place, axis in reversed(list(enumerate(in_memory))):
                if own[axis]:
                    strides[axis] = size
                    if any(own[a] for a in in_memory[:place]):
                        self.lines.append(f"%d{k}.{axis} = mul i64 {size}, {lengths[axis]}")
                        size = f"%d{k}.{axis}"
            found.append(strides)
        return found

    def _loops_of_two_kinds(self, lengths: Any, pointers: Any, strides: Any, scalars: list[str]) -> None:
        """Loops for elements that lie one after the other along the last axis, or are stretched along it, and loops for
        all others."""
        put = self.lines.append
        kernel, tests = self.kernel, []
        unit = [list(s) for s in strides]
        for k, node in enumerate(self.values):
            is_full = not kernel.shape or kernel.is_full(node.type, len(kernel.shape) - 1)
            unit[k][-1] = str(node.type.dtype.itemsize if is_full else 0)
            put(f"%u{k} = icmp eq i64 {strides[k][-1]}, {unit[k][-1]}")
            tests.append(f"%u{k}")
        both = tests[0]
        for k, test in enumerate(tests[1:]):
            put(f"%all{k} = and i1 {both}, {test}")
            both = f"%all{k}"
        put(f"br i1 {both}, label %unit, label %any")
        put("unit:")
        self._loops(0, lengths, pointers, unit, scalars, ".unit")
        put("br label %ran")
        put("any:")
        self._loops(0, lengths, pointers, strides, scalars)
        put("br label %ran")
        put("ran:")

    def _loops(
        self, axis: int, lengths: list[str], pointers: list[str], strides: Any, scalars: list[str], kind: str = ""
    ) -> None:
        put = self.lines.append
        if axis >= self.rank - 1:
            arguments = [f"i64 {lengths[-1] if lengths else 1}"]
            for k, pointer in enumerate(pointers):
                arguments += [f"ptr {pointer}", f"i64 {strides[k][-1] if strides and strides[k] else 0}"]
            put(f"%bad.now{kind} = call i32 {self.callee}{kind}({', '.join([*arguments, *scalars])})")
            if self._has_faults:
                put(f"%bad.old{kind} = load i32, ptr %bad, align 4")
                put(f"%bad.or{kind} = or i32 %bad.old{kind}, %bad.now{kind}")
                put(f"store i32 %bad.or{kind}, ptr %bad, align 4")
            return
        here = f"{axis}{kind}"
        i, before = f"%i{here}", f"before{here}"
        put(f"br label %{before}")
        put(f"{before}:")
        put(f"%some{here} = icmp sgt i64 {lengths[axis]}, 0")
        put(f"br i1 %some{here}, label %loop{here}, label %after{here}")
        put(f"loop{here}:")
        put(f"{i} = phi i64 [ 0, %{before} ], [ {i}.next, %latch{here} ]")
        moved = []
        for k, pointer in enumerate(pointers):
            put(f"%o{k}.{here} = mul i64 {i}, {strides[k][axis]}")
            put(f"%q{k}.{here} = getelementptr i8, ptr {pointer}, i64 %o{k}.{here}")
            moved.append(f"%q{k}.{here}")
        self._loops(axis + 1, lengths, moved, strides, scalars, kind)
        put(f"br label %latch{here}")
        put(f"latch{here}:")
        put(f"{i}.next = add nuw nsw i64 {i}, 1")
        put(f"%more{here} = icmp slt i64 {i}.next, {lengths[axis]}")
        put(f"br i1 %more{here}, label %loop{here}, label %after{here}")
        put(f"after{here}:")
