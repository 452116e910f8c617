"""LLVM IR of a kernel that reduces: elements are combined in lanes, lanes in blocks, and blocks in a binary cascade.

What is rounded grows with the logarithm of the number of elements, as in NumPy's pairwise sums. Which elements are
combined first depends on their number alone: not on the processor, nor on threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast

from ...ir.graph import Node
from .kernel import Kernel
from .nest import Code, Nest
from .reduction import identity
from .scalars import RULES, Emitter, literal, llvm_type, memory_type

LANE_BYTES = 256
"""There are so many lanes that no sum waits for the one before; at least 64, as LLVM takes loops of fewer rounds apart
before it makes vectors of them."""

ROWS = 8
"""A block has so many elements in each lane."""

FEW = 16
"""So many elements are added up one after the other."""

_LEVELS = 64

_VECTORS = {
    "add": ("add", "add", "fadd"),
    "multiply": ("mul", "mul", "fmul"),
    "maximum": ("smax", "umax", "fmaximum"),
    "minimum": ("smin", "umin", "fminimum"),
    "logical_or": ("or", "or", "or"),
    "logical_and": ("and", "and", "and"),
    "bitwise_or": ("or", "or", "or"),
    "bitwise_and": ("and", "and", "and"),
    "bitwise_xor": ("xor", "xor", "xor"),
}
"""LLVM's reductions of vectors of signed and unsigned integers and of floats."""


def reducing_code(kernel: Kernel) -> Code:
    """`run` for arguments that are C-contiguous. After the addresses of the results its frame has the words of
    `more_words`."""
    return ReducingNest(kernel, len(kernel.axes), False).code()


def more_words(kernel: Kernel) -> list[str]:
    """What the frame of a kernel that reduces has besides what all have: the number that means are divided by, the
    length of the first axis of the frame where a part of it is computed and strides depend on it, and the first row."""
    wanted = {"count": True, "whole": not kernel.is_static, "row": kernel.is_by_columns}
    return [name for name, is_wanted in wanted.items() if is_wanted]


class ReducingNest(Nest):
    """In the innermost loop a reduced result is an array of lanes, to which each element is added."""

    callee = "@blocks"

    def __init__(self, kernel: Kernel, rank: int, is_strided: bool) -> None:
        super().__init__(kernel, rank, is_strided)
        self._outer = sum(group[0] not in kernel.reduced for group in kernel.axes)
        self._reduced = [n for n in kernel.results if n in kernel.reductions]
        self._blocks_emitter = Emitter()
        least = min(n.type.dtype.itemsize for n in self._reduced)
        self._lanes = 1 if self._is_few() else max(64, LANE_BYTES // least)
        self.allocas = ["%number = alloca i64, align 8"]
        for r, node in enumerate(self._reduced):
            self.allocas.append(f"%levels{r} = alloca [{_LEVELS} x {memory_type(node.type.dtype)}], align 8")

    def _is_few(self) -> bool:
        kernel = self.kernel
        return kernel.is_static and all(n <= FEW for n in self._reduced_lengths()[-1:])

    def _reduced_lengths(self) -> list[int]:
        """The lengths of a static kernel that its inner loops run over."""
        shape = cast(tuple[int, ...], self.kernel.shape)
        return [math.prod([shape[a] for a in group]) for group in self.kernel.axes[self._outer :]]

    def _combine(self, e: Emitter, node: Node, known: str, value: str) -> str:
        rule, dtype = self.kernel.reductions[node].rule, node.type.dtype
        if dtype.kind != "f" or rule not in ("maximum", "minimum"):
            return RULES[rule][1](e, dtype, [known, value])
        e.may_flag, kind = True, llvm_type(dtype)  # one instruction and another for a NaN, which stays once it is known
        better = e.do(f"fcmp {'ogt' if rule == 'maximum' else 'olt'} {kind} {value}, {known}")
        odd = e.do(f"fcmp uno {kind} {value}, {value}")
        return e.select(odd, dtype, value, e.select(better, dtype, value, known))

    def _store(self, node: Node, pointer: str) -> None:
        if node in self.kernel.reductions:
            known = self._load(node, pointer)
            self._names[node] = self._combine(self._element, node, known, self._names[node])
        super()._store(node, pointer)

    def _is_for_vectors(self) -> bool:
        return self._lanes > 1

    def _inner(self) -> list[str]:
        return [*super()._inner(), *self._blocks()]

    def _blocks(self) -> list[str]:
        """`blocks(n, address and stride of each array, scalars, number of sums so far, sums)`: adds n elements."""
        parameters = ["i64 %n", *[f"ptr %p{k}, i64 %s{k}" for k in range(len(self.values))]]
        parameters += [*self._scalar_parameters(), *self._state()]
        lines = [f"define internal i32 @blocks({', '.join(parameters)}) alwaysinline nounwind {{", "entry:"]
        lanes = self._lanes
        block = ROWS * lanes if lanes > 1 else FEW
        for r, node in enumerate(self._reduced):
            lines.append(f"%lanes{r} = alloca [{self._lanes} x {memory_type(node.type.dtype)}], align 64")
        lines += ["br label %block", "block:", "%at = phi i64 [ 0, %entry ], [ %end, %pushed ]"]
        lines += ["%was = phi i32 [ 0, %entry ], [ %is, %pushed ]", "%left = sub i64 %n, %at"]
        lines += [f"%short = icmp slt i64 %left, {block}", f"%size = select i1 %short, i64 %left, i64 {block}"]
        lines.append("%end = add i64 %at, %size")
        for r, node in enumerate(self._reduced):
            kind = memory_type(node.type.dtype)
            lines.append(f"store <{lanes} x {kind}> {self._identities(node, lanes)}, ptr %lanes{r}, align 64")
        if lanes == 1:
            lines += ["%rest.at = add i64 %at, 0", "%rest.was = or i32 %was, 0", *self._call_inner("rest", "%size")]
            lines += ["br label %sum", "sum:", "%is = phi i32 [ %rest.is, %block ]"]
            return [*lines, *self._push(), "done:", "ret i32 %is", "}"]
        lines += [f"%rows = udiv i64 %size, {lanes}", "%any = icmp ne i64 %rows, 0"]
        lines += ["br i1 %any, label %row, label %rest", "row:", "%r = phi i64 [ 0, %block ], [ %r.next, %row ]"]
        lines += ["%row.was = phi i32 [ %was, %block ], [ %row.is, %row ]", f"%r.first = mul i64 %r, {lanes}"]
        lines += ["%row.at = add i64 %at, %r.first", *self._call_inner("row", str(lanes))]
        lines += ["%r.next = add i64 %r, 1", "%r.more = icmp ult i64 %r.next, %rows"]
        lines += ["br i1 %r.more, label %row, label %rest", "rest:"]
        lines += ["%rest.was = phi i32 [ %was, %block ], [ %row.is, %row ]", f"%in.rows = mul i64 %rows, {lanes}"]
        lines += ["%rest.n = sub i64 %size, %in.rows", "%rest.at = add i64 %at, %in.rows"]
        lines += self._call_inner("rest", "%rest.n")
        lines += ["br label %sum", "sum:", "%is = phi i32 [ %rest.is, %rest ]"]
        return [*lines, *self._push(), "done:", "ret i32 %is", "}"]

    def _identities(self, node: Node, count: int) -> str:
        """A vector of what changes nothing."""
        start = literal(identity(self.kernel.reductions[node], node.type.dtype), node.type.dtype)
        start = {"true": "1", "false": "0"}.get(start, start)
        return f"<{', '.join([f'{memory_type(node.type.dtype)} {start}'] * count)}>"

    def _state(self) -> list[str]:
        return ["ptr %number", *[f"ptr %levels{r}" for r in range(len(self._reduced))]]

    def _call_inner(self, name: str, count: str) -> list[str]:
        """Adds `count` elements to the lanes, from the one `%<name>.at` on."""
        lines, arguments = [], [f"i64 {count}"]
        for k, node in enumerate(self.values):
            if node in self.kernel.reductions:
                size = node.type.dtype.itemsize if self._lanes > 1 else 0
                arguments += [f"ptr %lanes{self._reduced.index(node)}", f"i64 {size}"]
                continue
            lines.append(f"%{name}.o{k} = mul i64 %{name}.at, %s{k}")
            lines.append(f"%{name}.p{k} = getelementptr i8, ptr %p{k}, i64 %{name}.o{k}")
            arguments += [f"ptr %{name}.p{k}", f"i64 %s{k}"]
        arguments += self._scalar_parameters()
        lines.append(f"%{name}.now = call i32 @inner({', '.join(arguments)})")
        return [*lines, f"%{name}.is = or i32 %{name}.was, %{name}.now"]

    def _push(self) -> list[str]:
        """Adds the sum of the lanes to the cascade: level k has the sum of 2**k blocks where bit k of their number is
        set."""
        e = self._blocks_emitter
        sums = [self._sum_of_lanes(e, r, node) for r, node in enumerate(self._reduced)]
        e.lines += ["%c = load i64, ptr %number, align 8", "%c.next = add i64 %c, 1"]
        e.lines += ["store i64 %c.next, ptr %number, align 8", "br label %push", "push:"]
        e.lines += ["%level = phi i64 [ 0, %sum ], [ %level.up, %carry ]"]
        e.lines += ["%bits = phi i64 [ %c, %sum ], [ %bits.up, %carry ]"]
        known = len(e.lines)
        e.lines += ["%odd = trunc i64 %bits to i1", "br i1 %odd, label %carry, label %pushed", "carry:"]
        for r, node in enumerate(self._reduced):
            carried = self._combine(e, node, self._load_level(e, r, node, "%level"), f"%u{r}")
            kind = llvm_type(node.type.dtype)
            e.lines.insert(known, f"%u{r} = phi {kind} [ {sums[r]}, %sum ], [ {carried}, %carry ]")
        e.lines += ["%level.up = add i64 %level, 1", "%bits.up = lshr i64 %bits, 1", "br label %push", "pushed:"]
        for r, node in enumerate(self._reduced):
            self._keep(e, node, f"%u{r}", self._level(e, r, node, "%level"))
        e.lines += ["%more = icmp slt i64 %end, %n", "br i1 %more, label %block, label %done"]
        return e.lines

    def _sum_of_lanes(self, e: Emitter, r: int, node: Node) -> str:
        dtype, rule = node.type.dtype, self.kernel.reductions[node].rule
        kind = memory_type(dtype)
        name = _VECTORS[rule]["iuf".find(dtype.kind)]
        vector = f"<{self._lanes} x {kind}>"
        value = e.do(f"load {vector}, ptr %lanes{r}, align 64")
        function = f"@llvm.vector.reduce.{name}.v{self._lanes}{kind[0] if kind[0] == 'i' else 'f'}{dtype.itemsize * 8}"
        first, flag = "", ""
        if name in ("fadd", "fmul"):
            first, flag = f"{kind} {literal(identity(self.kernel.reductions[node], dtype), dtype)}, ", "reassoc "
        e.intrinsics.add(f"declare {kind} {function}({f'{kind}, ' if first else ''}{vector})")
        found = e.do(f"call {flag}{kind} {function}({first}{vector} {value})")
        return e.do(f"icmp ne i8 {found}, 0") if dtype.kind == "b" else found

    def _level(self, e: Emitter, r: int, node: Node, level: str) -> str:
        return e.do(f"getelementptr {memory_type(node.type.dtype)}, ptr %levels{r}, i64 {level}")

    def _load_level(self, e: Emitter, r: int, node: Node, level: str) -> str:
        return self._kept(e, node, self._level(e, r, node, level))

    def _kept(self, e: Emitter, node: Node, pointer: str) -> str:
        dtype = node.type.dtype
        found = e.do(f"load {memory_type(dtype)}, ptr {pointer}, align {dtype.itemsize}")
        return e.do(f"icmp ne i8 {found}, 0") if dtype.kind == "b" else found

    def _keep(self, e: Emitter, node: Node, value: str, pointer: str) -> None:
        dtype = node.type.dtype
        value = e.do(f"zext i1 {value} to i8") if dtype.kind == "b" else value
        e.lines.append(f"store {memory_type(dtype)} {value}, ptr {pointer}, align {dtype.itemsize}")

    # --- the loops around

    def _loops(
        self, axis: int, lengths: list[str], pointers: list[str], strides: Any, scalars: list[str], kind: str = ""
    ) -> None:
        if axis != self._outer:
            super()._loops(axis, lengths, pointers, strides, scalars, kind)
            return
        if self.kernel.is_static and axis:  # no axis of these is shared out
            lengths = [*lengths[:axis], *map(str, self._reduced_lengths())]
        self.lines.append("store i64 0, ptr %number, align 8")
        super()._loops(axis, lengths, pointers, strides, [*scalars, *self._state()], kind)
        self._finish(pointers)

    def _finish(self, pointers: list[str]) -> None:
        """Adds up the cascade, and stores the results."""
        e = Emitter()
        e.lines = self.lines
        e.lines += ["%blocks.n = load i64, ptr %number, align 8", "br label %fold.before", "fold.before:"]
        e.lines += ["br label %fold", "fold:", "%fold.level = phi i64 [ 0, %fold.before ], [ %fold.up, %fold.next ]"]
        e.lines.append("%fold.bits = phi i64 [ %blocks.n, %fold.before ], [ %fold.rest, %fold.next ]")
        for r, node in enumerate(self._reduced):
            dtype = node.type.dtype
            start = literal(identity(self.kernel.reductions[node], dtype), dtype)
            e.lines.append(f"%fold.v{r} = phi {llvm_type(dtype)} [ {start}, %fold.before ], [ %fold.x{r}, %fold.next ]")
        e.lines.append("%fold.odd = trunc i64 %fold.bits to i1")
        e.lines += ["br i1 %fold.odd, label %fold.add, label %fold.next", "fold.add:"]
        added = []
        for r, node in enumerate(self._reduced):
            added.append(self._combine(e, node, self._load_level(e, r, node, "%fold.level"), f"%fold.v{r}"))
        e.lines += ["br label %fold.next", "fold.next:"]
        for r, node in enumerate(self._reduced):
            kind = llvm_type(node.type.dtype)
            e.lines.append(f"%fold.x{r} = phi {kind} [ %fold.v{r}, %fold ], [ {added[r]}, %fold.add ]")
        e.lines += ["%fold.up = add i64 %fold.level, 1", "%fold.rest = lshr i64 %fold.bits, 1"]
        e.lines.append("%fold.more = icmp ne i64 %fold.rest, 0")
        e.lines += ["br i1 %fold.more, label %fold, label %folded", "folded:"]
        for r, node in enumerate(self._reduced):
            self._keep(e, node, self._finished(e, node, f"%fold.x{r}"), pointers[self.values.index(node)])
        self._blocks_emitter.intrinsics |= e.intrinsics

    def _finished(self, e: Emitter, node: Node, value: str) -> str:
        """The result of a reduction, from all elements combined."""
        if not self.kernel.reductions[node].is_mean:
            return value
        kind = llvm_type(node.type.dtype)
        divisor = e.do(f"sitofp i64 %count to {kind}")
        return e.do(f"fdiv {kind} {value}, {divisor}")

    def _read_more(self, read: Callable[[str], str]) -> None:
        for name in more_words(self.kernel):
            read(name)

    def _dense_strides(self, lengths: list[str]) -> list[list[str]]:
        return super()._dense_strides(lengths if self.kernel.is_static else ["%whole", *lengths[1:]])

    @property
    def declarations(self) -> set[str]:
        return super().declarations | self._blocks_emitter.intrinsics
