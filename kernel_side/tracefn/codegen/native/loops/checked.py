"""The instructions of loop kernels: checks that leave the kernel where Python or NumPy would do more than compute.

A kernel that is left restores its arguments, so the NumPy program can do the work from the start. That
keeps it simple: integers too large, divisions by zero, wrong indices and all else that raises or warns leave it.
"""

from __future__ import annotations

import numpy as np

from ...machine.float_flags import warned
from ..scalar.rules import DType, Emitter, literal, llvm_type
from .value_ranges import Unproved
from .versioning import Ahead

INT, FLOAT = np.dtype(np.int64), np.dtype(np.float64)

_REPEATED = {"add", "sub", "mul", "sdiv", "icmp", "select", "xor", "and", "or", "getelementptr"}
"""Instructions whose result depends on their operands alone, and that say where an element lies."""


class Unfit(Exception):
    """Why native code cannot compute something. It stays NumPy's. `at` is where in the kernel's graph it is: how many
    nodes come before it."""

    at: int | None = None


class Checking(Emitter):
    """Emits instructions in basic blocks. `allocas` are the variables in memory, which LLVM makes registers; `loops` is
    the number of loops so far. `room` are the registers of addresses in the kernel's own memory, and how far they are
    from its start. `way_out` is the block by which the kernel is left, `undo` the blocks that take writes back before
    that. In a loop whose rounds check nothing, `ahead` proves that they need not. `vectors` are the loops
    that LLVM vectorises: the number of lanes, and whether SIMD may raise flags that no round raises."""

    def __init__(self) -> None:
        super().__init__()
        self.allocas: list[str] = []
        self.room: list[tuple[str, int]] = []
        self.loops = 0
        self.way_out = "leave"
        self.undo: list[str] = []
        self.ahead: Ahead | None = None
        self.vectors: dict[int, tuple[int, bool]] = {}
        self._blocks = 0
        self._known: dict[str, str] = {}  # the values computed on the way here
        self._checked: set[str] = set()

    def loop(self) -> str:
        """The metadata of the branches back to the head of a new loop."""
        self.loops += 1
        return f"!llvm.loop !{self.loops + 1}"

    def block(self, prefix: str) -> str:
        """A new name for a basic block."""
        self._blocks += 1
        return f"{prefix}{self._blocks}"

    def do(self, instruction: str) -> str:
        """The register that an instruction fills. One that has just been filled in this way is taken again."""
        known = self._known.get(instruction)
        if known is None:
            known = super().do(instruction)
            if instruction.partition(" ")[0] in _REPEATED:
                self._known[instruction] = known
            if self.ahead is not None:
                self.ahead.defined[known] = instruction
        return known

    def begin(self, block: str) -> None:
        self._known.clear()
        self._checked.clear()
        self.lines.append(f"{block}:")

    def put(self, instruction: str) -> None:
        self.lines.append(instruction)

    def jump(self, block: str) -> None:
        self.put(f"br label %{block}")

    def branch(self, condition: str, yes: str, no: str) -> None:
        self.put(f"br i1 {condition}, label %{yes}, label %{no}")

    def variable(self, kind: str) -> str:
        """A new variable of an LLVM type."""
        name = self.fresh()
        self.allocas.append(f"{name} = alloca {kind}")
        return name

    def leave_if(self, condition: str) -> None:
        """Leaves the kernel where a condition holds."""
        if condition in self._checked:
            return
        self._checked.add(condition)
        if self.ahead is not None:
            self.ahead.leave_if(condition)
            return
        after = self.block("go")
        self.put(f"br i1 {condition}, label %{self.way_out}, label %{after}, !prof !0")
        self.lines.append(f"{after}:")

    def undone_by(self, instruction: str) -> None:
        """Has an instruction run first where the kernel is left from now on."""
        if self.ahead is not None:
            raise Unproved("a write that may be taken back")
        block = self.block("undo")
        self.undo += [f"{block}:", instruction, f"br label %{self.way_out}"]
        self.way_out = block
        self._checked.clear()

    def leave_where_wrong(self) -> None:
        """Leaves the kernel where an operation so far met values that it is not made for."""
        faults = [*self.integer_faults, *self.out_of_range]
        self.integer_faults, self.out_of_range = [], []
        for fault in faults:
            self.leave_if(fault)

    def leave_where_flagged(self) -> None:
        """Leaves the kernel where a floating-point flag has been raised."""
        before = self.do(f"load i32, ptr {self.do('getelementptr i64, ptr %state, i64 1')}")
        flags = self.do(f"or i32 {self.do(f'call i32 @tf.raised_flags(i32 {warned()})')}, {before}")
        self.leave_if(self.do(f"icmp ne i32 {flags}, 0"))

    def is_careful(self) -> str:
        """Whether no loop is to be made of vectors: they raise flags also for elements that no round computes."""
        place = self.do("getelementptr i64, ptr %state, i64 2")
        return self.do(f"icmp ne i64 {self.do(f'load i64, ptr {place}')}, 0")

    def compare(self, test: str, dtype: DType, left: str, right: str) -> str:
        return self.do(f"{'fcmp' if dtype.kind == 'f' else 'icmp'} {test} {llvm_type(dtype)} {left}, {right}")

    def checked(self, operation: str, dtype: DType, left: str, right: str) -> str:
        """`add`, `sub` or `mul` of integers. Leaves the kernel where the result has too many bits."""
        if self.ahead is not None:
            return self.ahead.checked(operation, dtype, left, right)
        kind, bits = llvm_type(dtype), dtype.itemsize * 8
        name = f"@llvm.{'s' if dtype.kind == 'i' else 'u'}{operation}.with.overflow.i{bits}"
        self.intrinsics.add(f"declare {{{kind}, i1}} {name}({kind}, {kind})")
        both = self.do(f"call {{{kind}, i1}} {name}({kind} {left}, {kind} {right})")
        value = self.do(f"extractvalue {{{kind}, i1}} {both}, 0")
        self.leave_if(self.do(f"extractvalue {{{kind}, i1}} {both}, 1"))
        return value

    def fit_divisor(self, dtype: DType, divisor: str) -> bool:
        if super().fit_divisor(dtype, divisor):
            return True
        return self.ahead is not None and dtype == INT and self.ahead.fit_divisor(divisor)

    def fitting(self, value: str, old: DType, new: DType) -> str:
        """A value as another dtype. Leaves the kernel where an integer dtype has no such value."""
        if new.kind in "iu" and old.kind in "iuf":
            self._require_range(value, old, new)
        if old.kind == "f" and new.kind == "u" and new.itemsize == 8:
            self.may_flag = True
            return self.do(f"fptoui {llvm_type(old)} {value} to i64")
        return self.cast(value, old, new)

    def _require_range(self, value: str, old: DType, new: DType) -> None:
        limits = np.iinfo(new)
        if old.kind == "f":  # the limits are powers of two, but for their last 1
            low, high = literal(float(limits.min), old), literal(float(limits.max + 1), old)
            inside = self.compare("oge", old, value, low), self.compare("olt", old, value, high)
            self.leave_if(self.do(f"xor i1 {self.do(f'and i1 {inside[0]}, {inside[1]}')}, true"))
            return
        have = np.iinfo(old)
        sign = "s" if old.kind == "i" else "u"
        if have.min < limits.min:
            self.leave_if(self.compare(f"{sign}lt", old, value, str(limits.min)))
        if have.max > limits.max:
            self.leave_if(self.compare(f"{sign}gt", old, value, str(limits.max)))

    def is_zero(self, value: str, dtype: DType) -> str:
        return self.do(f"xor i1 {self.is_true(value, dtype)}, true")

    def library(self, name: str, dtype: DType, *operands: str) -> str:
        """A call of a function of the C library, as NumPy and Python make it."""
        kind = llvm_type(dtype)
        if self.ahead is not None:
            self.ahead.is_straight = False
        symbol = f"@{name}{'f' if dtype.itemsize == 4 else ''}"
        self.may_flag = True
        self.intrinsics.add(f"declare {kind} {symbol}({', '.join([kind] * len(operands))}) nounwind memory(none)")
        return self.do(f"call {kind} {symbol}({', '.join(f'{kind} {o}' for o in operands)}) nobuiltin")
