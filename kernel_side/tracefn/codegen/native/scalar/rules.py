"""LLVM IR of one element: each op on its operands, as text.

Nothing here assumes that floats are finite or unsigned: NaN, Inf and -0.0 come out as in NumPy.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from ....records import dataclass
from .emitter import BOOL, DType, Emitter, literal, llvm_type
from .functions import FUNCTIONS, Function

Rule = Callable[[Emitter, DType, list[Any]], Any]
"""Emits an op on operands of one dtype and gives its result: registers, `Pair`s for complex numbers."""


@dataclass(frozen=True, slots=True)
class ScalarRule:
    """How native code computes one element, and the facts that decide where it does. `emit` is for operands of a dtype
    of one of the `kinds`.
    """

    kinds: str
    emit: Rule
    is_rounded: bool = False
    """Floats may be rounded otherwise than by NumPy."""
    is_one_by_one: bool = False
    """NumPy computes floats element by element, where vectors take a third of the time or less."""
    is_fast_in_numpy: bool = False
    """NumPy may be faster, where the processor has vectors of 512 bits."""
    is_quiet: bool = False
    """Zeros raise no floating-point flag."""
    divides: bool = False
    """It takes about as long as a division."""
    is_light: bool = False
    """It is a few operations on the parts of complex numbers."""
    is_exact_for_complex: bool = False
    """Complex numbers have NumPy's own bits. How often NumPy rounds a product depends on the processor."""
    chooses: bool = False
    """The result can be one of the operands."""
    updates: bool = False
    """`ufunc.at` is native, too."""
    mirrored: str = ""
    """The rule that gives the same when the operands change places."""


RULES: dict[str, ScalarRule] = {}
"""The rules by name: that of an op, or one that a `Lowering` names."""


def rule_for(names: str, kinds: str, **facts: Any) -> Callable[[Rule], Rule]:
    """Registers a rule. Where there is one for other kinds, it is both."""

    def register(rule: Rule) -> Rule:
        for name in names.split():
            known = RULES.get(name)
            if known is None:
                RULES[name] = ScalarRule(kinds, rule, **facts)
            else:
                either = _either(known, rule)
                RULES[name] = dataclasses.replace(known, kinds=known.kinds + kinds, emit=either, **facts)
        return rule

    return register


def _either(known: ScalarRule, other: Rule) -> Rule:
    return lambda e, t, x: known.emit(e, t, x) if t.kind in known.kinds else other(e, t, x)


def _binary(name: str, for_floats: str, for_integers: str, for_booleans: str, **facts: Any) -> None:
    def rule(e: Emitter, t: DType, x: list[str]) -> str:
        e.may_flag |= t.kind == "f"
        instruction = {"f": for_floats, "b": for_booleans}.get(t.kind, for_integers)
        return e.do(f"{instruction} {llvm_type(t)} {x[0]}, {x[1]}")

    kinds = ("f" if for_floats else "") + ("iu" if for_integers else "") + ("b" if for_booleans else "")
    rule_for(name, kinds, **facts)(rule)


_binary("add", "fadd", "add", "or", is_quiet=True, is_light=True, is_exact_for_complex=True, updates=True)
_binary("subtract", "fsub", "sub", "", is_quiet=True, is_light=True, is_exact_for_complex=True, updates=True)
_binary("multiply", "fmul", "mul", "and", is_quiet=True, is_light=True, updates=True)
_binary("divide", "fdiv", "", "", divides=True)
_binary("bitwise_and", "", "and", "and", is_quiet=True, updates=True)
_binary("bitwise_or", "", "or", "or", is_quiet=True, updates=True)
_binary("bitwise_xor", "", "xor", "xor", is_quiet=True, updates=True)


def _comparison(name: str, floats: str, signed: str, unsigned: str, **facts: Any) -> None:
    def rule(e: Emitter, t: DType, x: list[str]) -> str:
        test = f"fcmp {floats}" if t.kind == "f" else f"icmp {signed if t.kind == 'i' else unsigned}"
        e.may_flag |= t.kind == "f"
        return e.do(f"{test} {llvm_type(t)} {x[0]}, {x[1]}")

    rule_for(name, "biuf", is_quiet=True, **facts)(rule)


_comparison("equal", "oeq", "eq", "eq", is_light=True, is_exact_for_complex=True)
_comparison("not_equal", "une", "ne", "ne", is_light=True, is_exact_for_complex=True)
_comparison("less", "olt", "slt", "ult", mirrored="greater")
_comparison("less_equal", "ole", "sle", "ule", mirrored="greater_equal")
_comparison("greater", "ogt", "sgt", "ugt", mirrored="less")
_comparison("greater_equal", "oge", "sge", "uge", mirrored="less_equal")


@rule_for("negative", "f", is_quiet=True, is_light=True, is_exact_for_complex=True)
def _fneg(e: Emitter, t: DType, x: list[str]) -> str:
    return e.do(f"fneg {llvm_type(t)} {x[0]}")


@rule_for("negative", "iu")
def _neg(e: Emitter, t: DType, x: list[str]) -> str:
    return e.do(f"sub {llvm_type(t)} 0, {x[0]}")


@rule_for("conjugate", "iuf", is_light=True, is_exact_for_complex=True)
@rule_for("positive", "iuf", is_quiet=True, is_light=True, is_exact_for_complex=True)
def _same(e: Emitter, t: DType, x: list[str]) -> str:
    return x[0]


@rule_for("absolute", "f", is_quiet=True)
@rule_for("fabs", "f")
def _fabs(e: Emitter, t: DType, x: list[str]) -> str:
    return e.intrinsic("fabs", t, x[0])


@rule_for("absolute", "i")
def _abs(e: Emitter, t: DType, x: list[str]) -> str:
    below = e.do(f"icmp slt {llvm_type(t)} {x[0]}, 0")
    return e.select(below, t, _neg(e, t, x), x[0])


@rule_for("absolute", "ub")
def _abs_unsigned(e: Emitter, t: DType, x: list[str]) -> str:
    return x[0]


def _intrinsic(name: str, **facts: Any) -> None:
    def rule(e: Emitter, t: DType, x: list[str]) -> str:
        e.may_flag |= name == "sqrt"
        return e.intrinsic(name, t, *x)

    rule_for(name, "f", **facts)(rule)


_intrinsic("sqrt", divides=True, is_one_by_one=True)
_intrinsic("floor")
_intrinsic("ceil")
_intrinsic("trunc")
_intrinsic("rint")
_intrinsic("copysign", is_one_by_one=True)


@rule_for("floor ceil trunc", "iub")
def _whole(e: Emitter, t: DType, x: list[str]) -> str:
    return x[0]


@rule_for("square", "iufc", is_quiet=True, is_light=True)
def _square(e: Emitter, t: DType, x: list[str]) -> str:
    return RULES["multiply"].emit(e, t, [x[0], x[0]])


@rule_for("reciprocal", "f", divides=True, is_one_by_one=True)
def _reciprocal(e: Emitter, t: DType, x: list[str]) -> str:
    return RULES["divide"].emit(e, t, [literal(1.0, t), x[0]])


@rule_for("power_3", "iuf", is_rounded=True)
def _cube(e: Emitter, t: DType, x: list[str]) -> str:
    return RULES["multiply"].emit(e, t, [_square(e, t, x), x[0]])


@rule_for("power_4", "iuf", is_rounded=True)
def _fourth_power(e: Emitter, t: DType, x: list[str]) -> str:
    return _square(e, t, [_square(e, t, x)])


@rule_for("power_minus_2", "f", is_rounded=True)
def _inverse_square(e: Emitter, t: DType, x: list[str]) -> str:
    return _reciprocal(e, t, [_square(e, t, x)])


def _positive_root(e: Emitter, t: DType, x: list[str]) -> tuple[str, str]:
    """A number and its root, for powers: -0.0 is 0.0 there, and -Inf is Inf."""
    minus = e.do(f"fcmp oeq {llvm_type(t)} {x[0]}, {literal(-np.inf, t)}")
    number = e.select(minus, t, literal(np.inf, t), e.do(f"fadd {llvm_type(t)} {x[0]}, {literal(0.0, t)}"))
    return number, RULES["sqrt"].emit(e, t, [number])


@rule_for("power_3_halves", "f", is_rounded=True)
def _root_of_cube(e: Emitter, t: DType, x: list[str]) -> str:
    return RULES["multiply"].emit(e, t, list(_positive_root(e, t, x)))


@rule_for("power_minus_half", "f", is_rounded=True)
def _inverse_root(e: Emitter, t: DType, x: list[str]) -> str:
    return _reciprocal(e, t, [_positive_root(e, t, x)[1]])


@rule_for("power_minus_3_halves", "f", is_rounded=True)
def _inverse_root_of_cube(e: Emitter, t: DType, x: list[str]) -> str:
    return _reciprocal(e, t, [_root_of_cube(e, t, x)])


def whole_power(number: int) -> str:
    """The rule of a power with a whole exponent."""
    return f"power_{number}" if number > 0 else f"power_minus_{-number}"


MOST_PRODUCTS = 16
"""Powers of integers and complex numbers with whole exponents up to this size are products."""


def _integer_power(number: int) -> None:
    def rule(e: Emitter, t: DType, x: list[str]) -> str:
        half = x[0] if number < 4 else RULES[whole_power(number // 2)].emit(e, t, x)
        square = _square(e, t, [half])
        return RULES["multiply"].emit(e, t, [square, x[0]]) if number % 2 else square

    rule_for(whole_power(number), "iu")(rule)


rule_for("power_2", "iu")(_square)
for _number in range(5, MOST_PRODUCTS + 1):
    _integer_power(_number)

POWERS = {
    3: "power_3",
    4: "power_4",
    -2: "power_minus_2",
    1.5: "power_3_halves",
    -0.5: "power_minus_half",
    -1.5: "power_minus_3_halves",
}
"""Powers that a few products and a root give, within 3 units in the last place."""


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

    rule_for(name, "biuf", is_quiet=keeps_nan, updates=True, chooses=True)(rule)


_extremum("maximum", "ogt", "sgt", "ugt", True)
_extremum("minimum", "olt", "slt", "ult", True)
_extremum("fmax", "oge", "sge", "uge", False)
_extremum("fmin", "ole", "sle", "ule", False)


@rule_for("clip", "iuf", chooses=True)
def _clip(e: Emitter, t: DType, x: list[str]) -> str:
    return RULES["minimum"].emit(e, t, [RULES["maximum"].emit(e, t, x[:2]), x[2]])


def _logical(name: str, instruction: str, **facts: Any) -> None:
    def rule(e: Emitter, t: DType, x: list[str]) -> str:
        return e.do(f"{instruction} i1 {e.is_true(x[0], t)}, {e.is_true(x[1], t)}")

    rule_for(name, "biufc", is_one_by_one=True, is_light=True, **facts)(rule)


_logical("logical_and", "and", is_quiet=True, updates=True)
_logical("logical_or", "or", is_quiet=True, updates=True)
_logical("logical_xor", "xor")


@rule_for("logical_not", "biufc", is_one_by_one=True, is_light=True, is_quiet=True)
def _not(e: Emitter, t: DType, x: list[str]) -> str:
    return e.do(f"xor i1 {e.is_true(x[0], t)}, true")


@rule_for("invert", "biu", is_quiet=True)
def _invert(e: Emitter, t: DType, x: list[str]) -> str:
    return e.do(f"xor {llvm_type(t)} {x[0]}, {'true' if t.kind == 'b' else '-1'}")


@rule_for("isnan", "f", is_light=True)
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

    rule_for(name, "f", is_light=True)(rule)


_magnitude("isinf", "eq")
_magnitude("isfinite", "slt")


@rule_for("signbit", "f")
def _signbit(e: Emitter, t: DType, x: list[str]) -> str:
    bits, kind = _bits(e, t, x[0])
    return e.do(f"icmp slt {kind} {bits}, 0")


@rule_for("sign", "f", is_one_by_one=True)
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


def _factor(names: str, over: float, under: float) -> None:
    def rule(e: Emitter, t: DType, x: list[str]) -> str:
        return RULES["multiply"].emit(e, t, [x[0], literal(t.type(over) / t.type(under), t)])

    for each in names.split():
        rule_for(each, "f")(rule)


_factor("deg2rad radians", np.pi, 180)
_factor("rad2deg degrees", 180, np.pi)


@rule_for("where", "biufc", chooses=True, is_quiet=True, is_light=True, is_exact_for_complex=True)
def _where(e: Emitter, t: DType, x: list[str]) -> str:
    return e.select(x[0], t, x[1], x[2])


@rule_for("picked", "biufc", is_light=True)
def _picked(e: Emitter, t: DType, x: list[str]) -> str:
    """A number where a mask is true, and 1 elsewhere. LLVM must not see that the mask is that of a write, or it
    computes with all elements, and chooses then."""
    return e.select(e.hidden(x[0], BOOL), t, x[1], e.hidden(literal(1, t), t))


@rule_for("astype", "biufc", is_quiet=True, is_light=True, is_exact_for_complex=True)
def _astype(e: Emitter, t: DType, x: list[str]) -> str:
    return x[0]


def _function(name: str, found: Function) -> None:
    facts = {"is_one_by_one": found.is_one_by_one, "is_fast_in_numpy": found.is_fast_in_numpy}
    rule_for(name, "f", is_rounded=not found.is_exact, **facts)(lambda e, t, x: e.function(name, t, *x))


for _name, _found in FUNCTIONS.items():
    if _name != "erf":  # which is no function of NumPy's
        _function(_name, _found)
