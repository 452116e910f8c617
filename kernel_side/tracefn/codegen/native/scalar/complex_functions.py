"""LLVM IR of functions of one complex number, from those of its parts.

Numbers that are not finite have rules of their own in C, and are left to NumPy; so are parts so large or small that
something on the way would be no ordinary number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .complex_numbers import on_parts
from .emitter import BOOL, DType, Emitter, Pair, literal, part
from .rules import RULES, rule_for

NEAR = 0.3, 3.2
"""The logarithms of absolute values between these are found from their squares less 1, which are computed with twice
the digits."""


def require_finite(e: Emitter, p: DType, x: Pair) -> None:
    for each in x:
        e.out_of_range.append(e.do(f"xor i1 {on_parts(e, 'isfinite', p, each)}, true"))


def _require_below(e: Emitter, p: DType, value: str, double: float, single: float) -> None:
    """Leaves numbers to NumPy whose size is not below a limit, which differs for numbers of 64 and of 32 bits."""
    limit = literal(double if p.itemsize == 8 else single, p)
    e.out_of_range.append(on_parts(e, "greater_equal", p, on_parts(e, "absolute", p, value), limit))


@rule_for("exp", "c")
def _exp(e: Emitter, t: DType, x: list[Any]) -> Pair:
    p = part(t)
    require_finite(e, p, x[0])
    size = on_parts(e, "exp", p, x[0].real)
    real, imag = (on_parts(e, "multiply", p, size, on_parts(e, name, p, x[0].imag)) for name in ("cos", "sin"))
    is_real = on_parts(e, "equal", p, x[0].imag, literal(0.0, p))
    return Pair(real, e.select(is_real, p, x[0].imag, imag))


@rule_for("sqrt", "c")
def _sqrt(e: Emitter, t: DType, x: list[Any]) -> Pair:
    """One part is the root of half of the absolute value and the absolute real part, the other follows from it."""
    p = part(t)
    require_finite(e, p, x[0])
    a, b = (on_parts(e, "absolute", p, each) for each in x[0])
    size = RULES["absolute"].emit(e, t, x)
    is_zero = on_parts(e, "equal", p, size, literal(0.0, p))
    _require_below(e, p, size, 2.0**1022, 2.0**126)
    tiny = on_parts(e, "less", p, size, literal(np.finfo(p).tiny * 2.0**60, p))
    e.out_of_range.append(e.do(f"and i1 {tiny}, {e.do(f'xor i1 {is_zero}, true')}"))
    half = on_parts(e, "multiply", p, on_parts(e, "add", p, a, size), literal(0.5, p))
    root = on_parts(e, "sqrt", p, half)
    twice = on_parts(e, "add", p, root, root)
    other = on_parts(e, "divide", p, b, e.select(is_zero, p, e.hidden(literal(1.0, p), p), twice))
    below = on_parts(e, "less", p, x[0].real, literal(0.0, p))
    real, imag = e.select(below, p, other, root), e.select(below, p, root, other)
    return Pair(real, on_parts(e, "copysign", p, imag, x[0].imag))


def log_parts(e: Emitter, p: DType, x: Pair) -> Pair:
    """The logarithm of a finite number."""
    size = RULES["absolute"].emit(e, np.result_type(p, np.complex64), [x])
    low, high = (literal(bound, p) for bound in NEAR)
    is_near = e.do(f"and i1 {on_parts(e, 'greater', p, size, low)}, {on_parts(e, 'less', p, size, high)}")
    hidden = e.hidden(is_near, BOOL)
    parts = [e.select(hidden, p, each, e.hidden(literal(1.0, p), p)) for each in x]
    near = on_parts(e, "multiply", p, on_parts(e, "log1p", p, _square_less_one(e, p, *parts)), literal(0.5, p))
    far = on_parts(e, "log", p, size)
    return Pair(e.select(is_near, p, near, far), on_parts(e, "arctan2", p, x.imag, x.real))


@rule_for("log", "c")
def _log(e: Emitter, t: DType, x: list[Any]) -> Pair:
    require_finite(e, part(t), x[0])
    return log_parts(e, part(t), x[0])


def _log_of_base(name: str, factor: float) -> None:
    def rule(e: Emitter, t: DType, x: list[Any]) -> Pair:
        p = part(t)
        return Pair(*[on_parts(e, "multiply", p, each, literal(p.type(factor), p)) for each in _log(e, t, x)])

    rule_for(name, "c")(rule)


_log_of_base("log2", 1 / np.log(2))
_log_of_base("log10", 1 / np.log(10))


@rule_for("log1p", "c")
def _log1p(e: Emitter, t: DType, x: list[Any]) -> Pair:
    p = part(t)
    return _log(e, t, [Pair(on_parts(e, "add", p, x[0].real, literal(1.0, p)), x[0].imag)])


@rule_for("expm1", "c")
def _expm1(e: Emitter, t: DType, x: list[Any]) -> Pair:
    """The real part is expm1(a) cos b - 2 sin(b / 2)**2, where nothing cancels as b is small."""
    p, (a, b) = part(t), x[0]
    require_finite(e, p, x[0])
    sine = on_parts(e, "sin", p, on_parts(e, "multiply", p, b, literal(0.5, p)))
    lost = on_parts(e, "multiply", p, on_parts(e, "square", p, sine), literal(2.0, p))
    real = on_parts(e, "multiply", p, on_parts(e, "expm1", p, a), on_parts(e, "cos", p, b))
    imag = on_parts(e, "multiply", p, on_parts(e, "exp", p, a), on_parts(e, "sin", p, b))
    return Pair(on_parts(e, "subtract", p, real, lost), imag)


def _square_less_one(e: Emitter, p: DType, x: str, y: str) -> str:
    """x² + y² - 1, where nearly all digits may cancel (T. J. Dekker, Numerische Mathematik 18, 1971)."""

    def exact_sum(a: str, b: str) -> tuple[str, str]:
        total = on_parts(e, "add", p, a, b)
        taken = on_parts(e, "subtract", p, total, a)
        rest = on_parts(e, "subtract", p, a, on_parts(e, "subtract", p, total, taken))
        return total, on_parts(e, "add", p, rest, on_parts(e, "subtract", p, b, taken))

    squares = [on_parts(e, "square", p, each) for each in (x, y)]
    lost = [
        e.intrinsic("fma", p, each, each, on_parts(e, "negative", p, square))
        for each, square in zip((x, y), squares, strict=True)
    ]
    larger = on_parts(e, "greater_equal", p, *squares)
    first, second = e.select(larger, p, *squares), e.select(larger, p, *squares[::-1])
    total, rest = exact_sum(first, literal(-1.0, p))
    total, more = exact_sum(total, second)
    rest = on_parts(e, "add", p, rest, on_parts(e, "add", p, more, on_parts(e, "add", p, *lost)))
    return str(on_parts(e, "add", p, total, rest))


def _product(name: str, real: tuple[str, str], imag: tuple[str, str], is_negative: bool, through: str) -> None:
    """A function whose parts are each a function of one part times another of the other. The part `through` must not
    be so large that a hyperbolic function of it overflows."""

    def rule(e: Emitter, t: DType, x: list[Any]) -> Pair:
        p = part(t)
        require_finite(e, p, x[0])
        _require_below(e, p, getattr(x[0], through), 700.0, 85.0)
        found = [
            on_parts(e, "multiply", p, on_parts(e, a, p, x[0].real), on_parts(e, b, p, x[0].imag))
            for a, b in (real, imag)
        ]
        return Pair(found[0], on_parts(e, "negative", p, found[1]) if is_negative else found[1])

    rule_for(name, "c")(rule)


_product("sin", ("sin", "cosh"), ("cos", "sinh"), False, "imag")
_product("cos", ("cos", "cosh"), ("sin", "sinh"), True, "imag")
_product("sinh", ("sinh", "cos"), ("cosh", "sin"), False, "real")
_product("cosh", ("cosh", "cos"), ("sinh", "sin"), False, "real")


@rule_for("tanh", "c")
def _tanh(e: Emitter, t: DType, x: list[Any]) -> Pair:
    """W. Kahan's formula (Branch Cuts for Complex Elementary Functions, 1987), which nothing cancels in."""
    p = part(t)
    require_finite(e, p, x[0])
    _require_below(e, p, x[0].real, 300.0, 28.0)
    one = literal(1.0, p)
    tangent, sine = on_parts(e, "tan", p, x[0].imag), on_parts(e, "sinh", p, x[0].real)
    slope = on_parts(e, "add", p, one, on_parts(e, "square", p, tangent))
    square = on_parts(e, "square", p, sine)
    cosine = on_parts(e, "sqrt", p, on_parts(e, "add", p, one, square))
    divisor = on_parts(e, "add", p, one, on_parts(e, "multiply", p, slope, square))
    product = on_parts(e, "multiply", p, on_parts(e, "multiply", p, slope, cosine), sine)
    return Pair(on_parts(e, "divide", p, product, divisor), on_parts(e, "divide", p, tangent, divisor))


@rule_for("tan", "c")
def _tan(e: Emitter, t: DType, x: list[Any]) -> Pair:
    """tan z = i tanh(-i z), and tanh is odd: the parts change places."""
    return Pair(*_tanh(e, t, [Pair(x[0].imag, x[0].real)])[::-1])


@rule_for("exp2", "c")
def _exp2(e: Emitter, t: DType, x: list[Any]) -> Pair:
    p = part(t)
    require_finite(e, p, x[0])
    size = on_parts(e, "exp2", p, x[0].real)
    angle = on_parts(e, "multiply", p, x[0].imag, literal(p.type(np.log(2)), p))
    return Pair(*[on_parts(e, "multiply", p, size, on_parts(e, name, p, angle)) for name in ("cos", "sin")])


@rule_for("sign", "c")
def _sign(e: Emitter, t: DType, x: list[Any]) -> Pair:
    """A number less its size; zero stays. A size that overflows is left to NumPy, which takes another."""
    p = part(t)
    require_finite(e, p, x[0])
    size = RULES["absolute"].emit(e, t, x)
    e.out_of_range.append(on_parts(e, "isinf", p, size))
    is_zero = on_parts(e, "equal", p, size, literal(0.0, p))
    divisor = e.select(is_zero, p, e.hidden(literal(1.0, p), p), size)
    return Pair(*[on_parts(e, "divide", p, each, divisor) for each in x[0]])
