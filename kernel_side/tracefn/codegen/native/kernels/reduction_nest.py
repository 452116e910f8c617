"""LLVM IR of a kernel that reduces: elements are combined in lanes, lanes in blocks, and blocks in a binary cascade.

The rounding error grows with the logarithm of the number of elements, as in NumPy's pairwise sums. Which elements are
combined first depends on their number alone: not on the processor, nor on threads.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from ....ir.graph import Node
from ...machine.processor import vector_bits
from ..fusion.reduction import Field
from ..scalar.emitter import BOOL, DType, Emitter, Pair, literal, llvm_type, memory_type, part
from ..scalar.folds import FOLDS, start_of
from .inner_loop import LEAST_ROUNDS, MOST_SIDE_BY_SIDE, OUT_OF_RANGE
from .kernel import Kernel
from .nest import KernelNest
from .packing import copied, copying
from .reduction_state import State

LANE_BYTES = 256
"""Bytes of all lanes of a reduction: enough that no addition waits for the one before. There are at least 64 lanes, as
LLVM unrolls loops of fewer rounds before it vectorises them."""

ROWS = 8
"""Elements of a block in each lane."""

ROWS_OF_POSITIONS = 128
"""For positions of extrema blocks are larger, as it takes longer to find the one in the lanes."""

SMALL = 4
"""Elements of fewer bytes are small."""

FEW = 16
"""So many elements are added up one after the other."""

_LEVELS = 64


def more_words(kernel: Kernel) -> list[str]:
    """The words that the frame of a reducing kernel has besides those of all kernels: the number that means are divided
    by, the length of the first axis of the frame where a part of it is computed and strides depend on it, and the first
    row."""
    wanted = {"count": True, "whole": not kernel.is_static, "row": kernel.is_by_columns}
    return [name for name, is_wanted in wanted.items() if is_wanted]


class ReducingNest(KernelNest):
    """In the innermost loop a reduced result is an array of lanes, to which each element is added."""

    callee = "@blocks"

    def __init__(self, kernel: Kernel, rank: int, is_strided: bool) -> None:
        super().__init__(kernel, rank, is_strided)
        self._outer = sum(group[0] not in kernel.reduced for group in kernel.axes)
        self._state = State(kernel)
        self._blocks_emitter = Emitter()
        self._has_positions = any(FOLDS[r.rule].gives_position for r in kernel.reductions.values())
        least = min(f.dtype.itemsize for f in self._state.fields)
        self._lanes = 1 if self._is_few() else max(64, LANE_BYTES // least)
        self._block = FEW if self._lanes == 1 else self._lanes * (ROWS_OF_POSITIONS if self._has_positions else ROWS)
        self.allocas = ["%number = alloca i64, align 8", "%seen = alloca i64, align 8"]
        self.allocas += self._state.allocas("%levels", _LEVELS)

    @property
    def _width(self) -> int:
        read = [n.type.dtype for n in (*self.values, *self.kernel.steps) if n not in self.kernel.reductions]
        return vector_bits() // (8 * max(part(d).itemsize for d in (*read, *[f.dtype for f in self._state.fields])))

    def _interleaved(self) -> int:
        """As many vectors side by side as there are lanes for, where few elements are left over at the end."""
        calls, most = self._element.calls, self._lanes // self._width
        if not calls or (self.inner_length or 0) < LEAST_ROUNDS * self._lanes:
            return 1
        return max([c for c in (2, 4) if c <= most and c * calls <= MOST_SIDE_BY_SIDE], default=1)

    @property
    def combines_blocks(self) -> bool:
        """True if there are blocks of values, not of positions, and more elements than a few."""
        return self._lanes > 1 and not self._has_positions

    @property
    def inner_length(self) -> int | None:
        """The length of the inner loop. None where it is open."""
        return self._reduced_lengths()[-1] if self.kernel.is_static else None

    def _is_few(self) -> bool:
        kernel = self.kernel
        return kernel.is_static and not self._has_positions and self._reduced_lengths()[-1] <= FEW

    def _reduced_lengths(self) -> list[int]:
        """The lengths of a static kernel that its inner loops run over."""
        shape = cast(tuple[int, ...], self.kernel.shape)
        return [math.prod([shape[a] for a in group]) for group in self.kernel.axes[self._outer :]]

    # --- one element

    def _step(self, node: Node) -> Any:
        if node not in self.kernel.reductions:
            return super()._step(node)
        source, found = node.inputs[0], self.kernel.reductions[node]
        value = self._element.cast(self._names[source], source.type.dtype, found.through)
        counts = self._counts(node)
        if counts is None:
            return value
        start = start_of(found.rule, found.through)
        start = -0.0 if found.rule == "add" and found.through.kind == "f" else start
        nothing = self._element.hidden(literal(start, found.through), found.through)
        return self._element.select(counts, found.through, value, nothing)

    def _counts(self, node: Node) -> Any:
        """Whether an element is one of those that are reduced. None where all are."""
        found, source = self.kernel.reductions[node], node.inputs[0]
        if found.skips_nan:
            value = self._names[source]
            return self._element.do(f"fcmp ord {llvm_type(source.type.dtype)} {value}, {value}")
        return None if found.mask is None else self._mask(found.mask)

    def _store(self, node: Node, pointer: str) -> None:
        if node not in self.kernel.reductions:
            super()._store(node, pointer)
            return
        e, state, at = self._element, self._state, "%i" if self._lanes > 1 else "0"
        found = self.kernel.reductions[node]
        types = [state.fields[k].dtype for k in state.of[node]]
        if not FOLDS[found.rule].gives_position:
            value = e.cast(self._names[node], found.through, node.type.dtype)
            if found.has_count:
                value = Pair(value, e.cast(self._counts(node), BOOL, types[1]))
            new = list(value) if len(types) == 2 else [value]
        else:
            new = [self._names[node]]
            new.append(e.cast("%row", np.dtype(np.int64), types[1]))
        state.keep_one(e, node, "%f", at, state.combine_one(e, node, state.load_one(e, node, "%f", at), new))

    def _more_parameters(self) -> list[str]:
        return ["i64 %row", *self._state.parameters("noalias %f")]

    def _is_for_vectors(self) -> bool:
        return self._lanes > 1

    def _inner(self) -> list[str]:
        return [*super()._inner(), *self._blocks()]

    @functools.cached_property
    def _apart(self) -> dict[int, int]:
        """The arrays that are packed before they are vectorised, by their numbers, with the sizes of
        their elements: they are strided in the innermost loop. LLVM makes vectors of such
        elements itself, but not where they are given to functions, and badly where they are small."""
        kernel = self.kernel
        if not kernel.is_static or self._lanes == 1:
            return {}
        sizes = {k: n.type.dtype.itemsize for k, n in enumerate(kernel.operands)}
        strides = {k: kernel.places[n][1][kernel.axes[-1][-1]] for k, n in enumerate(kernel.operands)}
        apart = {k: size for k, size in sizes.items() if strides[k] not in (0, size, -size)}
        return {k: size for k, size in apart.items() if self._element.calls or size < SMALL}

    # --- blocks of elements

    def _blocks(self) -> list[str]:
        """`blocks(n, address and stride of each array, scalars, state)`: adds n elements."""
        parameters = ["i64 %n", *[f"ptr %p{k}, i64 %s{k}" for k in range(len(self.values))]]
        parameters += [*self._scalar_parameters(), *self._state_parameters()]
        lines = [line for size in sorted(set(self._apart.values())) for line in copying(size, "!2")]
        lines += [f"define internal i32 @blocks({', '.join(parameters)}) alwaysinline nounwind {{", "entry:"]
        lanes = self._lanes
        lines += self._state.allocas("%lanes", lanes)
        lines += [f"%room{k} = alloca [{lanes * size} x i8], align 64" for k, size in self._apart.items()]
        lines += ["%seen.was = load i64, ptr %seen, align 8"] if self._has_positions else []
        lines += ["br label %block", "block:", "%at = phi i64 [ 0, %entry ], [ %end, %pushed ]"]
        lines += ["%was = phi i32 [ 0, %entry ], [ %is, %pushed ]", "%left = sub i64 %n, %at"]
        lines += [f"%short = icmp slt i64 %left, {self._block}"]
        lines.append(f"%size = select i1 %short, i64 %left, i64 {self._block}")
        lines += ["%end = add i64 %at, %size", *self._begun(), *self._state.begin("%lanes", lanes)]
        if lanes == 1:
            lines += ["%rest.at = add i64 %at, 0", "%rest.was = or i32 %was, 0"]
            lines += self._call_inner("rest", "%size", "0")
            lines += ["br label %sum", "sum:", "%is = phi i32 [ %rest.is, %block ]"]
            return [*lines, *self._push(), "done:", "ret i32 %is", "}"]
        lines += [f"%rows = udiv i64 %size, {lanes}", "%any = icmp ne i64 %rows, 0"]
        lines += ["br i1 %any, label %row, label %rest", "row:", "%r = phi i64 [ 0, %block ], [ %r.next, %row ]"]
        lines += ["%row.was = phi i32 [ %was, %block ], [ %row.is, %row ]", f"%r.first = mul i64 %r, {lanes}"]
        lines += ["%row.at = add i64 %at, %r.first", *self._call_inner("row", str(lanes), "%r")]
        lines += ["%r.next = add i64 %r, 1", "%r.more = icmp ult i64 %r.next, %rows"]
        lines += ["br i1 %r.more, label %row, label %rest", "rest:"]
        lines += ["%rest.was = phi i32 [ %was, %block ], [ %row.is, %row ]", f"%in.rows = mul i64 %rows, {lanes}"]
        lines += ["%rest.n = sub i64 %size, %in.rows", "%rest.at = add i64 %at, %in.rows"]
        lines += self._call_inner("rest", "%rest.n", "%rows")
        lines += ["br label %sum", "sum:", "%is = phi i32 [ %rest.is, %rest ]"]
        lines += [*self._push(), "done:"]
        lines += ["%seen.is = add i64 %seen.was, %n", "store i64 %seen.is, ptr %seen"] if self._has_positions else []
        return [*lines, "ret i32 %is", "}"]

    def _begun(self) -> list[str]:
        """The steps with a block before its elements are added."""
        return []

    def _state_parameters(self) -> list[str]:
        return ["ptr %number", "ptr %seen", *self._state.parameters("%levels")]

    def _call_inner(self, name: str, count: str, row: str) -> list[str]:
        """Adds `count` elements to the lanes, from the one `%<name>.at` on."""
        lines, arguments = [], [f"i64 {count}"]
        for k in range(len(self.values)):
            lines.append(f"%{name}.o{k} = mul i64 %{name}.at, %s{k}")
            lines.append(f"%{name}.p{k} = getelementptr i8, ptr %p{k}, i64 %{name}.o{k}")
            if (size := self._apart.get(k)) is not None:
                lines.append(copied(size, (f"%{name}.p{k}", "0", f"%s{k}"), (f"%room{k}", "0", str(size)), "1", count))
            arguments += [f"ptr %{name}.p{k}", f"i64 %s{k}"] if size is None else [f"ptr %room{k}", f"i64 {size}"]
        arguments += [*self._scalar_parameters(), f"i64 {row}", *self._state.parameters("%lanes")]
        lines.append(f"%{name}.now = call i32 @inner({', '.join(arguments)})")
        return [*lines, f"%{name}.is = or i32 %{name}.was, %{name}.now"]

    def _push(self) -> list[str]:
        """Adds the sum of the lanes to the cascade: level k has the sum of 2**k blocks where bit k of their number is
        set."""
        e, state = self._blocks_emitter, self._state
        sums = {node: self._sum_of_lanes(e, node) for node in state.reduced}
        e.lines += ["%c = load i64, ptr %number, align 8", "%c.next = add i64 %c, 1"]
        e.lines += ["store i64 %c.next, ptr %number, align 8", "br label %push", "push:"]
        e.lines += ["%level = phi i64 [ 0, %sum ], [ %level.up, %carry ]"]
        e.lines += ["%bits = phi i64 [ %c, %sum ], [ %bits.up, %carry ]"]
        known, carried = len(e.lines), state.named("%u")
        e.lines += ["%odd = trunc i64 %bits to i1", "br i1 %odd, label %carry, label %pushed", "carry:"]
        both = state.combine(e, state.load(e, "%levels", "%level"), carried)
        e.lines[known:known] = state.phis("%u", {"sum": sums, "carry": both})
        e.lines += ["%level.up = add i64 %level, 1", "%bits.up = lshr i64 %bits, 1", "br label %push", "pushed:"]
        state.keep(e, "%levels", "%level", carried)
        e.lines += ["%more = icmp slt i64 %end, %n", "br i1 %more, label %block, label %done"]
        return e.lines

    def _sum_of_lanes(self, e: Emitter, node: Node) -> list[str]:
        own, rule = self._state.of[node], self.kernel.reductions[node].rule
        lanes = [self._lanes_of(e, k) for k in own]
        combined = own[:1] if FOLDS[rule].gives_position else own
        sums = [
            self._reduced_lanes(e, FOLDS[rule].name, self._state.fields[k], found)
            for k, found in zip(combined, lanes, strict=False)
        ]
        if FOLDS[rule].gives_position:
            sums.append(self._position(e, [self._state.fields[k].dtype for k in own], lanes, sums[0]))
        if self._state.fields[own[0]].dtype.kind == "b":
            sums[0] = e.do(f"icmp ne i8 {sums[0]}, 0")
        return sums

    def _lanes_of(self, e: Emitter, k: int) -> str:
        return e.do(f"load {self._vector(self._state.fields[k].dtype)}, ptr %lanes{k}, align 64")

    def _vector(self, dtype: DType) -> str:
        return f"<{self._lanes} x {memory_type(dtype)}>"

    def _reduced_lanes(self, e: Emitter, rule: str, field: Field, lanes: str) -> str:
        dtype, kind, vector = field.dtype, memory_type(field.dtype), self._vector(field.dtype)
        if dtype.kind == "b":
            rule = {"maximum": "logical_or", "minimum": "logical_and"}.get(rule, rule)
        name = FOLDS[rule].vector(dtype)
        function = f"@llvm.vector.reduce.{name}.v{self._lanes}{kind[0] if kind[0] == 'i' else 'f'}{dtype.itemsize * 8}"
        first, flag = "", ""
        if name in ("fadd", "fmul"):
            first, flag = f"{kind} {literal(field.start, dtype)}, ", "reassoc "
        e.intrinsics.add(f"declare {kind} {function}({f'{kind}, ' if first else ''}{vector})")
        return e.do(f"call {flag}{kind} {function}({first}{vector} {lanes})")

    def _position(self, e: Emitter, types: list[DType], lanes: list[str], extremum: str) -> str:
        """The index of the first element that is the extremum of a block. Lanes have the row where each was found."""
        (dtype, index), count = types, self._lanes
        kind, vector, wide = memory_type(dtype), self._vector(dtype), self._vector(index)
        one = e.do(f"insertelement {vector} poison, {kind} {extremum}, i64 0")
        zeros = f"<{count} x i32> zeroinitializer"
        all_ = e.do(f"shufflevector {vector} {one}, {vector} poison, {zeros}")
        if dtype.kind == "f":  # NaN is found where there is one
            test = e.do(f"fcmp oeq {vector} {lanes[0]}, {all_}")
            odd = e.do(f"fcmp uno {vector} {lanes[0]}, {lanes[0]}")
            test = e.do(f"or <{count} x i1> {test}, {odd}")
        else:
            test = e.do(f"icmp eq {vector} {lanes[0]}, {all_}")
        each = llvm_type(index)
        rows = e.do(f"mul {wide} {lanes[1]}, <{', '.join([f'{each} {count}'] * count)}>")
        places = e.do(f"add {wide} {rows}, <{', '.join(f'{each} {k}' for k in range(count))}>")
        nowhere = f"<{', '.join([f'{each} -1'] * count)}>"
        found = e.do(f"select <{count} x i1> {test}, {wide} {places}, {wide} {nowhere}")
        function = f"@llvm.vector.reduce.umin.v{count}{each}"
        e.intrinsics.add(f"declare {each} {function}({wide})")
        place = e.do(f"call {each} {function}({wide} {found})")
        before = e.cast(e.do("add i64 %seen.was, %at"), np.dtype(np.int64), index)
        return e.do(f"add {each} {place}, {before}")

    # --- the loops around

    def _loops(
        self, axis: int, lengths: list[str], pointers: list[str], strides: Any, scalars: list[str], kind: str = ""
    ) -> None:
        if axis != self._outer:
            super()._loops(axis, lengths, pointers, strides, scalars, kind)
            return
        if self.kernel.is_static and axis:  # no axis of these is shared out
            lengths = [*lengths[:axis], *map(str, self._reduced_lengths())]
        self.lines += ["store i64 0, ptr %number, align 8", "store i64 0, ptr %seen, align 8"]
        super()._loops(axis, lengths, pointers, strides, [*scalars, *self._state_parameters()], kind)
        self._finish(pointers)

    def _finish(self, pointers: list[str]) -> None:
        """Adds up the cascade, and stores the results."""
        e, state = Emitter(), self._state
        e.lines = self.lines
        e.lines += ["%blocks.n = load i64, ptr %number, align 8", "br label %fold.before", "fold.before:"]
        e.lines += ["br label %fold", "fold:", "%fold.level = phi i64 [ 0, %fold.before ], [ %fold.up, %fold.next ]"]
        e.lines.append("%fold.bits = phi i64 [ %blocks.n, %fold.before ], [ %fold.rest, %fold.next ]")
        known, results = state.named("%fold.v"), state.named("%fold.x")
        e.lines += state.phis("%fold.v", {"fold.before": state.starts(), "fold.next": results})
        e.lines.append("%fold.odd = trunc i64 %fold.bits to i1")
        e.lines += ["br i1 %fold.odd, label %fold.add, label %fold.next", "fold.add:"]
        added = state.combine(e, state.load(e, "%levels", "%fold.level"), known)
        e.lines += ["br label %fold.next", "fold.next:", *state.phis("%fold.x", {"fold": known, "fold.add": added})]
        e.lines += ["%fold.up = add i64 %fold.level, 1", "%fold.rest = lshr i64 %fold.bits, 1"]
        e.lines.append("%fold.more = icmp ne i64 %fold.rest, 0")
        e.lines += ["br i1 %fold.more, label %fold, label %folded", "folded:"]
        for node in state.reduced:
            self._give(e, node, results[node], pointers[self.values.index(node)])
        self._blocks_emitter.intrinsics |= e.intrinsics

    def _give(self, e: Emitter, node: Node, known: list[str], pointer: str) -> None:
        """Stores the result of a reduction, from all elements combined."""
        found, dtype = self.kernel.reductions[node], node.type.dtype
        if dtype.kind == "c":
            self._give_complex(e, node, known, pointer)
            return
        kind = memory_type(dtype)
        value = known[0]
        if FOLDS[found.rule].gives_position:
            value = e.cast(known[1], self._state.fields[self._state.of[node][1]].dtype, dtype)
        if found.has_count:  # of nothing NumPy warns in its own words
            self._leave_if_same(e, dtype, known[1], literal(0.0, dtype))
            value = e.do(f"fdiv {kind} {value}, {known[1]}")
        elif found.rule in ("maximum", "minimum") and found.is_partial:  # of nothing NumPy raises
            self._leave_if_same(e, dtype, value, literal(start_of(found.rule, dtype), dtype))
        elif found.is_mean:
            divisor = e.do(f"sitofp i64 %count to {kind}")
            value = e.do(f"fdiv {kind} {value}, {divisor}")
        value = e.do(f"zext i1 {value} to i8") if dtype.kind == "b" else value
        e.lines.append(f"store {kind} {value}, ptr {pointer}, align {dtype.itemsize}")

    def _leave_if_same(self, e: Emitter, dtype: DType, value: str, other: str) -> None:
        """Leaves the kernel to NumPy where two values are the same."""
        same = e.do(f"{'fcmp oeq' if dtype.kind == 'f' else 'icmp eq'} {memory_type(dtype)} {value}, {other}")
        fault = e.do(f"select i1 {same}, i32 {OUT_OF_RANGE}, i32 0")
        fault = e.do(f"or i32 {e.do('load i32, ptr %bad, align 4')}, {fault}")
        e.lines.append(f"store i32 {fault}, ptr %bad, align 4")

    def _give_complex(self, e: Emitter, node: Node, known: list[str], pointer: str) -> None:
        dtype = part(node.type.dtype)
        kind = memory_type(dtype)
        if self.kernel.reductions[node].is_mean:  # as NumPy divides by a complex number without imaginary part
            scale = e.do(f"fdiv {kind} {literal(1.0, dtype)}, {e.do(f'sitofp i64 %count to {kind}')}")
            real, imag = (e.do(f"fmul {kind} {each}, {literal(0.0, dtype)}") for each in known)
            both = e.do(f"fadd {kind} {known[0]}, {imag}"), e.do(f"fsub {kind} {known[1]}, {real}")
            known = [e.do(f"fmul {kind} {each}, {scale}") for each in both]
        for offset, value in zip((0, dtype.itemsize), known, strict=True):
            place = e.do(f"getelementptr i8, ptr {pointer}, i64 {offset}")
            e.lines.append(f"store {kind} {value}, ptr {place}, align {dtype.itemsize}")

    @property
    def _has_faults(self) -> bool:
        return super()._has_faults or any(r.is_partial for r in self.kernel.reductions.values())

    def _read_more(self, read: Callable[[str], str]) -> None:
        for name in more_words(self.kernel):
            read(name)

    def _dense_strides(self, lengths: list[str]) -> list[list[str]]:
        return super()._dense_strides(lengths if self.kernel.is_static else ["%whole", *lengths[1:]])

    @property
    def declarations(self) -> set[str]:
        return super().declarations | self._blocks_emitter.intrinsics
