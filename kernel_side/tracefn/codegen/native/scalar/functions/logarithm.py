"""log, log2, log10 and log1p, and the logarithm of a sum for the inverse hyperbolic functions.

x = 2**k * (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), and with s = f / (2 + f)
log(1 + f) = f - f**2 / 2 + s * (f**2 / 2 + R(s**2)), as in fdlibm's e_log.c; log10 splits that into two parts before it
multiplies, so that powers of ten come out exact, as its e_log10.c does; the parts of the constants are its (float32:
those of FreeBSD's e_log10f.c). For float32, log(1 + f) = f - f**2 / 2 + f**3 * P(f) needs no division, as in
Cephes' logf.c. R and P are minimax, by Remez' exchange in 90 digits, relative errors 2**-59 and 2**-28.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from .double_double import quick_two_sum, two_sum
from .exponential import LN2
from .text import Value, absolute, choose, muladd, polynomial, select

#: R(z) / z
_SERIES = (
    0.6666666666666723,
    0.3999999999947499,
    0.2857142873101958,
    0.22222199597279343,
    0.1818351659834587,
    0.1531516094013885,
    0.14785748615910219,
)
#: P(f)
_CUBIC_SERIES = (
    0.3333333134651184,
    -0.24999980628490448,
    0.2000068873167038,
    -0.1666915863752365,
    0.14251111447811127,
    -0.12396495789289474,
    0.11634935438632965,
    -0.11661545932292938,
    0.07333719730377197,
)

#: 1 / ln 10 and log10(2), in two parts each, the first with few enough bits for exact products.
_LOG10E = {64: (4.34294481878168880939e-01, 2.50829467116452752298e-11), 32: (4.3432617188e-01, -3.1689971365e-05)}
_LOG10_2 = {64: (3.01029995663611771306e-01, 3.69423907715893078616e-13), 32: (3.0102920532e-01, 7.9034151668e-07)}


def log(x: Value) -> Value:
    return _of_positive(x, lambda x: _natural(*split(*normal(x))[:2]))


def log2(x: Value) -> Value:
    def compute(x: Value) -> Value:
        k, f, _ = split(*normal(x))
        return muladd(_natural(None, f), 1 / math.log(2), k)

    return _of_positive(x, compute)


def log10(x: Value) -> Value:
    def compute(x: Value) -> Value:
        k, f, _ = split(*normal(x))
        high, low = _parts(f)
        constant, rest = _LOG10E[x.format.bits]
        k_high, k_low = _LOG10_2[x.format.bits]
        total, error = quick_two_sum(k * k_high, high * constant)
        return total + (error + (k * k_low + (low + high) * rest + low * constant))

    return _of_positive(x, compute)


def log1p(x: Value) -> Value:
    special, limit = limits(x + 1.0)
    ordinary = select(special, 0.0, x)
    tiny = absolute(ordinary) < 2.0 ** -(x.format.mantissa + 2)
    return select(special, limit, select(tiny, x, log_of_sum(*two_sum(ordinary, 1.0))))


def log_of_sum(x: Value, rest: Value, doublings: Value | None = None) -> Value:
    """log((x + rest) * 2**doublings) for a normal x and a rest that is below half a unit in its last place."""
    k, f, exponent = split(x, x.constant(0.0))
    # rest * 2**-k, so that both belong to the same f; twice the factor is a number for the largest exponent too.
    double_scale = (((2 * x.format.bias + 1) - exponent) << x.format.mantissa).real()
    f = muladd(rest * 0.5, double_scale, f)
    return _natural(k if doublings is None else k + doublings, f)


def _of_positive(x: Value, compute: Callable[[Value], Value]) -> Value:
    """`compute` for 0 < x < inf and the logarithm's limits elsewhere."""
    special, limit = limits(x)
    return select(special, limit, compute(select(special, 1.0, x)))


def limits(x: Value) -> tuple[Value, Value]:
    """Whether x is not between 0 and inf, and the logarithm of such an x, with a flag for zero and negative numbers.

    x * inf + inf is inf for inf, NaN for NaN, and for zero and negative numbers NaN, which raises a flag. The limit for
    zero is made of the bits of that NaN: LLVM would leave the flag out where a constant needs no NaN.
    """
    # One comparison of integers, with the patterns of zero and negative numbers moved next to those of inf and NaN.
    sign = 2 ** (x.format.bits - 1)
    special = (x.bits() + (sign - 1)) >= x.format.infinity - 1 - sign
    limit = muladd(x, math.inf, math.inf)
    below = ((limit.bits() & x.format.infinity) | sign).real()
    return special, select(x.equals(0.0), below, limit)


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
    """f**2 / 2, and log(1 + f) - f + f**2 / 2."""
    square = f * f
    half_square = square * 0.5
    if f.format.bits == 32:
        return half_square, square * f * polynomial(f, _CUBIC_SERIES)
    s = f / (f + 2.0)
    z = s * s
    return half_square, s * muladd(z, polynomial(z, _SERIES), half_square)


def _natural(k: Value | None, f: Value) -> Value:
    """k * ln 2 + log(1 + f)."""
    half_square, correction = _series(f)
    if k is None:
        return f - (half_square - correction)
    high, low = LN2[f.format.bits]
    return muladd(k, high, f - (half_square - muladd(k, low, correction)))


def _parts(f: Value) -> tuple[Value, Value]:
    """log(1 + f) as a sum of two, the first with the upper half of the bits."""
    half_square, correction = _series(f)
    mask = -(2 ** (32 if f.format.bits == 64 else 12))
    high = ((f - half_square).bits() & mask).real()
    return high, ((f - high) - half_square) + correction
