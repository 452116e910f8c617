"""LLVM IR of a kernel with running totals: each element is combined with the result before it.

Along the last axis that is a value which the loop carries along. Along others it is in the row before, in memory, and
rows are vectorised.
"""

from __future__ import annotations

from typing import Any

from ....ir.graph import Node
from ..fusion.scan import start
from ..scalar.emitter import literal, memory_type, part
from ..scalar.module import Code
from ..scalar.rules import RULES
from .kernel import Kernel
from .nest import KernelNest


def scanning_code(kernel: Kernel) -> Code:
    """`run` for arguments that are C-contiguous."""
    return _ScanNest(kernel, len(kernel.axes), False).code()


class _ScanNest(KernelNest):
    def __init__(self, kernel: Kernel, rank: int, is_strided: bool) -> None:
        super().__init__(kernel, rank, is_strided)
        self._scans = list(kernel.scans)
        axis = kernel.scans[self._scans[0]].axis
        self._group = next(g for g, axes in enumerate(kernel.axes) if axis in axes)
        self._is_last = self._group == rank - 1
        if self._is_last:
            for k, node in enumerate(self._scans):
                self.allocas.append(f"%carried{k} = alloca [2 x {memory_type(part(node.type.dtype))}], align 16")

    def _more_parameters(self) -> list[str]:
        return ["i1 %first", *[f"ptr noalias %earlier{k}" for k in range(len(self._scans))]]

    def _is_for_vectors(self) -> bool:
        return not self._is_last

    def _step(self, node: Node) -> Any:
        if node not in self.kernel.scans:
            return super()._step(node)
        e, dtype, found = self._element, node.type.dtype, self.kernel.scans[node]
        k = self._scans.index(node)
        at = f"%earlier{k}"
        if not self._is_last:
            offset = e.do(f"mul i64 %i, %s{self.values.index(node)}")
            at = e.do(f"getelementptr i8, ptr %earlier{k}, i64 {offset}")
        before = e.select("%first", dtype, literal(start(found, dtype), dtype), self._load(dtype, at))
        source = node.inputs[0]
        new = e.cast(self._names[source], source.type.dtype, dtype)
        value = RULES[found.rule].emit(e, dtype, [before, new])
        if self._is_last:
            self._put(value, dtype, at)
        return value

    def _loops(
        self, axis: int, lengths: list[str], pointers: list[str], strides: Any, scalars: list[str], kind: str = ""
    ) -> None:
        put = self.lines.append
        if self._is_last and axis == self._group:
            for k, node in enumerate(self._scans):
                dtype = part(node.type.dtype)
                value = literal(start(self.kernel.scans[node], dtype), dtype)
                for place in range(2):
                    put(f"%carried{k}.{place} = getelementptr {memory_type(dtype)}, ptr %carried{k}, i64 {place}")
                    put(f"store {memory_type(dtype)} {value}, ptr %carried{k}.{place}, align {dtype.itemsize}")
            scalars = [*scalars, "i1 false", *[f"ptr %carried{k}" for k in range(len(self._scans))]]
        elif not self._is_last and axis == self.rank - 1:  # the pointers are those of this row
            put(f"%is.first = icmp eq i64 %i{self._group}, 0")
            scalars = [*scalars, "i1 %is.first"]
            for k, node in enumerate(self._scans):
                place = self.values.index(node)
                put(f"%back{k} = sub i64 0, {strides[place][self._group]}")
                put(f"%step{k} = select i1 %is.first, i64 0, i64 %back{k}")
                put(f"%earlier{k} = getelementptr i8, ptr {pointers[place]}, i64 %step{k}")
                scalars.append(f"ptr %earlier{k}")
        super()._loops(axis, lengths, pointers, strides, scalars, kind)
