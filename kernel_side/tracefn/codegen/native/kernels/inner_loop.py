"""LLVM IR of the loop over the last axis of a kernel, and how LLVM is to vectorise it."""

from __future__ import annotations

import functools
import math
from typing import Any

from ....ir.dims import Length
from ....ir.graph import Node
from ...machine.processor import has_masks, vector_bits
from ..fusion.lowering import lowering
from ..scalar.emitter import Pair, llvm_type, part, register
from ..scalar.rules import ScalarRule
from .elements import ElementWriter
from .kernel import Kernel, Moving
from .packing import PART, Stream, packed

INTEGER_FAULT, OUT_OF_RANGE = 256, 512

FEW_ROUNDS = 7
"""Rounds of a loop up to which LLVM does not vectorise divisions."""

SHORT, SOME = 1024, 8
"""Below `SHORT` elements the remainder behind the last whole vector matters: from `SOME` elements on it is one masked
vector."""

PARTS = ".parts"
"""Marks the names of loops around parts."""

MOST_SIDE_BY_SIDE, LEAST_ROUNDS = 16, 16
"""Limit of the function calls in one unrolled round, and the rounds from which unrolling is worth it."""

BITS_SIDE_BY_SIDE = 256
"""Bits of the elements of vectors side by side, in sum. Functions of larger elements have more steps."""


class InnerLoop(ElementWriter):
    """Writes the loop over the last axis, which the loops over the others call."""

    callee = "@inner"

    def __init__(self, kernel: Kernel, rank: int, is_strided: bool) -> None:
        super().__init__(kernel)
        self.rank = rank
        self.is_strided = is_strided
        self.values: list[Any] = [*kernel.operands, *kernel.moving, *kernel.results]
        self.lines: list[str] = []
        self.allocas: list[str] = []

    @property
    def _width(self) -> int:
        """How many elements a vector has. LLVM is not left to choose: its two ways of weighing the costs can disagree,
        and an assertion then ends the process (LLVM 20, `LoopVectorizationPlanner::computeBestVF`)."""
        return vector_bits() // (
            8 * max(register(part(n.type.dtype)).itemsize for n in (*self.values, *self.kernel.steps))
        )

    def _has_masks(self) -> bool:
        """True if the rest of a row is computed in a masked vector."""
        if self.kernel.adds_up or self.kernel.scans or self.is_strided or not 0 < self._rounds() < SHORT:
            return False
        some = self._rounds() % self._width >= SOME
        return some and all(rule.is_quiet for rule in self._rules()) and has_masks(vector_bits() // 8 // self._width)

    def _interleaved(self) -> int:
        """How many vectors one round of the inner loop computes side by side. A function is a long chain of operations,
        each of which waits for the one before: a processor sees too few of the next round's to be busy. Code gets
        longer for it, so this is for loops that are long, and for a few functions."""
        calls = self._element.calls
        length = PART if self._has_parts() else self._rounds()
        most = min(MOST_SIDE_BY_SIDE // max(calls, 1), BITS_SIDE_BY_SIDE * self._width // vector_bits())
        counts = [c for c in (2, 4, 8) if c <= most and c * self._width * LEAST_ROUNDS <= length]
        return max(counts, default=1) if calls and not self.kernel.scans else 1

    def _rounds(self) -> int:
        """The length of the inner loop. 0 where it is not known."""
        return math.prod([n if isinstance(n, int) else 0 for n in self._inner_lengths()])

    def _inner_lengths(self) -> list[Length]:
        """The lengths of the axes that the inner loop runs over."""
        shape = self.kernel.shape
        return list(shape[-1:] if self.is_strided else [shape[a] for group in self.kernel.axes[-1:] for a in group])

    @property
    def declarations(self) -> set[str]:
        return self._element.intrinsics

    # --- the innermost loop

    def _scalar_parameters(self) -> list[str]:
        """The scalar arguments, of complex numbers both parts, and the addresses of tables."""
        names = [(n.type.dtype, self._scalar_name(i, n)) for i, n in enumerate(self.kernel.scalars)]
        found = [f"{llvm_type(part(t))} {each}" for t, name in names for each in ([name] if t.kind != "c" else name)]
        return found + [f"ptr %g{k}" for k in range(len(self.kernel.tables))]

    def _scalar_name(self, i: int, node: Node) -> Any:
        return Pair(f"%c{i}", f"%c{i}i") if node.type.dtype.kind == "c" else f"%c{i}"

    def _more_parameters(self) -> list[str]:
        """The inner loop's parameters besides arrays and scalars."""
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
        if not self.kernel.shape:
            return [self._head(parameters), "entry:", *e.lines, f"ret i32 {fault or 0}", "}"]
        return self._over_elements(parameters, fault)

    def _head(self, parameters: list[str]) -> str:
        return f"define internal i32 @inner({', '.join(parameters)}) alwaysinline nounwind {{"

    def _over_elements(self, parameters: list[str], fault: str) -> list[str]:
        """`inner`, which has these parameters, as a loop over elements, numbered `%i`."""
        mark = "!2" if self._is_for_vectors() else "!0"
        lines = [self._head(parameters), "entry:", "%some = icmp sgt i64 %n, 0"]
        lines += ["br i1 %some, label %loop, label %done", "loop:"]
        lines.append("%i = phi i64 [ 0, %entry ], [ %next, %loop ]")
        if fault:
            lines.append("%was = phi i32 [ 0, %entry ], [ %is, %loop ]")
        lines += self._element.lines
        if fault:
            lines.append(f"%is = or i32 %was, {fault}")
        lines += ["%next = add nuw nsw i64 %i, 1", "%more = icmp slt i64 %next, %n"]
        lines.append(f"br i1 %more, label %loop, label %done, !llvm.loop {mark}")
        lines.append("done:")
        if fault:
            lines.append("%fault = phi i32 [ 0, %entry ], [ %is, %loop ]")
        return [*lines, f"ret i32 {'%fault' if fault else 0}", "}"]

    def _has_parts(self) -> bool:
        """True if strided elements are packed before they are vectorised: where strides are not known, and where
        functions are computed in loops that may have few rounds."""
        kernel = self.kernel
        if not kernel.shape or kernel.adds_up or kernel.scans:
            return False
        if self.is_strided:
            return True
        if kernel.moving:
            return False
        if kernel.strides and self._lie_apart():
            return True
        if self.rank < 2:
            return False
        if any(not isinstance(n, int) for n in kernel.shape):
            return self._element.calls > 0
        most = PART // 2 if self._element.calls else FEW_ROUNDS if self._divides() else 0
        return self._rounds() <= most

    def _lie_apart(self) -> bool:
        """True if the elements of an operand of a static kernel are known not to lie one after the other."""
        steps = [(n.type.dtype.itemsize, self.kernel.places[n][1]) for n in self.kernel.operands]
        last = self.kernel.axes[-1][-1]
        return any(strides[last] not in (0, size, -size) for size, strides in steps)

    def _divides(self) -> bool:
        return any(rule.divides for rule in self._rules())

    def _rules(self) -> list[ScalarRule]:
        return [found.facts for n in self.kernel.steps if (found := lowering(n)) is not None]

    def _packed(self) -> list[str]:
        found = []
        for node in self.values:
            found.append(Stream(node.type.dtype.itemsize, node in self.kernel.results, isinstance(node, Moving)))
        return packed("@parts", "@inner", found, self._scalar_parameters(), self._together())

    def _together(self) -> int:
        """The inner loop for parts is given multiples of this number of elements."""
        return self._width * self._interleaved() if self._element.calls else 1

    def _is_for_vectors(self) -> bool:
        """True if the inner loop is worth vectorising. LLVM prints a remark where it is asked to and cannot."""
        return True

    def _fault(self) -> str:
        """The register with the faults of one element besides floating-point flags. Empty where there can be none."""
        e = self._element
        words = [(INTEGER_FAULT, e.integer_faults), (OUT_OF_RANGE, e.out_of_range)]
        found = [e.do(f"select i1 {test}, i32 {word}, i32 0") for word, tests in words for test in tests]
        return functools.reduce(lambda a, b: e.do(f"or i32 {a}, {b}"), found) if found else ""
