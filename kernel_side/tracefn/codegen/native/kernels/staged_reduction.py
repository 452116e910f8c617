"""LLVM IR of a kernel that reduces the values of its stages: they fill buffers block by block, which are combined."""

from __future__ import annotations

import dataclasses

from ..scalar.emitter import memory_type
from ..scalar.module import Code
from .kernel import Kernel
from .reduction_nest import ReducingNest
from .staged_nest import StagedNest
from .stages import Stages, can_have_stages


def reducing_code(kernel: Kernel) -> Code:
    """`run` for arguments that are C-contiguous. After the addresses of the results its frame has the words of
    `reduction_nest.more_words`."""
    nest = ReducingNest(kernel, len(kernel.axes), False)
    if nest.combines_blocks and (before := _before(kernel)) is not None:
        staged = StagedNest(before, 1, False, Stages(before))
        if staged.is_worth_loops_of(nest.inner_length or 0):
            nest = _StagedReducingNest(kernel, staged)
    return nest.code()


def _before(kernel: Kernel) -> Kernel | None:
    """The kernel of the steps for each element before the reduction. None where stages cannot compute them."""
    sources = dict.fromkeys(n.inputs[0] for n in kernel.reductions)
    others = [n for n in kernel.results if n not in kernel.reductions]
    nodes = [n for n in kernel.graph.nodes if n not in kernel.reductions]
    graph = dataclasses.replace(kernel.graph, nodes=tuple(nodes), outputs=(*sources, *others))
    found = Kernel(graph, kernel.strides)
    if kernel.picked or not sources.keys() <= set(kernel.steps) - set(others):
        return None
    return found if can_have_stages(found) and found.shape == kernel.shape else None


class _StagedReducingNest(ReducingNest):
    """Before a block is combined `stages` computes it. The operands of reductions are in rooms, `%w0` and so on."""

    def __init__(self, kernel: Kernel, before: StagedNest) -> None:
        super().__init__(kernel, len(kernel.axes), False)
        self._before = before
        self._sources = list(dict.fromkeys(n.inputs[0] for n in kernel.reductions))
        for room, node in zip(self._rooms, self._sources, strict=True):
            self.allocas.append(f"{room} = alloca [{self._block} x {memory_type(node.type.dtype)}], align 64")

    def code(self) -> Code:
        code = super().code()
        return dataclasses.replace(code, text="\n".join([code.text, *self._before.marks()]))

    @property
    def declarations(self) -> set[str]:
        return super().declarations | self._before.declarations

    @property
    def _has_faults(self) -> bool:
        return super()._has_faults or self._before.has_faults

    @property
    def _rooms(self) -> list[str]:
        return [f"%w{k}" for k in range(len(self._sources))]

    def _state_parameters(self) -> list[str]:
        return [*super()._state_parameters(), *[f"ptr {room}" for room in self._rooms]]

    @property
    def _apart(self) -> dict[int, int]:
        return {}

    def _inner(self) -> list[str]:
        e = self._element
        e.may_flag = True
        stages = [line.replace("@inner(", "@stages(") for line in self._before.inner()]
        for room, node in zip(self._rooms, self._sources, strict=True):
            place = e.do(f"getelementptr {memory_type(node.type.dtype)}, ptr {room}, i64 %i")
            self._names[node] = self._load(node.type.dtype, place)
        for node in self.kernel.reductions:
            self._names[node] = self._step(node)
            self._store(node, "")
        parameters = ["i64 %n", *[f"ptr {room}" for room in self._rooms], *self._more_parameters()]
        return [*stages, *self._over_elements(parameters, ""), *self._blocks()]

    def _begun(self) -> list[str]:
        lines, arguments = [], ["i64 %size"]
        for node in (*self._before.kernel.operands, *self._before.kernel.results):
            if node in self._sources:
                room, size = self._rooms[self._sources.index(node)], node.type.dtype.itemsize
                arguments += [f"ptr {room}", f"i64 {size}"]
                continue
            k = self.values.index(node)
            lines += [f"%fed.o{k} = mul i64 %at, %s{k}", f"%fed.p{k} = getelementptr i8, ptr %p{k}, i64 %fed.o{k}"]
            arguments += [f"ptr %fed.p{k}", f"i64 %s{k}"]
        arguments += self._scalar_parameters()
        return [*lines, f"%fed = call i32 @stages({', '.join(arguments)})"]

    def _call_inner(self, name: str, count: str, row: str) -> list[str]:
        lines, arguments = [f"%{name}.in = sub i64 %{name}.at, %at"], [f"i64 {count}"]
        for k, (room, node) in enumerate(zip(self._rooms, self._sources, strict=True)):
            kind = memory_type(node.type.dtype)
            lines.append(f"%{name}.w{k} = getelementptr {kind}, ptr {room}, i64 %{name}.in")
            arguments.append(f"ptr %{name}.w{k}")
        arguments += [f"i64 {row}", *self._state.parameters("%lanes")]
        lines.append(f"%{name}.now = call i32 @inner({', '.join(arguments)})")
        lines.append(f"%{name}.both = or i32 %{name}.now, %fed")
        return [*lines, f"%{name}.is = or i32 %{name}.was, %{name}.both"]
