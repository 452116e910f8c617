"""Scalar expressions that write themselves down as lines of LLVM IR."""

from __future__ import annotations

import struct
from functools import cached_property

from .....records import dataclass


@dataclass(frozen=True)
class Format:
    """An IEEE 754 binary format: LLVM's names for it and the layout of its bits."""

    bits: int
    real: str
    integer: str
    mantissa: int  # stored bits of the significand
    bias: int

    @cached_property
    def infinity(self) -> int:
        """The bits of +inf."""
        return (2 * self.bias + 1) << self.mantissa

    @cached_property
    def smallest_normal(self) -> float:
        return 2.0 ** (1 - self.bias)

    @cached_property
    def rounder(self) -> float:
        """Added to a number below 2**(mantissa - 2) in size, leaves the nearest integer in the low bits of the sum."""
        return 1.5 * 2.0**self.mantissa

    def pattern(self, number: float) -> int:
        """The bits of a number, as an unsigned integer."""
        return int.from_bytes(struct.pack(">d" if self.bits == 64 else ">f", number), "big")

    def literal(self, number: float) -> str:
        """The number as LLVM writes a constant: as the bits of a double, whatever the format."""
        rounded = number if self.bits == 64 else struct.unpack("f", struct.pack("f", number))[0]
        return f"0x{DOUBLE.pattern(rounded):016X}"


DOUBLE = Format(64, "double", "i64", 52, 1023)
SINGLE = Format(32, "float", "i32", 23, 127)
FORMATS = {64: DOUBLE, 32: SINGLE}


class Body:
    """The body of one function, line by line, and the intrinsics that it calls."""

    def __init__(self, fma: bool) -> None:
        self.fma = fma
        self.lines: list[str] = []
        self.declarations: set[str] = set()

    def write(self, format: Format, type: str, text: str) -> Value:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return Value(self, format, type, name)


@dataclass(frozen=True, eq=False)
class Value:
    """A number, an integer (the bits of a number) or a truth value in a body; operators write a line, its result."""

    body: Body
    format: Format
    type: str
    name: str

    @property
    def is_real(self) -> bool:
        return self.type == self.format.real

    def operand(self, other: Operand) -> str:
        """`other` as the second operand of an instruction of this value's type."""
        if isinstance(other, Value):
            return other.name
        return self.format.literal(other) if self.is_real else str(other)

    def _write(self, instruction: str, other: Operand, type: str = "") -> Value:
        text = f"{instruction} {self.type} {self.name}, {self.operand(other)}"
        return self.body.write(self.format, type or self.type, text)

    def _arithmetic(self, name: str, other: Operand) -> Value:
        return self._write(f"f{name}" if self.is_real else name, other)

    def _compare(self, order: str, other: Operand) -> Value:
        return self._write(f"fcmp o{order}" if self.is_real else f"icmp s{order}", other, "i1")

    def constant(self, number: float) -> Value:
        """A number of this value's type."""
        return Value(self.body, self.format, self.type, self.operand(number))

    def __add__(self, other: Operand) -> Value:
        return self._arithmetic("add", other)

    def __sub__(self, other: Operand) -> Value:
        return self._arithmetic("sub", other)

    def __rsub__(self, other: float) -> Value:
        return self.constant(other) - self

    def __mul__(self, other: Operand) -> Value:
        return self._arithmetic("mul", other)

    def __truediv__(self, other: Operand) -> Value:
        return self._arithmetic("div", other)

    def __rtruediv__(self, other: float) -> Value:
        return self.constant(other) / self

    def __neg__(self) -> Value:
        return self.body.write(self.format, self.type, f"fneg {self.type} {self.name}")

    def __and__(self, other: Operand) -> Value:
        return self._write("and", other)

    def __or__(self, other: Operand) -> Value:
        return self._write("or", other)

    def __xor__(self, other: Operand) -> Value:
        return self._write("xor", other)

    def __invert__(self) -> Value:
        return self._write("xor", -1)

    def __lshift__(self, count: int) -> Value:
        return self._write("shl", count)

    def __rshift__(self, count: int) -> Value:
        return self._write("lshr", count)

    def __lt__(self, other: Operand) -> Value:
        return self._compare("lt", other)

    def __le__(self, other: Operand) -> Value:
        return self._compare("le", other)

    def __gt__(self, other: Operand) -> Value:
        return self._compare("gt", other)

    def __ge__(self, other: Operand) -> Value:
        return self._compare("ge", other)

    def equals(self, other: Operand) -> Value:
        return self._write("fcmp oeq" if self.is_real else "icmp eq", other, "i1")

    def bits(self) -> Value:
        """The bits of this number, as an integer."""
        return self._cast("bitcast", self.format.integer)

    def real(self) -> Value:
        """The number with these bits."""
        return self._cast("bitcast", self.format.real)

    def to(self, format: Format) -> Value:
        """This number in another format; to a narrower one it is rounded, and may overflow."""
        kind = "fpext" if format.bits > self.format.bits else "fptrunc"
        return self._cast(kind, format.real, format)

    def _cast(self, kind: str, type: str, format: Format | None = None) -> Value:
        return self.body.write(format or self.format, type, f"{kind} {self.type} {self.name} to {type}")


Operand = Value | float


def call(intrinsic: str, first: Value, *others: Operand) -> Value:
    """An intrinsic whose arguments and result have one type."""
    type = first.type
    function = f"@llvm.{intrinsic}.f{first.format.bits}"
    first.body.declarations.add(f"declare {type} {function}({', '.join([type] * (1 + len(others)))})")
    arguments = ", ".join(f"{type} {text}" for text in (first.name, *(first.operand(other) for other in others)))
    return first.body.write(first.format, type, f"call {type} {function}({arguments})")


def select(condition: Value, yes: Operand, no: Operand) -> Value:
    """`yes` where the condition holds, `no` elsewhere; at least one of them is a `Value`."""
    example = yes if isinstance(yes, Value) else no
    assert isinstance(example, Value)
    type = example.type
    text = f"select i1 {condition.name}, {type} {example.operand(yes)}, {type} {example.operand(no)}"
    return example.body.write(example.format, type, text)


def choose(condition: Value, like: Value, yes: float, no: float) -> Value:
    """One of two constants of the type of `like`."""
    return select(condition, like.constant(yes), no)


def absolute(x: Value) -> Value:
    return call("fabs", x)


def copysign(size: Operand, sign: Value) -> Value:
    return call("copysign", size if isinstance(size, Value) else sign.constant(size), sign)


def sqrt(x: Value) -> Value:
    return call("sqrt", x)


def minimum(x: Value, bound: Operand) -> Value:
    """The smaller of two numbers, neither of them NaN."""
    return select(x < bound, x, bound)


def maximum(x: Value, bound: Operand) -> Value:
    """The larger of two numbers, neither of them NaN."""
    return select(x > bound, x, bound)


def muladd(x: Value, y: Operand, z: Operand) -> Value:
    """x * y + z, rounded once where the host can and twice elsewhere."""
    return call("fmuladd", x, y, z)


def polynomial(x: Value, coefficients: tuple[float, ...]) -> Value:
    """The polynomial with these coefficients, lowest degree first, by Estrin's scheme: pairs of terms, pairs of pairs.

    A few products more than in Horner's rule, and a much shorter chain of operations that wait for each other.
    """
    terms: list[Operand] = list(coefficients)
    while True:
        pairs: list[Operand] = [muladd(x, high, low) for low, high in zip(terms[::2], terms[1::2], strict=False)]
        terms = pairs + terms[len(pairs) * 2 :]
        if len(terms) == 1:
            assert isinstance(terms[0], Value)
            return terms[0]
        x = x * x
