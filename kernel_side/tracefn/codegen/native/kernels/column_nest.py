"""LLVM IR of a kernel that reduces leading axes: neighbours in memory are columns, each with a result of its own.

So many columns that their sums stay in the cache are worked on together, row after row. Rows are added up in blocks,
and blocks in a binary cascade, as elements are in `reduction_nest`: the rounding error grows with the logarithm of
their number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast

from ....ir.graph import Node
from ..scalar.emitter import Emitter
from ..scalar.module import Code
from .kernel import Kernel
from .nest import KernelNest
from .reduction_nest import LANE_BYTES, ReducingNest

TILE_BYTES = 4096
"""So much of a row is worked on at a time: the sums of its columns, of all levels, stay in the cache."""

BLOCK_BYTES, BLOCK = 32, 8
"""The bytes of a column, and the rows, that are added up one after the other. More of them would evict each other from
the cache where the length of a row is a power of two."""

MOST_LEVELS = 40

STACK_BYTES = 1 << 18
"""The sums of all levels take no more of the stack: some threads have half a megabyte."""


def column_code(kernel: Kernel) -> Code:
    """`run` for arguments that are C-contiguous. Its frame is that of `reducing_code`."""
    return _ColumnNest(kernel, len(kernel.axes), False).code()


class _ColumnNest(ReducingNest):
    """In the innermost loop a reduced result is an array with a sum for each column.

    Around it `rows` adds rows to the cascade: level k has, for each column, the sum of 2**k blocks where bit k of their
    number is set.
    """

    callee = "@rows"

    def __init__(self, kernel: Kernel, rank: int, is_strided: bool) -> None:
        super().__init__(kernel, rank, is_strided)
        sizes = [f.dtype.itemsize for f in self._state.fields]
        self._lanes = max(64, LANE_BYTES // min(sizes))
        self._block = max(BLOCK, BLOCK_BYTES // min(sizes))
        most = min(TILE_BYTES // max(sizes), STACK_BYTES // (sum(sizes) * self._levels()))
        self._tile = max(self._lanes, most // self._lanes * self._lanes)
        self.allocas = ["%number = alloca i64, align 8", *self._state.allocas("%sums", self._tile)]
        self.allocas += self._state.allocas("%levels", self._tile * self._levels())

    def _levels(self) -> int:
        if not self.kernel.is_static:
            return MOST_LEVELS
        *outer, rows = self._reduced_lengths()
        return (math.prod(outer) * math.ceil(rows / self._block)).bit_length()

    def _dense_pointers(self, bases: dict[Node, str], strides: list[list[str]], start: str) -> list[str]:
        pointers = super()._dense_pointers(bases, strides, start)
        for k, pointer in enumerate(pointers):
            self.lines.append(f"%row.m{k} = mul i64 %row, {strides[k][self._outer]}")
            self.lines.append(f"%row.f{k} = getelementptr i8, ptr {pointer}, i64 %row.m{k}")
        return [f"%row.f{k}" for k in range(len(pointers))]

    # --- rows

    def _blocks(self) -> list[str]:
        """`rows(n, address and stride of each array, scalars, number of columns, the stride of each array along them,
        number of blocks so far, sums, levels)`: adds n rows."""
        parameters = ["i64 %n", *[f"ptr %p{k}, i64 %s{k}" for k in range(len(self.values))]]
        parameters += [*self._scalar_parameters(), *self._state_parameters()]
        lines = [f"define internal i32 @rows({', '.join(parameters)}) alwaysinline nounwind {{", "entry:"]
        lines += self._state.allocas("%lanes", self._lanes)
        lines += ["br label %block", "block:", "%at = phi i64 [ 0, %entry ], [ %end, %pushed ]"]
        lines += ["%was = phi i32 [ 0, %entry ], [ %tile.is, %pushed ]", "%left = sub i64 %n, %at"]
        lines.append(f"%short = icmp slt i64 %left, {self._block}")
        lines.append(f"%size = select i1 %short, i64 %left, i64 {self._block}")
        lines += ["%end = add i64 %at, %size", "br label %tile", "tile:"]
        lines += ["%t.in = phi i64 [ 0, %block ], [ %t.next, %tiled ]"]
        lines.append("%t.was = phi i32 [ %was, %block ], [ %tile.is, %tiled ]")
        lines += self._begun_earlier("t", "%t.in", "%width")
        lines += ["%t.left = sub i64 %width, %t", self._fills_lanes()]
        for k in range(len(self.values)):
            lines += [f"%t.o{k} = mul i64 %t, %c{k}.s", f"%t.p{k} = getelementptr i8, ptr %p{k}, i64 %t.o{k}"]
        lines += [*self._state.from_("%sums", "%t", "%t.sums"), "br i1 %t.full, label %full, label %rest"]
        lines += self._add_rows("full", str(self._lanes), "%lanes")
        for k, field in enumerate(self._state.fields):
            vector = self._vector(field.dtype)
            lines.append(f"%full.v{k} = load {vector}, ptr %lanes{k}, align 64")
            lines.append(f"store {vector} %full.v{k}, ptr %t.sums{k}, align {field.dtype.itemsize}")
        lines += ["br label %tiled", *self._add_rows("rest", "%t.left", "%t.sums"), "br label %tiled", "tiled:"]
        lines.append("%tile.is = phi i32 [ %full.is, %full.done ], [ %rest.is, %rest.done ]")
        lines += [f"%t.next = add i64 %t.in, {self._lanes}", "%t.more = icmp slt i64 %t.next, %width"]
        lines += ["br i1 %t.more, label %tile, label %push.first"]
        return [*lines, *self._push(), "done:", "ret i32 %tile.is", "}", *self._earlier()]

    def _earlier(self) -> list[str]:
        """`earlier(sums of a level, sums, number of columns)`: adds sums of earlier rows to those of later ones. It is
        a function that is called, as that takes less time to compile."""
        e, state = Emitter(), self._state
        parameters = [*state.parameters("noalias %level", "noalias %sums"), "i64 %width"]
        e.lines = [f"define internal void @earlier({', '.join(parameters)}) noinline nounwind {{", "columns:"]

        def add(j: str) -> None:
            state.keep(e, "%sums", j, state.combine(e, state.load(e, "%level", j), state.load(e, "%sums", j)))

        self._over_columns(e, "columns", add)
        self._blocks_emitter.intrinsics |= e.intrinsics
        return [*e.lines, "ret void", "}"]

    def _add_earlier(self, level: str) -> str:
        return f"call void @earlier({', '.join([*self._state.parameters(level, '%sums'), 'i64 %width'])})"

    def _fills_lanes(self) -> str:
        """Tests whether as many columns are left as there are lanes. Where this is known, there is less to compile."""
        kernel = self.kernel
        if kernel.is_static and math.prod(cast(tuple[int, ...], kernel.shape)) < kernel.worth_sharing:
            columns = math.prod([cast(int, kernel.shape[a]) for a in kernel.axes[self._outer - 1]])
            if columns < self._lanes or columns % self._lanes == 0 or self._may_repeat():
                return f"%t.full = icmp sge i64 {columns}, {self._lanes}"
        return f"%t.full = icmp sge i64 %t.left, {self._lanes}"

    def _may_repeat(self) -> bool:
        """True if columns may be computed twice: where arrays of all elements are written they may be those that are
        read."""
        return all(n in self.kernel.reductions for n in self.kernel.results)

    def _begun_earlier(self, name: str, first: str, end: str) -> list[str]:
        """Names the first column of a part: an earlier one where fewer are left than there are lanes. A column that is
        computed twice is the same."""
        if not self._may_repeat():
            return [f"%{name} = add i64 {first}, 0"]
        lines = [f"%{name}.back = sub i64 {end}, {self._lanes}", f"%{name}.few = icmp slt i64 %{name}.back, 0"]
        lines += [f"%{name}.start = select i1 %{name}.few, i64 {first}, i64 %{name}.back"]
        lines += [f"%{name}.fits = icmp sle i64 {first}, %{name}.start"]
        return [*lines, f"%{name} = select i1 %{name}.fits, i64 {first}, i64 %{name}.start"]

    def _state_parameters(self) -> list[str]:
        strides = [f"i64 %c{k}.s" for k in range(len(self.values))]
        return ["i64 %width", *strides, "ptr %number", *self._state.parameters("%sums", "%levels")]

    def _add_rows(self, name: str, count: str, sums: str) -> list[str]:
        """Adds up `count` columns of the rows from `%at` to `%end`."""
        i = f"%{name}.i"
        lines = [f"{name}:", *self._state.begin(sums, self._lanes), f"br label %{name}.row", f"{name}.row:"]
        lines.append(f"{i} = phi i64 [ %at, %{name} ], [ {i}.next, %{name}.row ]")
        lines.append(f"%{name}.was = phi i32 [ %t.was, %{name} ], [ %{name}.is, %{name}.row ]")
        arguments = [f"i64 {count}"]
        for k in range(len(self.values)):
            lines.append(f"%{name}.o{k} = mul i64 {i}, %s{k}")
            lines.append(f"%{name}.p{k} = getelementptr i8, ptr %t.p{k}, i64 %{name}.o{k}")
            arguments += [f"ptr %{name}.p{k}", f"i64 %c{k}.s"]
        arguments += [*self._scalar_parameters(), f"i64 {i}", *self._state.parameters(sums)]
        lines.append(f"%{name}.now = call i32 @inner({', '.join(arguments)})")
        lines.append(f"%{name}.is = or i32 %{name}.was, %{name}.now")
        lines += [f"{i}.next = add i64 {i}, 1", f"%{name}.more = icmp slt i64 {i}.next, %end"]
        return [*lines, f"br i1 %{name}.more, label %{name}.row, label %{name}.done", f"{name}.done:"]

    def _push(self) -> list[str]:
        """Adds the sums to the cascade."""
        e, state = self._blocks_emitter, self._state
        e.lines += ["push.first:", "%c = load i64, ptr %number, align 8", "%c.next = add i64 %c, 1"]
        e.lines.append("store i64 %c.next, ptr %number, align 8")
        if len(self.kernel.axes) == self._outer + 1:  # where one block is all there is, its sums are the results
            e.lines += ["%alone = icmp eq i64 %size, %n", "br i1 %alone, label %pushed, label %push.more"]
        else:
            e.lines.append("br label %push.more")
        e.lines += ["push.more:", "br label %push", "push:"]
        e.lines += ["%level = phi i64 [ 0, %push.more ], [ %level.up, %carried ]"]
        e.lines += ["%bits = phi i64 [ %c, %push.more ], [ %bits.up, %carried ]"]
        e.lines += [f"%first = mul i64 %level, {self._tile}", *state.from_("%levels", "%first", "%here")]
        e.lines += ["%odd = trunc i64 %bits to i1", "br i1 %odd, label %carry, label %keep", "carry:"]
        e.lines += [self._add_earlier("%here"), "br label %carried", "carried:"]
        e.lines += ["%level.up = add i64 %level, 1", "%bits.up = lshr i64 %bits, 1", "br label %push", "keep:"]
        self._over_columns(e, "keep", lambda j: state.keep(e, "%here", j, state.load(e, "%sums", j)))
        e.lines += ["br label %pushed", "pushed:"]
        e.lines += ["%more = icmp slt i64 %end, %n", "br i1 %more, label %block, label %done"]
        return e.lines

    def _over_columns(self, e: Emitter, block: str, body: Callable[[str], None]) -> None:
        """A loop over columns, of which there is one at least, behind the block that is written."""
        j = f"%{block}.j"
        e.lines += [f"br label %{block}.loop", f"{block}.loop:"]
        e.lines.append(f"{j} = phi i64 [ 0, %{block} ], [ {j}.next, %{block}.loop ]")
        body(j)
        e.lines += [f"{j}.next = add nuw nsw i64 {j}, 1", f"{j}.more = icmp slt i64 {j}.next, %width"]
        e.lines += [f"br i1 {j}.more, label %{block}.loop, label %{block}.end, !llvm.loop !2", f"{block}.end:"]

    # --- the loops around

    def _loops(
        self, axis: int, lengths: list[str], pointers: list[str], strides: Any, scalars: list[str], kind: str = ""
    ) -> None:
        if axis != self._outer - 1:
            KernelNest._loops(self, axis, lengths, pointers, strides, scalars, kind)
            return
        put = self.lines.append
        put("br label %tiles.before")
        put("tiles.before:")
        put("br label %tiles")
        put("tiles:")
        put("%tile.in = phi i64 [ 0, %tiles.before ], [ %tile.next, %tile.last ]")
        self.lines += self._begun_earlier("tile", "%tile.in", lengths[axis])
        put(f"%tile.left = sub i64 {lengths[axis]}, %tile")
        put(f"%tile.short = icmp slt i64 %tile.left, {self._tile}")
        put(f"%width = select i1 %tile.short, i64 %tile.left, i64 {self._tile}")
        put("store i64 0, ptr %number, align 8")
        moved = []
        for k, pointer in enumerate(pointers):
            put(f"%tile.o{k} = mul i64 %tile, {strides[k][axis]}")
            put(f"%tile.p{k} = getelementptr i8, ptr {pointer}, i64 %tile.o{k}")
            moved.append(f"%tile.p{k}")
        state = self._state_parameters()
        for k in range(len(self.values)):
            state[1 + k] = f"i64 {strides[k][axis]}"
        KernelNest._loops(self, axis + 1, lengths, moved, strides, [*scalars, *state], kind)
        self._finish_columns(moved, [s[axis] for s in strides])
        put(f"%tile.next = add i64 %tile.in, {self._tile}")
        put(f"%tile.more = icmp slt i64 %tile.next, {lengths[axis]}")
        put("br label %tile.last")
        put("tile.last:")
        put("br i1 %tile.more, label %tiles, label %tiles.after")
        put("tiles.after:")

    def _finish_columns(self, pointers: list[str], strides: list[str]) -> None:
        """Adds up the cascade, and stores the results."""
        e, state = Emitter(), self._state
        e.lines = self.lines

        def give(j: str) -> None:
            known = state.load(e, "%sums", j)
            for node in state.reduced:
                k = self.values.index(node)
                offset = e.do(f"mul i64 {j}, {strides[k]}")
                pointer = e.do(f"getelementptr i8, ptr {pointers[k]}, i64 {offset}")
                self._give(e, node, known[node], pointer)

        e.lines += ["%blocks.n = load i64, ptr %number, align 8", "%blocks.less = sub i64 %blocks.n, 1"]
        e.lines += [
            "%blocks.earlier = and i64 %blocks.n, %blocks.less",
            "br label %fold.first",
        ]  # the last are in the sums
        e.lines += ["fold.first:", "br label %fold", "fold:"]
        e.lines.append("%fold.level = phi i64 [ 0, %fold.first ], [ %fold.up, %fold.next ]")
        e.lines.append("%fold.bits = phi i64 [ %blocks.earlier, %fold.first ], [ %fold.rest, %fold.next ]")
        e.lines += ["%fold.more = icmp ne i64 %fold.bits, 0", "br i1 %fold.more, label %fold.one, label %give"]
        e.lines += ["fold.one:", f"%fold.first.column = mul i64 %fold.level, {self._tile}"]
        e.lines += [
            *state.from_("%levels", "%fold.first.column", "%fold.here"),
            "%fold.odd = trunc i64 %fold.bits to i1",
        ]
        e.lines += ["br i1 %fold.odd, label %add, label %fold.next", "add:", self._add_earlier("%fold.here")]
        e.lines += ["br label %fold.next", "fold.next:", "%fold.up = add i64 %fold.level, 1"]
        e.lines += ["%fold.rest = lshr i64 %fold.bits, 1", "br label %fold", "give:"]
        self._over_columns(e, "give", give)
        self._blocks_emitter.intrinsics |= e.intrinsics
