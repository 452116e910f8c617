"""LLVM IR of one complex number: each op on the parts of its operands, as in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from .emitter import DType, Emitter, Pair, literal, llvm_type, part
from .rules import RULES, rule_for


def on_parts(e: Emitter, name: str, t: DType, *operands: str) -> Any:
    """An op on parts of complex numbers."""
    return RULES[name].emit(e, t, list(operands))


def _by_parts(names: str) -> None:
    for name in names.split():

        def rule(e: Emitter, t: DType, x: list[Any], name: str = name) -> Pair:
            return Pair(*[on_parts(e, name, part(t), *parts) for parts in zip(*x, strict=True)])

        rule_for(name, "c")(rule)


_by_parts("add subtract negative positive")


@rule_for("conjugate", "c")
def _conjugate(e: Emitter, t: DType, x: list[Any]) -> Pair:
    return Pair(x[0].real, on_parts(e, "negative", part(t), x[0].imag))


@rule_for("multiply", "c")
def _multiply(e: Emitter, t: DType, x: list[Any]) -> Pair:
    (a, b), (c, d), p = x[0], x[1], part(t)
    real = on_parts(e, "subtract", p, on_parts(e, "multiply", p, a, c), on_parts(e, "multiply", p, b, d))
    imag = on_parts(e, "add", p, on_parts(e, "multiply", p, a, d), on_parts(e, "multiply", p, b, c))
    return Pair(real, imag)


@rule_for("divide", "c")
def _divide(e: Emitter, t: DType, x: list[Any]) -> Pair:
    """Smith's algorithm: the smaller part of the divisor is divided by the larger. Zero and NaN are left to NumPy, that
    warns of both, and divides by zero part by part."""
    (a, b), (c, d), p = x[0], x[1], part(t)
    is_real = on_parts(e, "greater_equal", p, on_parts(e, "absolute", p, c), on_parts(e, "absolute", p, d))
    large, small = e.select(is_real, p, c, d), e.select(is_real, p, d, c)
    _leave_nan(e, p, c, d)
    e.out_of_range.append(on_parts(e, "equal", p, large, literal(0.0, p)))
    first, second = e.select(is_real, p, a, b), e.select(is_real, p, b, a)
    ratio = on_parts(e, "divide", p, small, large)
    divisor = on_parts(e, "add", p, large, on_parts(e, "multiply", p, small, ratio))
    scale = on_parts(e, "divide", p, literal(1.0, p), divisor)
    real = on_parts(e, "add", p, first, on_parts(e, "multiply", p, second, ratio))
    product = on_parts(e, "multiply", p, first, ratio)
    imag = e.select(
        is_real, p, on_parts(e, "subtract", p, second, product), on_parts(e, "subtract", p, product, second)
    )
    return Pair(on_parts(e, "multiply", p, real, scale), on_parts(e, "multiply", p, imag, scale))


@rule_for("reciprocal", "c")
def _reciprocal(e: Emitter, t: DType, x: list[Any]) -> Pair:
    """As NumPy, whose signs of zero are not those of a quotient."""
    (c, d), p = x[0], part(t)
    is_real = on_parts(e, "less_equal", p, on_parts(e, "absolute", p, d), on_parts(e, "absolute", p, c))
    _leave_nan(e, p, c, d)
    large, small = e.select(is_real, p, c, d), e.select(is_real, p, d, c)
    ratio = on_parts(e, "divide", p, small, large)
    divisor = on_parts(e, "add", p, on_parts(e, "multiply", p, small, ratio), large)
    first, second = [on_parts(e, "divide", p, each, divisor) for each in (literal(1.0, p), ratio)]
    real, imag = e.select(is_real, p, first, second), e.select(is_real, p, second, first)
    return Pair(real, on_parts(e, "negative", p, imag))


def _leave_nan(e: Emitter, p: DType, *parts: str) -> None:
    """Leaves a number to NumPy that has NaN as a part: NumPy compares the parts of a divisor, and warns."""
    e.out_of_range.append(e.do(f"fcmp uno {llvm_type(p)} {', '.join(parts)}"))


@rule_for("absolute", "c")
def _absolute(e: Emitter, t: DType, x: list[Any]) -> str:
    """The root of the sum of squares, within 2 units in the last place. Both parts are scaled by a power of two first,
    so that no square is too large or too small."""
    p = part(t)
    a, b = (on_parts(e, "absolute", p, each) for each in x[0])
    scale, back = _scales(e, p, e.select(on_parts(e, "greater_equal", p, a, b), p, a, b))
    squares = [on_parts(e, "square", p, on_parts(e, "multiply", p, each, scale)) for each in (a, b)]
    root = on_parts(e, "multiply", p, on_parts(e, "sqrt", p, on_parts(e, "add", p, *squares)), back)
    infinite = e.do(f"or i1 {on_parts(e, 'isinf', p, a)}, {on_parts(e, 'isinf', p, b)}")
    return str(e.select(infinite, p, literal(float("inf"), p), root))


def _scales(e: Emitter, p: DType, value: str) -> tuple[str, str]:
    """A power of two that brings a value near 1, and the one that brings it back."""
    info, kind = np.finfo(p), f"i{p.itemsize * 8}"
    bias, bits = info.maxexp - 1, info.nmant
    word = e.do(f"bitcast {llvm_type(p)} {value} to {kind}")
    exponent = e.do(f"lshr {kind} {word}, {bits}")
    for test, bound in (("ugt", 1), ("ult", 2 * bias - 1)):
        inside = e.do(f"icmp {test} {kind} {exponent}, {bound}")
        exponent = e.do(f"select i1 {inside}, {kind} {exponent}, {kind} {bound}")
    opposite = e.do(f"sub {kind} {2 * bias}, {exponent}")
    words = [e.do(f"shl {kind} {each}, {bits}") for each in (opposite, exponent)]
    scale, back = [e.do(f"bitcast {kind} {each} to {llvm_type(p)}") for each in words]
    return scale, back


def compared_size(e: Emitter, rule: str, p: DType, x: Pair, bound: float) -> str | None:
    """Whether the absolute value of a number is less than a known one, or greater: by squares, without a root. None
    where that has too large or too small a square."""
    if not p.type(1 / np.sqrt(np.finfo(p).max)) < bound < np.sqrt(np.finfo(p).max) / 2:
        return None
    limit, zero = literal(bound, p), literal(0.0, p)
    parts = [on_parts(e, "absolute", p, each) for each in x]
    tests = [on_parts(e, rule, p, each, limit) for each in parts]
    if rule in ("less", "less_equal"):
        small = [e.select(test, p, each, zero) for test, each in zip(tests, parts, strict=True)]
    else:
        small = [e.select(test, p, zero, each) for test, each in zip(tests, parts, strict=True)]
    total = on_parts(e, "add", p, *[on_parts(e, "square", p, each) for each in small])
    together = on_parts(e, rule, p, total, literal(p.type(bound) ** 2, p))
    combine = "and" if rule in ("less", "less_equal") else "or"
    return e.do(f"{combine} i1 {e.do(f'{combine} i1 {tests[0]}, {tests[1]}')}, {together}")


def _both(name: str, combine: str) -> None:
    def rule(e: Emitter, t: DType, x: list[Any]) -> str:
        real, imag = (on_parts(e, name, part(t), *parts) for parts in zip(*x, strict=True))
        return e.do(f"{combine} i1 {real}, {imag}")

    rule_for(name, "c")(rule)


_both("equal", "and")
_both("not_equal", "or")
_both("isnan", "or")
_both("isinf", "or")
_both("isfinite", "and")
