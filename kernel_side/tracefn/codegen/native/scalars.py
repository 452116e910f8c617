"""LLVM IR of one element: what each op computes from its operands, as text.

A value is the name of a register or a literal. Booleans are `i1` in registers and one byte in memory. Nothing here
assumes that floats are finite or unsigned: NaN, Inf and -0.0 come out as in NumPy.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .engine import has_half
from .functions import LIMITED, NAMES, symbol

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

    `intrinsics` are the declarations it needs, `functions` the mathematical functions: (NumPy's name, bits).
    `integer_faults` are `i1` registers that say where an integer was divided by zero, `out_of_range` those that say
    where a function was given a number that it is not made for: NumPy must do it.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.intrinsics: set[str] = set()
        self.functions: set[tuple[str, int]] = set()
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
        arguments = ", ".join(f"{kind} {o}" for o in operands)
        if name in LIMITED:
            within = self.do(f"call i1 {symbol(f'{name}.in_range', bits)}({arguments})")
            self.out_of_range.append(self.do(f"xor i1 {within}, true"))
        return self.do(f"call {kind} {symbol(name, bits)}({arguments})")

    def hidden(self, constant: Any, dtype: DType) -> Any:
        """A constant that LLVM does not know. What is computed of one that it knows it computes itself, and no flag is
        raised where NumPy warns."""
        if dtype.kind == "b":
            return constant
        if dtype.kind == "c":
            return Pair(*[self.hidden(each, part(dtype)) for each in constant])
        dtype = register(dtype)
        kind, name = llvm_type(dtype), f"@tf.nothing.{_suffix(dtype)}"
        self.intrinsics.add(f"{name} = global {kind} {literal(-0.0 if dtype.kind == 'f' else 0, dtype)}")
        nothing = self.do(f"load {kind}, ptr {name}, align {dtype.itemsize}")
        return self.do(f"{'fadd' if dtype.kind == 'f' else 'or'} {kind} {constant}, {nothing}")

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


Rule = Callable[[Emitter, DType, list[Any]], Any]
"""Emits an op on operands of one dtype and gives its result: registers, `Pair`s for complex numbers."""

RULES: dict[str, tuple[str, Rule]] = {}
"""For each op the kinds of dtype that it is emitted for, and how. The dtype is that of the operands."""


def rule_for(names: str, kinds: str) -> Callable[[Rule], Rule]:
    def register(rule: Rule) -> Rule:
        for name in names.split():
            known = RULES.get(name)
            if known is None:
                RULES[name] = (kinds, rule)
            else:
                RULES[name] = (known[0] + kinds, _either(known, rule))
        return rule

    return register


def _either(known: tuple[str, Rule], other: Rule) -> Rule:
    return lambda e, t, x: known[1](e, t, x) if t.kind in known[0] else other(e, t, x)


def _binary(name: str, for_floats: str, for_integers: str, for_booleans: str) -> None:
    def rule(e: Emitter, t: DType, x: list[str]) -> str:
        e.may_flag |= t.kind == "f"
        instruction = {"f": for_floats, "b": for_booleans}.get(t.kind, for_integers)
        return e.do(f"{instruction} {llvm_type(t)} {x[0]}, {x[1]}")

    kinds = ("f" if for_floats else "") + ("iu" if for_integers else "") + ("b" if for_booleans else "")
    rule_for(name, kinds)(rule)


_binary("add", "fadd", "add", "or")
_binary("subtract", "fsub", "sub", "")
_binary("multiply", "fmul", "mul", "and")
_binary("divide", "fdiv", "", "")
_binary("bitwise_and", "", "and", "and")
_binary("bitwise_or", "", "or", "or")
_binary("bitwise_xor", "", "xor", "xor")


def _comparison(name: str, floats: str, signed: str, unsigned: str) -> None:
    def rule(e: Emitter, t: DType, x: list[str]) -> str:
        test = f"fcmp {floats}" if t.kind == "f" else f"icmp {signed if t.kind == 'i' else unsigned}"
        e.may_flag |= t.kind == "f"
        return e.do(f"{test} {llvm_type(t)} {x[0]}, {x[1]}")

    rule_for(name, "biuf")(rule)


_comparison("equal", "oeq", "eq", "eq")
_comparison("not_equal", "une", "ne", "ne")
_comparison("less", "olt", "slt", "ult")
_comparison("less_equal", "ole", "sle", "ule")
_comparison("greater", "ogt", "sgt", "ugt")
_comparison("greater_equal", "oge", "sge", "uge")


@rule_for("negative", "f")
def _fneg(e: Emitter, t: DType, x: list[str]) -> str:
    return e.do(f"fneg {llvm_type(t)} {x[0]}")


@rule_for("negative", "iu")
def _neg(e: Emitter, t: DType, x: list[str]) -> str:
    return e.do(f"sub {llvm_type(t)} 0, {x[0]}")


@rule_for("positive conjugate", "iuf")
def _same(e: Emitter, t: DType, x: list[str]) -> str:
    return x[0]


@rule_for("absolute fabs", "f")
def _fabs(e: Emitter, t: DType, x: list[str]) -> str:
    return e.intrinsic("fabs", t, x[0])


@rule_for("absolute", "i")
def _abs(e: Emitter, t: DType, x: list[str]) -> str:
    below = e.do(f"icmp slt {llvm_type(t)} {x[0]}, 0")
    return e.select(below, t, _neg(e, t, x), x[0])


@rule_for("absolute", "ub")
def _abs_unsigned(e: Emitter, t: DType, x: list[str]) -> str:
    return x[0]


def _intrinsics(**names: str) -> None:
    for name, intrinsic in names.items():

        def rule(e: Emitter, t: DType, x: list[str], intrinsic: str = intrinsic) -> str:
            e.may_flag |= intrinsic == "sqrt"
            return e.intrinsic(intrinsic, t, *x)

        rule_for(name, "f")(rule)


_intrinsics(sqrt="sqrt", floor="floor", ceil="ceil", trunc="trunc", rint="rint", copysign="copysign")


@rule_for("floor ceil trunc", "iub")
def _whole(e: Emitter, t: DType, x: list[str]) -> str:
    return x[0]


@rule_for("square", "iufc")
def _square(e: Emitter, t: DType, x: list[str]) -> str:
    return RULES["multiply"][1](e, t, [x[0], x[0]])


@rule_for("reciprocal", "f")
def _reciprocal(e: Emitter, t: DType, x: list[str]) -> str:
    return RULES["divide"][1](e, t, [literal(1.0, t), x[0]])


def _extremum(name: str, floats: str, signed: str, unsigned: str, keeps_nan: bool) -> None:
    def rule(e: Emitter, t: DType, x: list[str]) -> str:
        kind = llvm_type(t)
        if t.kind != "f":
            test = e.do(f"icmp {signed if t.kind == 'i' else unsigned} {kind} {x[0]}, {x[1]}")
            return e.select(test, t, x[0], x[1])
        e.may_flag = True
        first = e.do(f"fcmp {floats} {kind} {x[0]}, {x[1]}")
        odd = e.do(f"fcmp uno {kind} {x[0]}, {x[0]}" if keeps_nan else f"fcmp uno {kind} {x[1]}, {x[1]}")
        return e.select(e.do(f"or i1 {first}, {odd}"), t, x[0], x[1])

    rule_for(name, "biuf")(rule)


_extremum("maximum", "oge", "sge", "uge", True)
_extremum("minimum", "ole", "sle", "ule", True)
_extremum("fmax", "oge", "sge", "uge", False)
_extremum("fmin", "ole", "sle", "ule", False)


@rule_for("clip", "iuf")
def _clip(e: Emitter, t: DType, x: list[str]) -> str:
    return RULES["minimum"][1](e, t, [RULES["maximum"][1](e, t, x[:2]), x[2]])


def _logical(name: str, instruction: str) -> None:
    def rule(e: Emitter, t: DType, x: list[str]) -> str:
        return e.do(f"{instruction} i1 {e.is_true(x[0], t)}, {e.is_true(x[1], t)}")

    rule_for(name, "biufc")(rule)


_logical("logical_and", "and")
_logical("logical_or", "or")
_logical("logical_xor", "xor")


@rule_for("logical_not", "biufc")
def _not(e: Emitter, t: DType, x: list[str]) -> str:
    return e.do(f"xor i1 {e.is_true(x[0], t)}, true")


@rule_for("invert", "biu")
def _invert(e: Emitter, t: DType, x: list[str]) -> str:
    return e.do(f"xor {llvm_type(t)} {x[0]}, {'true' if t.kind == 'b' else '-1'}")


@rule_for("isnan", "f")
def _isnan(e: Emitter, t: DType, x: list[str]) -> str:
    return e.do(f"fcmp uno {llvm_type(t)} {x[0]}, {x[0]}")


def _bits(e: Emitter, t: DType, value: str) -> tuple[str, str]:
    kind = f"i{t.itemsize * 8}"
    return e.do(f"bitcast {llvm_type(t)} {value} to {kind}"), kind


def _magnitude(name: str, test: str) -> None:
    def rule(e: Emitter, t: DType, x: list[str]) -> str:
        bits, kind = _bits(e, t, e.intrinsic("fabs", t, x[0]))
        infinity = int(np.asarray(np.inf, t).view(f"i{t.itemsize}"))
        return e.do(f"icmp {test} {kind} {bits}, {infinity}")

    rule_for(name, "f")(rule)


_magnitude("isinf", "eq")
_magnitude("isfinite", "slt")


@rule_for("signbit", "f")
def _signbit(e: Emitter, t: DType, x: list[str]) -> str:
    bits, kind = _bits(e, t, x[0])
    return e.do(f"icmp slt {kind} {bits}, 0")


@rule_for("sign", "f")
def _sign(e: Emitter, t: DType, x: list[str]) -> str:
    kind, zero = llvm_type(t), literal(0.0, t)
    e.may_flag = True
    above = e.do(f"fcmp ogt {kind} {x[0]}, {zero}")
    below = e.do(f"fcmp olt {kind} {x[0]}, {zero}")
    null = e.do(f"fcmp oeq {kind} {x[0]}, {zero}")
    one, minus_one, zero = (e.hidden(each, t) for each in (literal(1.0, t), literal(-1.0, t), zero))
    found = e.select(null, t, zero, x[0])  # NaN stays
    return e.select(above, t, one, e.select(below, t, minus_one, found))


@rule_for("sign", "iu")
def _integer_sign(e: Emitter, t: DType, x: list[str]) -> str:
    kind = llvm_type(t)
    above = e.do(f"icmp {'sgt' if t.kind == 'i' else 'ne'} {kind} {x[0]}, 0")
    positive = e.do(f"zext i1 {above} to {kind}")
    if t.kind == "u":
        return positive
    below = e.do(f"icmp slt {kind} {x[0]}, 0")
    return e.select(below, t, "-1", positive)


@rule_for("floor_divide", "iu")
def _floor_divide(e: Emitter, t: DType, x: list[str]) -> str:
    quotient, remainder, safe = _divided(e, t, x)
    if t.kind == "u":
        return e.select(safe, t, quotient, "0")
    kind = llvm_type(t)
    lower = e.do(f"sub {kind} {quotient}, 1")
    floored = e.select(_signs_differ(e, t, remainder, x[1]), t, lower, quotient)
    return e.select(safe, t, floored, "0")


@rule_for("remainder", "iu")
def _remainder(e: Emitter, t: DType, x: list[str]) -> str:
    _, remainder, safe = _divided(e, t, x)
    if t.kind == "u":
        return e.select(safe, t, remainder, "0")
    moved = e.do(f"add {llvm_type(t)} {remainder}, {x[1]}")
    return e.select(safe, t, e.select(_signs_differ(e, t, remainder, x[1]), t, moved, remainder), "0")


@rule_for("fmod", "iu")
def _fmod(e: Emitter, t: DType, x: list[str]) -> str:
    _, remainder, safe = _divided(e, t, x)
    return e.select(safe, t, remainder, "0")


def _divided(e: Emitter, t: DType, x: list[str]) -> tuple[str, str, str]:
    """The quotient and the remainder of integers as C has them, and whether the divisor is fit for it. A zero divisor,
    and the least integer by -1, are faults: NumPy warns of them."""
    kind, sign = llvm_type(t), "s" if t.kind == "i" else "u"
    safe = e.do(f"icmp ne {kind} {x[1]}, 0")
    if t.kind == "i":
        least = -(1 << (t.itemsize * 8 - 1))
        overflow = e.do(f"and i1 {e.do(f'icmp eq {kind} {x[0]}, {least}')}, {e.do(f'icmp eq {kind} {x[1]}, -1')}")
        safe = e.do(f"and i1 {safe}, {e.do(f'xor i1 {overflow}, true')}")
    e.integer_faults.append(e.do(f"xor i1 {safe}, true"))
    divisor = e.select(safe, t, x[1], "1")
    return e.do(f"{sign}div {kind} {x[0]}, {divisor}"), e.do(f"{sign}rem {kind} {x[0]}, {divisor}"), safe


def _signs_differ(e: Emitter, t: DType, remainder: str, divisor: str) -> str:
    """Whether a remainder is not zero and has another sign than the divisor."""
    kind = llvm_type(t)
    differ = e.do(f"icmp slt {kind} {e.do(f'xor {kind} {remainder}, {divisor}')}, 0")
    return e.do(f"and i1 {differ}, {e.do(f'icmp ne {kind} {remainder}, 0')}")


def _factor(name: str, factor: float) -> None:
    def rule(e: Emitter, t: DType, x: list[str]) -> str:
        return RULES["multiply"][1](e, t, [x[0], literal(t.type(factor), t)])

    for each in name.split():
        rule_for(each, "f")(rule)


_factor("deg2rad radians", np.pi / 180)
_factor("rad2deg degrees", 180 / np.pi)


def _shift(name: str) -> None:
    def rule(e: Emitter, t: DType, x: list[str]) -> str:
        """Shifts by as much as there are bits, or by less than nothing, give what the sign says: 0 or -1."""
        kind, bits = llvm_type(t), t.itemsize * 8
        inside = e.do(f"icmp ult {kind} {x[1]}, {bits}")
        by = e.select(inside, t, x[1], "0")
        if name == "left_shift":
            return e.select(inside, t, e.do(f"shl {kind} {x[0]}, {by}"), "0")
        shifted = e.do(f"{'a' if t.kind == 'i' else 'l'}shr {kind} {x[0]}, {by}")
        beyond = e.do(f"ashr {kind} {x[0]}, {bits - 1}") if t.kind == "i" else "0"
        return e.select(inside, t, shifted, beyond)

    rule_for(name, "iu")(rule)


_shift("left_shift")
_shift("right_shift")


@rule_for("where", "biufc")
def _where(e: Emitter, t: DType, x: list[str]) -> str:
    return e.select(x[0], t, x[1], x[2])


@rule_for("astype", "biufc")
def _astype(e: Emitter, t: DType, x: list[str]) -> str:
    return x[0]


def _function(name: str) -> None:
    rule_for(name, "f")(lambda e, t, x: e.function(name, t, *x))


for _name in NAMES - {"erf"}:  # which is no function of NumPy's
    _function(_name)
