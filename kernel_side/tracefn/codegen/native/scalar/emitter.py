"""Instructions of LLVM IR for one element: constants, casts, choices, and calls of functions, as text.

A value is the name of a register or a literal. Booleans are `i1` in registers and one byte in memory, float16 is
float32 in registers.
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

import numpy as np

from ...machine.processor import has_half
from .functions import LIMITED, symbol

DType = np.dtype[Any]
BOOL = np.dtype(np.bool_)
_NAMES = {"?": "i1", "f": "float", "d": "double"}


def supported(dtype: DType) -> bool:
    """True for the dtypes that native code computes with: bool, integers, float32 and float64, in native byte order."""
    return dtype.isnative and (dtype.kind in "biu" or dtype.char in "fd")


def computable(dtype: DType) -> bool:
    """True for the dtypes that kernels compute with: also complex numbers."""
    return supported(dtype) or (dtype.isnative and dtype.char in "FD")


def elementwise(dtype: DType) -> bool:
    """True for the dtypes that steps for each element compute with: also float16, by conversion to float32 and back."""
    return computable(dtype) or (dtype.isnative and dtype.char == "e" and has_half())


def register(dtype: DType) -> DType:
    """The dtype that a value has in a register: that of float16 is float32."""
    return np.dtype(np.float32) if dtype.char == "e" else dtype


class Pair(NamedTuple):
    """A complex number: the registers of its parts."""

    real: str
    imag: str


def part(dtype: DType) -> DType:
    """The dtype of the parts of complex numbers. Of others it is their own."""
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype


def llvm_type(dtype: DType) -> str:
    """The type of a value in a register."""
    dtype = register(dtype)
    return _NAMES.get(dtype.char) or f"i{dtype.itemsize * 8}"


def memory_type(dtype: DType) -> str:
    """The type of an element in memory."""
    if dtype.char == "e":
        return "half"
    return "i8" if dtype.kind == "b" else llvm_type(dtype)


def literal(value: Any, dtype: DType) -> Any:
    """A constant of a dtype. Raises OverflowError where the dtype has no such value, as NumPy does."""
    if dtype.kind == "c":
        number = dtype.type(value)
        return Pair(literal(number.real, part(dtype)), literal(number.imag, part(dtype)))
    with np.errstate(over="ignore"):
        number = np.asarray(value, dtype)[()] if isinstance(value, int | float) else dtype.type(value)
    if dtype.kind == "b":
        return "true" if number else "false"
    if dtype.kind in "iu":
        return str(int(number))
    if dtype.char == "e" and np.isinf(number) and np.isfinite(value):
        raise OverflowError(f"{value} is no {dtype}")
    with np.errstate(all="ignore"):
        return f"0x{struct.unpack('<Q', struct.pack('<d', float(number)))[0]:016X}"


class Emitter:
    """Collects the instructions of a straight line of code.

    `intrinsics` are the declarations it needs, `functions` the mathematical functions: (NumPy's name, bits);
    `calls` counts the calls of these, and operations that take as long.
    `integer_faults` are `i1` registers that say where an integer was divided by zero, `out_of_range` those that say
    where a function was given a number that it is not made for: NumPy must do it.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.intrinsics: set[str] = set()
        self.functions: set[tuple[str, int]] = set()
        self.calls = 0
        self.integer_faults: list[str] = []
        self.out_of_range: list[str] = []
        self.may_flag = False
        self._count = 0

    def fresh(self) -> str:
        self._count += 1
        return f"%t{self._count}"

    def do(self, instruction: str) -> str:
        """The register that an instruction fills."""
        name = self.fresh()
        self.lines.append(f"{name} = {instruction}")
        return name

    def intrinsic(self, name: str, dtype: DType, *operands: str, extra: str = "") -> str:
        """A call of an LLVM intrinsic whose operands and result have one type."""
        kind = llvm_type(dtype)
        full = f"@llvm.{name}.{_suffix(dtype)}"
        more = ", i1" if extra else ""
        self.intrinsics.add(f"declare {kind} {full}({', '.join([kind] * len(operands))}{more})")
        return self.do(f"call {kind} {full}({', '.join(f'{kind} {o}' for o in operands)}{extra})")

    def function(self, name: str, dtype: DType, *operands: str) -> str:
        """A call of a mathematical function of `functions/`."""
        self.may_flag = True
        bits, kind = dtype.itemsize * 8, llvm_type(dtype)
        self.functions.add((name, bits))
        self.calls += 1
        arguments = ", ".join(f"{kind} {o}" for o in operands)
        if name in LIMITED:
            within = self.do(f"call i1 {symbol(f'{name}.in_range', bits)}({arguments})")
            self.out_of_range.append(self.do(f"xor i1 {within}, true"))
        return self.do(f"call {kind} {symbol(name, bits)}({arguments})")

    def hidden(self, value: Any, dtype: DType) -> Any:
        """A value that is opaque to LLVM, which folds operations on known constants: then no flag is raised where
        NumPy warns."""
        if dtype.kind == "b":
            nothing = self.hidden("0", np.dtype(np.int8))
            return self.do(f"xor i1 {value}, {self.do(f'icmp ne i8 {nothing}, 0')}")
        if dtype.kind == "c":
            return Pair(*[self.hidden(each, part(dtype)) for each in value])
        dtype = register(dtype)
        kind, name = llvm_type(dtype), f"@tf.nothing.{_suffix(dtype)}"
        self.intrinsics.add(f"{name} = global {kind} {literal(-0.0 if dtype.kind == 'f' else 0, dtype)}")
        nothing = self.do(f"load {kind}, ptr {name}, align {dtype.itemsize}")
        return self.do(f"{'fadd' if dtype.kind == 'f' else 'or'} {kind} {value}, {nothing}")

    def fit_divisor(self, dtype: DType, divisor: str) -> bool:
        """True if an integer is known to be one by which every other can be divided."""
        return divisor.lstrip("-").isdigit() and divisor not in ("0", "-1")

    def select(self, condition: str, dtype: DType, yes: Any, no: Any) -> Any:
        if dtype.kind == "c":
            return Pair(*[self.select(condition, part(dtype), y, n) for y, n in zip(yes, no, strict=True)])
        kind = llvm_type(dtype)
        return self.do(f"select i1 {condition}, {kind} {yes}, {kind} {no}")

    def is_true(self, value: Any, dtype: DType) -> str:
        """Whether a value counts as true: NaN does."""
        if dtype.kind == "c":
            return self.do(f"or i1 {self.is_true(value[0], part(dtype))}, {self.is_true(value[1], part(dtype))}")
        if dtype.kind == "b":
            return value
        if dtype.kind == "f":
            return self.do(f"fcmp une {llvm_type(dtype)} {value}, {literal(0.0, dtype)}")
        return self.do(f"icmp ne {llvm_type(dtype)} {value}, 0")

    def cast(self, value: Any, old: DType, new: DType) -> Any:
        """`value.astype(new)`, as C casts. Floats that no integer can hold raise the flag of an invalid operation."""
        if old == new:
            return value
        if new.kind == "b":
            return self.is_true(value, old)
        if new.kind == "c":
            real, imag = value if old.kind == "c" else (value, literal(0.0, part(new)))
            imag = self.cast(imag, part(old), part(new)) if old.kind == "c" else imag
            return Pair(self.cast(real, part(old), part(new)), imag)
        if new.char == "e":
            return self.rounded(self.cast(value, old, np.dtype(np.float32)))
        old = register(old)
        if old == new:
            return value
        before, after = llvm_type(old), llvm_type(new)
        if old.kind == "b" and new.kind == "f":
            return self.select(value, new, *[self.hidden(literal(number, new), new) for number in (1.0, 0.0)])
        if old.kind == "b":
            return self.do(f"zext i1 {value} to {after}")
        if old.kind == new.kind == "f":
            self.may_flag = True
            return self.do(f"{'fpext' if new.itemsize > old.itemsize else 'fptrunc'} {before} {value} to {after}")
        if new.kind == "f":
            return self.do(f"{'sitofp' if old.kind == 'i' else 'uitofp'} {before} {value} to {after}")
        if old.kind == "f":
            self.may_flag = True
            through = 64 if new.itemsize * 8 + (new.kind == "u") > 32 else 32
            whole = self.do(f"fptosi {before} {value} to i{through}")
            return whole if through == new.itemsize * 8 else self.do(f"trunc i{through} {whole} to {after}")
        if new.itemsize == old.itemsize:
            return value
        if new.itemsize < old.itemsize:
            return self.do(f"trunc {before} {value} to {after}")
        return self.do(f"{'sext' if old.kind == 'i' else 'zext'} {before} {value} to {after}")

    def rounded(self, value: str) -> str:
        """A float32 as the float16 that is nearest to it, in a register."""
        self.may_flag = True
        return self.do(f"fpext half {self.do(f'fptrunc float {value} to half')} to float")


def castable(old: DType, new: DType) -> bool:
    """True for the casts that `Emitter.cast` does as NumPy: C leaves those from floats to uint64 open, NumPy warns of
    an imaginary part that is lost, and a float64 that became a float16 by way of float32 would be rounded twice."""
    if new.char == "e" and part(old).char == "d":
        return False
    if old.kind == "c":
        return new.kind in "cb"
    return not (old.kind == "f" and new.kind == "u" and new.itemsize == 8)


def _suffix(dtype: DType) -> str:
    return f"{'f' if dtype.kind == 'f' else 'i'}{dtype.itemsize * 8}"
