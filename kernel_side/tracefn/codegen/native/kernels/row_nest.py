"""LLVM IR of kernels that go row by row: a phase is a loop over the elements of the row.

It adds up blocks of `BLOCK` elements in vectors, and the blocks in pairs: as accurate as pairwise sums, in an order
that depends on the length of a row alone. The remainder that does not fill a vector has loops of its own, with narrower
ones: a row can be so short that single elements would take most of the time.
"""

from __future__ import annotations

import dataclasses

from ....ir.graph import Node
from ....ir.op import CONSTANT
from ..fusion.rows import adds_axis
from ..scalar.emitter import literal, llvm_type
from ..scalar.folds import start_of
from ..scalar.module import Code
from .kernel import Kernel
from .nest import KernelNest
from .row_kernel import RowKernel

BLOCK = 512
"""So many elements are added up before their sum is combined with others."""

FIRST_MARK = 16
"""The marks of loops are metadata with numbers from this on: others have those before."""

TOGETHER, LEAST_ROUNDS = 4, 8
"""Vectors that are added up side by side, as each addition takes several cycles. Kernels with functions, whose code is
long, do so from `LEAST_ROUNDS` rounds on."""


def row_code(kernel: RowKernel) -> Code:
    """`run` for arguments that are C-contiguous: its axes are the rows and their elements."""
    return RowNest(kernel).code()


class RowNest(KernelNest):
    """Writes `inner`, which computes one row."""

    kernel: RowKernel

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel, len(kernel.axes), False)
        self._rooms: list[str] = []
        self._is_faulty = False
        self._marks: dict[tuple[int, int], int] = {}
        self._slots = {n: f"%p{self.values.index(n)}" for n in kernel.results}

    def code(self) -> Code:
        code, marks = super().code(), []
        for (width, together), number in self._marks.items():
            marks += [f"!{number} = distinct !{{!{number}, !{number + 1}, !{number + 2}, !{number + 3}}}"]
            marks += [f'!{number + 1} = !{{!"llvm.loop.vectorize.width", i32 {width}}}']
            marks += [f'!{number + 2} = !{{!"llvm.loop.interleave.count", i32 {together}}}']
            marks += [f'!{number + 3} = !{{!"llvm.loop.unroll.disable"}}']  # a loop of one vector is one
        return dataclasses.replace(code, text="\n".join([code.text, *marks]))

    def _mark(self, width: int, together: int) -> int:
        """The metadata of a loop with vectors of a width."""
        return self._marks.setdefault((width, together), FIRST_MARK + 4 * len(self._marks)) if width > 1 else 0

    @property
    def _has_faults(self) -> bool:
        return self._is_faulty

    def _inner(self) -> list[str]:
        kernel, e = self.kernel, self._element
        for i, node in enumerate(kernel.scalars):
            self._names[node] = self._scalar_name(i, node)
        for k, node in enumerate(kernel.operands):
            if not kernel.is_full(node.type, len(kernel.shape) - 1):
                self._names[node] = self._load(node.type.dtype, f"%p{k}")
        self._constants()
        self._of_rows(0)
        for phase in range(1, kernel.last):
            self._reduce(phase)
            self._of_rows(phase)
        for node in kernel.results:
            if not kernel.is_whole(node):
                self._store(node, self._slots[node])
        if kernel.wanted(kernel.last):
            self._row(kernel.last, [])
        parameters = ["i64 %n"]
        for k in range(len(self.values)):
            noalias = "noalias " if k >= len(kernel.operands) else ""
            parameters += [f"ptr {noalias}%p{k}", f"i64 %s{k}"]
        parameters += [*self._scalar_parameters(), *self._more_parameters()]
        head = f"define internal i32 @inner({', '.join(parameters)}) alwaysinline nounwind {{"
        wrong = e.do("load i32, ptr %wrong, align 4")
        begin = ["entry:", "%wrong = alloca i32, align 4", "store i32 0, ptr %wrong, align 4", *self._rooms]
        return [head, *begin, *e.lines, f"ret i32 {wrong}", "}"]

    def _constants(self) -> None:
        for node in self.kernel.graph.nodes:
            if node.op is CONSTANT:
                constant = literal(node.args[0].value[()], node.type.dtype)
                self._names[node] = self._element.hidden(constant, node.type.dtype)

    def _of_rows(self, phase: int) -> None:
        """The steps with one result for a row that can be computed after a phase."""
        kernel = self.kernel
        for node in kernel.steps:
            if not kernel.is_whole(node) and node not in kernel.row_reductions and kernel.phases[node] == phase:
                self._names[node] = self._names[node.inputs[0]] if adds_axis(node) else self._step(node)
        if fault := self._new_fault():
            self._note(fault)

    def _new_fault(self) -> str:
        """The register with the faults of the steps since the last call of this. Empty where there can be none."""
        fault = self._fault()
        self._element.integer_faults, self._element.out_of_range = [], []
        self._is_faulty = self._is_faulty or bool(fault)
        return fault

    def _note(self, fault: str) -> None:
        e = self._element
        both = e.do(f"or i32 {e.do('load i32, ptr %wrong, align 4')}, {fault}")
        e.lines.append(f"store i32 {both}, ptr %wrong, align 4")

    # --- the loop of a phase

    def _reduce(self, phase: int) -> None:
        """Reduces all elements of the row."""
        nodes = [n for n in self.kernel.row_reductions if self.kernel.phases[n] == phase]
        for node, value in zip(nodes, self._row(phase, nodes), strict=True):
            self._names[node] = self._mean(node, value)

    def _row(self, phase: int, nodes: list[Node]) -> list[str]:
        """The loops of a phase, and its reductions of all elements of the row."""
        kernel, values, first = self.kernel, [self._start(n) for n in nodes], 0
        needs_function = any(kernel.is_slow(n) for n in kernel.needed[phase])
        is_long = not needs_function or kernel.count >= LEAST_ROUNDS * TOGETHER * self._width
        steps = [(self._width, TOGETHER if nodes and is_long else 1)]
        steps += [(w, 1) for w in (self._width, self._width // 2, self._width // 4, 1) if w and (w, 1) not in steps]
        for k, (width, together) in enumerate(dict.fromkeys(steps)):
            size = width * together
            end = kernel.count - (kernel.count - first) % size
            if end > first:
                run = self._blocks if nodes and end - first > BLOCK else self._loop
                values = run(phase, str(first), str(end), f"p{phase}.{k}", nodes, values, (width, together))
            first = end
        return values

    def _blocks(
        self, phase: int, first: str, end: str, name: str, nodes: list[Node], starts: list[str], shape: tuple[int, int]
    ) -> list[str]:
        """A loop over blocks of elements, the results of which are combined in pairs."""
        e, blocks = self._element, -(-int(end) // BLOCK)
        rooms = [f"%{name}.room{k}" for k in range(len(nodes))]
        kinds = [llvm_type(n.type.dtype) for n in nodes]
        self._rooms += [f"{r} = alloca [{blocks} x {t}], align 64" for r, t in zip(rooms, kinds, strict=True)]
        e.lines += [f"br label %{name}.start", f"{name}.start:", f"br label %{name}.block", f"{name}.block:"]
        number = f"%{name}.number"
        e.lines.append(f"{number} = phi i64 [ 0, %{name}.start ], [ %{name}.next, %{name}.done ]")
        begin = e.do(f"mul nuw nsw i64 {number}, {BLOCK}")
        after = e.do(f"add nuw nsw i64 {begin}, {BLOCK}")
        until = e.do(f"select i1 {e.do(f'icmp sgt i64 {after}, {end}')}, i64 {end}, i64 {after}")
        found = self._loop(phase, begin, until, name, nodes, starts, shape)
        for node, kind, room, value in zip(nodes, kinds, rooms, found, strict=True):
            place = e.do(f"getelementptr {kind}, ptr {room}, i64 {number}")
            e.lines.append(f"store {kind} {value}, ptr {place}, align {node.type.dtype.itemsize}")
        e.lines.append(f"%{name}.next = add nuw nsw i64 {number}, 1")
        more = e.do(f"icmp slt i64 %{name}.next, {blocks}")
        e.lines += [f"br i1 {more}, label %{name}.block, label %{name}.blocks", f"{name}.blocks:"]
        return [self._in_pairs(n, room, blocks) for n, room in zip(nodes, rooms, strict=True)]

    def _in_pairs(self, node: Node, room: str, blocks: int) -> str:
        e, kind = self._element, llvm_type(node.type.dtype)
        found = []
        for k in range(blocks):
            place = e.do(f"getelementptr {kind}, ptr {room}, i64 {k}")
            found.append(e.do(f"load {kind}, ptr {place}, align {node.type.dtype.itemsize}"))
        while len(found) > 1:
            pairs = [self._combined(node, a, b) for a, b in zip(found[::2], found[1::2], strict=False)]
            found = pairs + found[len(pairs) * 2 :]
        return found[0]

    def _combined(self, node: Node, left: str, right: str, flags: str = "") -> str:
        e, dtype, rule = self._element, node.type.dtype, self.kernel.row_reductions[node].rule
        if rule == "add":
            e.may_flag = True
            return e.do(f"fadd {flags}{llvm_type(dtype)} {left}, {right}")
        return e.intrinsic(rule, dtype, left, right)

    def _mean(self, node: Node, value: str) -> str:
        if not self.kernel.row_reductions[node].is_mean:
            return value
        kind, count = llvm_type(node.type.dtype), literal(float(self.kernel.count), node.type.dtype)
        return self._element.do(f"fdiv {kind} {value}, {count}")

    def _start(self, node: Node) -> str:
        rule = self.kernel.row_reductions[node].rule
        value: str = literal(-0.0 if rule == "add" else start_of(rule, node.type.dtype), node.type.dtype)
        return value

    def _loop(
        self, phase: int, first: str, end: str, name: str, nodes: list[Node], starts: list[str], shape: tuple[int, int]
    ) -> list[str]:
        """The loop of a phase over some elements of the row, and the reductions of `starts` with these. `shape` has its
        vectors: how wide they are, and how many there are side by side."""
        kernel, e = self.kernel, self._element
        before = self._names
        self._names = dict(before)
        e.lines += [f"br label %{name}.before", f"{name}.before:", f"br label %{name}.loop", f"{name}.loop:"]
        e.lines.append(f"%{name}.i = phi i64 [ {first}, %{name}.before ], [ %{name}.up, %{name}.loop ]")
        for k, (node, start) in enumerate(zip(nodes, starts, strict=True)):
            kind = llvm_type(node.type.dtype)
            e.lines.append(f"%{name}.x{k} = phi {kind} [ {start}, %{name}.before ], [ %{name}.y{k}, %{name}.loop ]")
        place = len(e.lines)
        self._elements(phase, f"%{name}.i")
        results = []
        for k, node in enumerate(nodes):
            (source,) = node.inputs
            through = e.cast(self._names[source], source.type.dtype, kernel.row_reductions[node].through)
            value = e.cast(through, kernel.row_reductions[node].through, node.type.dtype)
            total = self._combined(node, f"%{name}.x{k}", value, "reassoc ")
            e.lines[-1] = e.lines[-1].replace(f"{total} =", f"%{name}.y{k} =", 1)
            results.append(f"%{name}.y{k}")
        if fault := self._new_fault():
            e.lines.insert(place, f"%{name}.was = phi i32 [ 0, %{name}.before ], [ %{name}.is, %{name}.loop ]")
            e.lines.append(f"%{name}.is = or i32 %{name}.was, {fault}")
        e.lines += [f"%{name}.up = add nuw nsw i64 %{name}.i, 1", f"%{name}.more = icmp slt i64 %{name}.up, {end}"]
        mark = f"!llvm.loop !{self._mark(*shape)}"
        e.lines += [f"br i1 %{name}.more, label %{name}.loop, label %{name}.done, {mark}", f"{name}.done:"]
        if fault:
            self._note(f"%{name}.is")
        self._names = before
        return results

    def _elements(self, phase: int, i: str) -> None:
        """The steps of a phase for one element, and the values that are kept."""
        kernel, needed = self.kernel, self.kernel.needed[phase]
        known = [n for n in needed if n in kernel.kept and any(n in kernel.needed[p] for p in range(1, phase))]
        skipped = set(known)
        wanted, waiting = set[Node](), list(kernel.wanted(phase))
        while waiting:
            node = waiting.pop()
            if node in wanted:
                continue
            wanted.add(node)
            waiting += [] if node in skipped else [n for n in node.inputs if n not in self._names]
        for node in kernel.operands:
            if node in wanted and node not in self._names:
                k = self.values.index(node)
                self._names[node] = self._load(node.type.dtype, self._place(f"%p{k}", node, i))
        for node in known:
            if node in wanted:
                self._names[node] = self._load(node.type.dtype, self._place(self._slots[kernel.kept[node]], node, i))
        for node in needed:
            if node in wanted and node not in skipped:
                self._names[node] = self._step(node)
                if node in kernel.kept:
                    self._store(node, self._place(self._slots[kernel.kept[node]], node, i))
        if phase == kernel.last:
            for node in kernel.wanted(phase):
                if kernel.kept.get(node) is not node:
                    self._store(node, self._place(self._slots[node], node, i))

    def _dense_strides(self, lengths: list[str]) -> list[list[str]]:
        kernel, found = self.kernel, []
        for node in self.values:
            size, is_result = node.type.dtype.itemsize, node in kernel.results
            is_full = kernel.is_whole(node) if is_result else kernel.is_full(node.type, len(kernel.shape) - 1)
            leading = node.type.shape if is_result and not is_full else node.type.shape[:-1]
            row = size * kernel.count if is_full else size
            found.append([str(row if any(n != 1 for n in leading) else 0), str(size if is_full else 0)])
        return found

    def _dense_pointers(self, bases: dict[Node, str], strides: list[list[str]], start: str) -> list[str]:
        found = []
        for k, node in enumerate(self.values):
            first = self._written(f"mul i64 {start}, {strides[k][0]}", f"%m{k}")
            found.append(self._written(f"getelementptr i8, ptr {bases[node]}, i64 {first}", f"%f{k}"))
        return found

    def _written(self, instruction: str, name: str) -> str:
        self.lines.append(f"{name} = {instruction}")
        return name

    def _place(self, pointer: str, node: Node, i: str) -> str:
        offset = self._element.do(f"mul i64 {i}, {node.type.dtype.itemsize}")
        return self._element.do(f"getelementptr i8, ptr {pointer}, i64 {offset}")
