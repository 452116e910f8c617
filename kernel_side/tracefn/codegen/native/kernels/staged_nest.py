"""LLVM IR of a kernel that is computed in stages, block by block (`stages`)."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

from ....ir.graph import Node
from ....ir.op import CONSTANT
from ..scalar.emitter import DType, literal, memory_type
from ..scalar.functions import LIMITED
from ..scalar.module import Code
from .block_functions import LARGEST, MARK, SEPARATE, copy, function_loop, group, marks, to_last
from .inner_loop import PARTS
from .kernel import Kernel
from .nest import KernelNest
from .stages import Call, Room, Stage, Stages

BLOCK_BYTES = 1 << 15
"""Bytes of all values of a block that has more than one group: they stay in the first-level cache."""


class _Loaded(dict[Node, Any]):
    """Registers of values, which are loaded when they are first needed."""

    def __init__(self, load: Callable[[Node], Any]) -> None:
        super().__init__()
        self._load = load

    def __missing__(self, node: Node) -> Any:
        self[node] = self._load(node)
        return self[node]


class StagedNest(KernelNest):
    """Writes `inner` as stages."""

    def __init__(self, kernel: Kernel, rank: int, is_strided: bool, stages: Stages) -> None:
        super().__init__(kernel, rank, is_strided)
        self._stages = stages
        self._calls = [call for stage in stages.all for call in stage.calls.values()]
        self._group = max([group(call.dtype) for call in self._calls], default=1)
        waiting = [*self._rooms.values(), *[n.type.dtype for n in self.values]]
        most = max(1, BLOCK_BYTES // sum([dtype.itemsize for dtype in waiting]))
        self._block = min(LARGEST, max(self._group, 1 << (most.bit_length() - 1)))
        self._element.calls = len(self._calls)
        self._faults: list[str] = []
        self._declared: set[str] = set()

    @property
    def _rooms(self) -> dict[str, DType]:
        return {_name(room): room[0] for room in self._stages.rooms.values()}

    @property
    def is_worth_it(self) -> bool:
        """True if stages take less time than one loop. That has one vector at a time where its length is not known."""
        rounds = self._rounds()
        if not self._has_parts():
            return self.is_worth_loops_of(rounds) if rounds else self._stages.depth > 0
        return self.is_worth_loops_of(math.prod([n if isinstance(n, int) else 0 for n in self.kernel.shape]))

    def is_worth_loops_of(self, count: int) -> bool:
        """True if `count` elements (0: an open number) gain more from functions that do not wait for one another than
        they lose by padding to whole groups."""
        depth = self._stages.depth
        return depth > 1 and 3 * math.ceil(count / self._group) * self._group <= 2 * depth * count

    def _loops_of_two_kinds(self, lengths: Any, pointers: Any, strides: Any, scalars: list[str]) -> None:
        self._loops(0, lengths, pointers, strides, scalars, PARTS)

    def _together(self) -> int:
        return self._group

    @property
    def has_faults(self) -> bool:
        """True if something can be wrong with elements besides floating-point flags."""
        return bool(self._faults)

    @property
    def _has_faults(self) -> bool:
        return self.has_faults

    @property
    def declarations(self) -> set[str]:
        return super().declarations | self._declared

    def marks(self) -> list[str]:
        """The metadata of its loops."""
        return marks(self._width, 1)

    def code(self) -> Code:
        code = super().code()
        return dataclasses.replace(code, text="\n".join([code.text, *self.marks()]))

    # --- a block

    def _inner(self) -> list[str]:
        return self.inner()

    def inner(self) -> list[str]:
        """`inner(n, address and stride of each array, scalars)`. Parts are whole groups of elements."""
        e, values = self._element, self.values
        parameters = ["i64 %n", *[f"ptr %p{k}, i64 %s{k}" for k in range(len(values))], *self._scalar_parameters()]
        lines = [self._head(parameters), "entry:"]
        rooms = self._rooms | ({} if self._has_parts() else {f"%r{k}": n.type.dtype for k, n in enumerate(values)})
        lines += [f"{r} = alloca [{self._block} x {memory_type(t)}], align 64" for r, t in rooms.items()]
        lines += ["%some = icmp sgt i64 %n, 0", "br i1 %some, label %block, label %done", "block:"]
        lines += ["%at = phi i64 [ 0, %entry ], [ %end, %blocked ]", "%was = phi i32 [ 0, %entry ], [ %is, %blocked ]"]
        lines += ["%left = sub i64 %n, %at", f"%short = icmp slt i64 %left, {self._block}"]
        lines += [f"%size = select i1 %short, i64 %left, i64 {self._block}", "%end = add nuw nsw i64 %at, %size"]
        lines += ["%last = sub i64 %size, 1", *to_last("%last", self._group)]
        lines += self._places()
        for number, stage in enumerate(self._stages.all):
            self._loop(f"stage{number}", stage)
            for node, call in stage.calls.items():
                self._call_function(node, call)
        e.lines += self._kept()
        fault = "%was"
        for each in self._faults:
            fault = e.do(f"or i32 {fault}, {each}")
        lines += [*e.lines, "br label %blocked", "blocked:", f"%is = or i32 {fault}, 0"]
        lines += ["%more = icmp slt i64 %end, %n", "br i1 %more, label %block, label %done", "done:"]
        return [*lines, "%all = phi i32 [ 0, %entry ], [ %is, %blocked ]", "ret i32 %all", "}"]

    def _places(self) -> list[str]:
        """Tells where the elements of a block are, one after the other in whole groups: those of operands and results
        that are not are in rooms."""
        lines = []
        for k in range(len(self.values)):
            lines += [f"%o{k} = mul i64 %at, %s{k}", f"%there{k} = getelementptr i8, ptr %p{k}, i64 %o{k}"]
            name = "given" if k >= len(self.kernel.operands) else "taken"
            place = f"getelementptr i8, ptr %there{k}, i64 0" if self._has_parts() else self._copied(name, k, f"%r{k}")
            lines.append(f"%q{k} = {place}")
        return lines

    def _kept(self) -> list[str]:
        """Copies results from rooms to their places."""
        numbers = range(len(self.kernel.operands), len(self.values))
        return [] if self._has_parts() else [self._copied("kept", k, f"%q{k}") for k in numbers]

    def _copied(self, name: str, k: int, room: str) -> str:
        arguments = [f"ptr {room}", f"ptr %there{k}", f"i64 %s{k}", "i64 %last", "i64 %to"]
        found = copy(name, self.values[k].type.dtype.itemsize)
        return self._called("void" if name == "kept" else "ptr", found, arguments)

    def _loop(self, name: str, stage: Stage) -> None:
        """The loop of a stage, if it has anything to do."""
        if not (stage.steps or stage.kept or stage.results):
            return
        e, i = self._element, f"%{name}.i"
        whole = e.lines
        e.lines = []
        self._names = _Loaded(lambda node: self._loaded(node, i))
        for node in stage.steps:
            self._names[node] = self._step(node)
        for source, dtype in stage.kept:
            value = source if isinstance(source, str) else e.cast(self._names[source], source.type.dtype, dtype)
            self._put(value, dtype, self._at(_name(self._stages.rooms[source, dtype]), dtype, i))
        for k, node in enumerate(self.kernel.results, len(self.kernel.operands)):
            if node in stage.results:
                self._store(node, self._at(f"%q{k}", node.type.dtype, i))
        head = [f"br label %{name}.before", f"{name}.before:", f"br label %{name}", f"{name}:"]
        head.append(f"{i} = phi i64 [ 0, %{name}.before ], [ {i}.next, %{name} ]")
        if fault := self._fault():
            head.append(f"%{name}.was = phi i32 [ 0, %{name}.before ], [ %{name}.is, %{name} ]")
            e.lines.append(f"%{name}.is = or i32 %{name}.was, {fault}")
            self._faults.append(f"%{name}.is")
            e.integer_faults, e.out_of_range = [], []
        body = [f"{line}, !llvm.access.group !{SEPARATE}" if ", align " in line else line for line in e.lines]
        e.lines = [*whole, *head, *body, f"{i}.next = add nuw nsw i64 {i}, 1", f"{i}.done = icmp eq i64 {i}, %to"]
        e.lines += [f"br i1 {i}.done, label %{name}.done, label %{name}, !llvm.loop !{MARK}", f"{name}.done:"]

    def _loaded(self, node: Node, i: str) -> Any:
        """The value of a node that the loop does not compute."""
        kernel, dtype = self.kernel, node.type.dtype
        if node in kernel.scalars:
            return self._scalar_name(kernel.scalars.index(node), node)
        if node.op is CONSTANT:
            return self._element.hidden(literal(node.args[0].value[()], dtype), dtype)
        if node in kernel.operands:
            return self._load(dtype, self._at(f"%q{kernel.operands.index(node)}", dtype, i))
        return self._load(dtype, self._at(_name(self._stages.rooms[node, dtype]), dtype, i))

    def _at(self, pointer: str, dtype: DType, i: str) -> str:
        return self._element.do(f"getelementptr {memory_type(dtype)}, ptr {pointer}, i64 {i}")

    def _call_function(self, node: Node, call: Call) -> None:
        """The call of a function for a block."""
        e, is_limited = self._element, call.name in LIMITED
        e.may_flag = True
        rooms = [self._stages.rooms[value] for value in (*call.operands, (node, call.dtype))]
        found = function_loop(call.name, call.dtype, len(call.operands))
        line = self._called("i32" if is_limited else "void", found, [*[f"ptr {_name(r)}" for r in rooms], "i64 %last"])
        if is_limited:
            self._faults.append(e.do(line))
        else:
            e.lines.append(line)

    def _called(self, kind: str, symbol: str, arguments: list[str]) -> str:
        """The call of a function in other code."""
        types = ", ".join(each.split()[0] for each in arguments)
        self._declared.add(f"declare {kind} @{symbol}({types}) nounwind")
        return f"call {kind} @{symbol}({', '.join(arguments)})"


def _name(room: Room) -> str:
    """The register with the address of a room."""
    return f"%room.{room[0].name}.{room[1]}"
