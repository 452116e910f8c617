"""log, log2, log10 and log1p, and the logarithm of a sum for the inverse hyperbolic functions.

x = 2**k * (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), and with s = f / (2 + f)
log(1 + f) = f - f**2 / 2 + s * (f**2 / 2 + R(s**2)), as in fdlibm's e_log.c; log2 and log10 split that into two parts
before they multiply, as its e_log2.c and e_log10.c do; the parts of the constants are theirs (float32: those of
FreeBSD's e_log2f.c and e_log10f.c). R is minimax, by Remez' exchange in 90 digits, relative error 2**-59 and 2**-30.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from .double_double import two_sum
from .exponential import LN2
from .text import Value, absolute, choose, muladd, nan_where, polynomial, select

#: R(z) / z
_SERIES = {
    64: (
        0.6666666666666723,
        0.3999999999947499,
        0.2857142873101958,
        0.22222199597279343,
        0.1818351659834587,
        0.1531516094013885,
        0.14785748615910219,
    ),
    32: (0.6666677594184875, 0.3997746407985687, 0.29876193404197693),
}

#: 1 / ln 2, and 1 / ln 10 with log10(2): in two parts each, the first with few enough bits for exact products.
_LOG2E = {64: (1.44269504072144627571e00, 1.67517131648865118353e-10), 32: (1.4428710938e00, -1.7605285393e-04)}
_LOG10E = {64: (4.34294481878168880939e-01, 2.50829467116452752298e-11), 32: (4.3432617188e-01, -3.1689971365e-05)}
_LOG10_2 = {64: (3.01029995663611771306e-01, 3.69423907715893078616e-13), 32: (3.0102920532e-01, 7.9034151668e-07)}


def log(x: Value) -> Value:
    return _of_positive(x, 0.0, lambda x: _natural(*split(*normal(x))))


def log2(x: Value) -> Value:
    def compute(x: Value) -> Value:
        k, f, _ = split(*normal(x))
        high, low = _parts(f)
        constant, rest = _LOG2E[x.format.bits]
        product = high * constant
        total, error = two_sum(k, product)
        return total + (error + ((low + high) * rest + low * constant))

    return _of_positive(x, 0.0, compute)


def log10(x: Value) -> Value:
    def compute(x: Value) -> Value:
        k, f, _ = split(*normal(x))
        high, low = _parts(f)
        constant, rest = _LOG10E[x.format.bits]
        k_high, k_low = _LOG10_2[x.format.bits]
        total, error = two_sum(k * k_high, high * constant)
        return total + (error + (k * k_low + (low + high) * rest + low * constant))

    return _of_positive(x, 0.0, compute)


def log1p(x: Value) -> Value:
    tiny = absolute(x) < 2.0 ** -(x.format.mantissa + 2)
    result = _of_positive(x, -1.0, lambda x: log_of_sum(*two_sum(x, 1.0)))
    return select(tiny, x, result)


def log_of_sum(x: Value, rest: Value, doublings: Value | None = None) -> Value:
    """log((x + rest) * 2**doublings) for a normal x and a rest that is below half a unit in its last place."""
    k, f, exponent = split(x, x.constant(0.0))
    # rest * 2**-k, so that both belong to the same f; twice the factor is a number for the largest exponent too.
    double_scale = (((2 * x.format.bias + 1) - exponent) << x.format.mantissa).real()
    f = muladd(rest * 0.5, double_scale, f)
    return _natural(k if doublings is None else k + doublings, f, exponent)


def _of_positive(x: Value, lowest: float, compute: Callable[[Value], Value]) -> Value:
    """`compute` for lowest < x < inf; -inf at the lowest and NaN below it, with a flag, and inf for inf."""
    infinite = x.equals(math.inf)
    wrong = x <= lowest
    result = compute(select(wrong | infinite, 1.0, x)) + nan_where(wrong, x)
    return select(x.equals(lowest), -math.inf, select(infinite, x, result))


def normal(x: Value) -> tuple[Value, Value]:
    """x, scaled to a normal number where it is subnormal, and the logarithm to base 2 of 1 / scale."""
    subnormal = x < x.format.smallest_normal
    return x * choose(subnormal, x, 2.0**54, 1.0), choose(subnormal, x, -54.0, 0.0)


def split(x: Value, k: Value) -> tuple[Value, Value, Value]:
    """k with the exponent of x added to it, f, and that exponent as the field of bits."""
    format = x.format
    root = format.pattern(math.sqrt(0.5))
    moved = x.bits() + (format.pattern(1.0) - root)
    exponent = moved >> format.mantissa
    f = ((moved & (2**format.mantissa - 1)) + root).real() - 1.0
    # An integer below 2**mantissa or'ed into 2**mantissa: a conversion that every vector unit has.
    power = 2.0**format.mantissa
    k = ((exponent | format.pattern(power)).real() - (power + format.bias)) + k
    return k, f, exponent


def _series(f: Value) -> tuple[Value, Value]:
    """f**2 / 2, and s * (f**2 / 2 + R)."""
    s = f / (f + 2.0)
    z = s * s
    half_square = f * f * 0.5
    return half_square, s * muladd(z, polynomial(z, _SERIES[f.format.bits]), half_square)


def _natural(k: Value, f: Value, _: Value) -> Value:
    """k * ln 2 + log(1 + f)."""
    high, low = LN2[f.format.bits]
    half_square, correction = _series(f)
    return muladd(k, high, f - (half_square - muladd(k, low, correction)))


def _parts(f: Value) -> tuple[Value, Value]:
    """log(1 + f) as a sum of two, the first with the upper half of the bits."""
    half_square, correction = _series(f)
    mask = -(2 ** (32 if f.format.bits == 64 else 12))
    high = ((f - half_square).bits() & mask).real()
    return high, ((f - high) - half_square) + correction
