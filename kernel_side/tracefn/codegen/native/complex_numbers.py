"""LLVM IR of one complex number: what each op computes from the parts of its operands, as NumPy does."""

from __future__ import annotations

from typing import Any

import numpy as np

from .emitter import DType, Emitter, Pair, literal, llvm_type, part
from .scalars import RULES, rule_for


def _apply(e: Emitter, name: str, t: DType, *operands: str) -> Any:
    """An op on parts."""
    return RULES[name][1](e, t, list(operands))


def _by_parts(names: str) -> None:
    for name in names.split():

        def rule(e: Emitter, t: DType, x: list[Any], name: str = name) -> Pair:
            return Pair(*[_apply(e, name, part(t), *parts) for parts in zip(*x, strict=True)])

        rule_for(name, "c")(rule)


_by_parts("add subtract negative positive")


@rule_for("conjugate", "c")
def _conjugate(e: Emitter, t: DType, x: list[Any]) -> Pair:
    return Pair(x[0].real, _apply(e, "negative", part(t), x[0].imag))


@rule_for("multiply", "c")
def _multiply(e: Emitter, t: DType, x: list[Any]) -> Pair:
    (a, b), (c, d), p = x[0], x[1], part(t)
    real = _apply(e, "subtract", p, _apply(e, "multiply", p, a, c), _apply(e, "multiply", p, b, d))
    imag = _apply(e, "add", p, _apply(e, "multiply", p, a, d), _apply(e, "multiply", p, b, c))
    return Pair(real, imag)


@rule_for("divide", "c")
def _divide(e: Emitter, t: DType, x: list[Any]) -> Pair:
    """Smith's algorithm: the smaller part of the divisor is divided by the larger. Zero as divisor raises a flag."""
    (a, b), (c, d), p = x[0], x[1], part(t)
    is_real = _apply(e, "greater_equal", p, _apply(e, "absolute", p, c), _apply(e, "absolute", p, d))
    large, small = e.select(is_real, p, c, d), e.select(is_real, p, d, c)
    first, second = e.select(is_real, p, a, b), e.select(is_real, p, b, a)
    ratio = _apply(e, "divide", p, small, large)
    divisor = _apply(e, "add", p, large, _apply(e, "multiply", p, small, ratio))
    scale = _apply(e, "divide", p, literal(1.0, p), divisor)
    real = _apply(e, "add", p, first, _apply(e, "multiply", p, second, ratio))
    product = _apply(e, "multiply", p, first, ratio)
    imag = e.select(is_real, p, _apply(e, "subtract", p, second, product), _apply(e, "subtract", p, product, second))
    return Pair(_apply(e, "multiply", p, real, scale), _apply(e, "multiply", p, imag, scale))


@rule_for("absolute", "c")
def _absolute(e: Emitter, t: DType, x: list[Any]) -> str:
    """The root of the sum of squares, within 2 units in the last place. Both parts are scaled by a power of two first,
    so that no square is too large or too small."""
    p = part(t)
    a, b = (_apply(e, "absolute", p, each) for each in x[0])
    scale, back = _scales(e, p, e.select(_apply(e, "greater_equal", p, a, b), p, a, b))
    squares = [_apply(e, "square", p, _apply(e, "multiply", p, each, scale)) for each in (a, b)]
    root = _apply(e, "multiply", p, _apply(e, "sqrt", p, _apply(e, "add", p, *squares)), back)
    infinite = e.do(f"or i1 {_apply(e, 'isinf', p, a)}, {_apply(e, 'isinf', p, b)}")
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


MIRRORED = {"less": "greater", "less_equal": "greater_equal", "greater": "less", "greater_equal": "less_equal"}
"""Comparisons, and what they are when their operands change places."""


def compared_size(e: Emitter, rule: str, p: DType, x: Pair, bound: float) -> str | None:
    """Whether the absolute value of a number is less than a known one, or greater: squares tell, without a root. None
    where that has too large or too small a square."""
    if not p.type(1 / np.sqrt(np.finfo(p).max)) < bound < np.sqrt(np.finfo(p).max) / 2:
        return None
    limit, zero = literal(bound, p), literal(0.0, p)
    parts = [_apply(e, "absolute", p, each) for each in x]
    tests = [_apply(e, rule, p, each, limit) for each in parts]
    if rule in ("less", "less_equal"):
        small = [e.select(test, p, each, zero) for test, each in zip(tests, parts, strict=True)]
    else:
        small = [e.select(test, p, zero, each) for test, each in zip(tests, parts, strict=True)]
    total = _apply(e, "add", p, *[_apply(e, "square", p, each) for each in small])
    together = _apply(e, rule, p, total, literal(p.type(bound) ** 2, p))
    combine = "and" if rule in ("less", "less_equal") else "or"
    return e.do(f"{combine} i1 {e.do(f'{combine} i1 {tests[0]}, {tests[1]}')}, {together}")


@rule_for("exp", "c")
def _exp(e: Emitter, t: DType, x: list[Any]) -> Pair:
    """Numbers that are not finite have rules of their own in C, and are left to NumPy."""
    p = part(t)
    for each in x[0]:
        e.out_of_range.append(e.do(f"xor i1 {_apply(e, 'isfinite', p, each)}, true"))
    size = _apply(e, "exp", p, x[0].real)
    real, imag = (_apply(e, "multiply", p, size, _apply(e, name, p, x[0].imag)) for name in ("cos", "sin"))
    is_real = _apply(e, "equal", p, x[0].imag, literal(0.0, p))
    return Pair(real, e.select(is_real, p, x[0].imag, imag))


def _both(name: str, combine: str) -> None:
    def rule(e: Emitter, t: DType, x: list[Any]) -> str:
        real, imag = (_apply(e, name, part(t), *parts) for parts in zip(*x, strict=True))
        return e.do(f"{combine} i1 {real}, {imag}")

    rule_for(name, "c")(rule)


_both("equal", "and")
_both("not_equal", "or")
_both("isnan", "or")
_both("isinf", "or")
_both("isfinite", "and")
