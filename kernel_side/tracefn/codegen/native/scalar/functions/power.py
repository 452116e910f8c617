"""power, cbrt and hypot.

power: x**y = 2**(y * log2 x), where the logarithm has twice the precision: log x = k * ln 2 + 2 artanh s with
s = (m - 1) / (m + 1) and artanh s = s * (1 + s**2 * (1/3 + s**2 * Q(s**2))) (Muller et al., Handbook of Floating-Point
Arithmetic, 2018). cbrt: a polynomial for m**(-1/3), one step of order four and
one of Newton's (fdlibm's s_cbrt.c reduces the exponent in the same way). The polynomials are minimax, by Remez'
exchange in 90 digits.
"""

from __future__ import annotations

import math

from .double_double import quick_two_sum, remainder, two_product
from .exponential import power_of_two
from .fixed_points import fixed_where, is_nan, is_nan_or_infinite
from .logarithm import normal, split
from .text import (
    Value,
    absolute,
    call,
    choose,
    copysign,
    maximum,
    minimum,
    muladd,
    polynomial,
    select,
    sqrt,
)

#: Q(z), relative error of the logarithm 2**-71 and 2**-36.
_ARTANH = {
    64: (
        0.19999999999999998,
        0.14285714285717332,
        0.11111111109856216,
        0.09090909319492135,
        0.07692285341350902,
        0.06667924143700296,
        0.058416457147237,
        0.05962896293547147,
    ),
    32: (0.20000071823596954, 0.14273928105831146, 0.11701877415180206),
}
#: 1/3 and 2 / ln 2, in two parts each.
_THIRD = {64: (0.3333333333333333, 1.850371707708594e-17), 32: (0.3333333432674408, -9.934107758624577e-09)}
_TWO_LOG2E = {64: (2.8853900817779268, 4.0710547481862066e-17), 32: (2.885390043258667, 3.851926067000022e-08)}

#: m**(-1/3) for 1 <= m < 2, error 2**-17.
_INVERSE_CBRT = (
    1.7830499410629272,
    -1.5730751752853394,
    1.2536036968231201,
    -0.6046107411384583,
    0.15835008025169373,
    -0.017322948202490807,
)


def power(x: Value, y: Value) -> Value:
    """x**y, with C's rules for zeros, infinities, NaN and negative x."""
    x_nan, y_nan = is_nan(x), is_nan(y)
    base, exponent = select(x_nan, 1.0, x), select(y_nan, 1.0, y)
    size = absolute(base)
    zero, infinite = size.equals(0.0), size.equals(math.inf)
    special = zero | infinite
    size = select(special, 1.0, size)
    result = _positive_power(size, exponent)

    up, down = exponent > 0.0, exponent < 0.0
    integer = call("trunc", exponent).equals(exponent)
    half = exponent * 0.5
    odd = integer & ~call("trunc", half).equals(half)
    wrong = (base < 0.0) & ~infinite & ~integer
    result = result + _nan_where(wrong | (zero & down), size)
    limit = choose((infinite & up) | (zero & down), base, math.inf, 0.0)
    result = select(special & (up | down), limit, result)
    result = select(odd, copysign(result, base), result)

    result = select(y_nan & ~x.equals(1.0), y, result)
    return select(x_nan & (up | down), x, result)


def _nan_where(wrong: Value, finite: Value) -> Value:
    """NaN where `wrong` holds, and the invalid flag with it; +0 elsewhere, and no flag.

    LLVM assumes that the flags are not read and folds operations on constants: here the number that is subtracted
    from itself might be finite. The difference has to be added to the returned value.
    """
    number = select(wrong, math.inf, finite)
    return number - number


def _positive_power(x: Value, y: Value) -> Value:
    """x**y for 0 < x < inf and any y but NaN: a bounded exponent gives the same, and no product overflows."""
    far, bound = (2.0**70, 1080.0) if x.format.bits == 64 else (2.0**40, 160.0)
    y = copysign(minimum(absolute(y), far), y)
    high, low = _log2(x)
    product, error = two_product(y, high)
    error = muladd(y, low, error)
    inside = absolute(product) < bound
    return power_of_two(maximum(minimum(product, bound), -bound), select(inside, error, 0.0))


def _log2(x: Value) -> tuple[Value, Value]:
    """log2 x as a sum of two, relative error about 2**-65 and 2**-34."""
    bits = x.format.bits
    k, f, _ = split(*normal(x))
    inverse = 1.0 / (f + 2.0)
    s = f * inverse
    # f - s * (2 + f), the remainder of the division; f - 2 s is exact
    s_low = remainder(f - s * 2.0, s, f) * inverse
    z, z_low = two_product(s, s)
    z_low = muladd(s * 2.0, s_low, z_low)
    third, third_low = _THIRD[bits]
    bracket, bracket_low = quick_two_sum(z.constant(third), z * polynomial(z, _ARTANH[bits]))
    bracket, bracket_low = _product(z, z_low, bracket, bracket_low + third_low)
    bracket, error = quick_two_sum(z.constant(1.0), bracket)
    artanh, artanh_low = _product(s, s_low, bracket, error + bracket_low)
    factor, factor_low = _TWO_LOG2E[bits]
    high, low = _product(artanh, artanh_low, artanh.constant(factor), artanh.constant(factor_low))
    total, error = quick_two_sum(k, high)
    return total, error + low


def _product(x: Value, x_low: Value, y: Value, y_low: Value) -> tuple[Value, Value]:
    """The product of two sums of two, as a sum of two."""
    product, error = two_product(x, y)
    return product, error + muladd(x, y_low, x_low * y)


@fixed_where(is_nan_or_infinite)
def cbrt(x: Value) -> Value:
    format = x.format
    subnormal = absolute(x) < format.smallest_normal
    bits = (absolute(x) * choose(subnormal, x, 2.0**54, 1.0)).bits()
    m = ((bits & (2**format.mantissa - 1)) | format.pattern(1.0)).real()
    power = 2.0**format.mantissa
    k = ((bits >> format.mantissa) | format.pattern(power)).real() - (power + format.bias)
    # k = 3 * third + rest, and the third as an exponent of the result
    rounder = format.rounder + format.bias
    shifted = muladd(k, 1 / 3, rounder)
    rest = muladd(shifted - rounder, -3.0, k)
    up, down = rest > 0.0, rest < 0.0
    guess = polynomial(m, _INVERSE_CBRT)
    guess = guess * select(up, guess.constant(0.5 ** (1 / 3)), choose(down, x, 2.0 ** (1 / 3), 1.0))
    m = m * select(up, m.constant(2.0), choose(down, x, 0.5, 1.0))
    # (1 - h)**(-1/3) = 1 + h / 3 + 2 h**2 / 9 + 14 h**3 / 81 + ...
    h = 1.0 - m * guess * guess * guess
    inverse = muladd(guess * h, polynomial(h, (1 / 3, 2 / 9, 14 / 81)), guess)
    square = inverse * inverse
    root = m * square
    left = muladd(root * root, -root, m)
    root = muladd(left * square, 1 / 3, root)
    scale = (shifted.bits() << format.mantissa).real() * choose(subnormal, x, 2.0**-18, 1.0)
    return select(x.equals(0.0), x, copysign(root * scale, x))


def hypot(x: Value, y: Value) -> Value:
    """sqrt(x**2 + y**2), scaled by a power of two so that no square overflows or is subnormal; inf wins over NaN."""
    format = x.format
    infinite = absolute(x).equals(math.inf) | absolute(y).equals(math.inf)
    nan = is_nan(x) | is_nan(y)
    ordinary = ~(infinite | nan)
    first, second = select(ordinary, absolute(x), 1.0), select(ordinary, absolute(y), 1.0)
    low, high = minimum(first, second), maximum(first, second)
    upper, lower, step = (500, -459, 600) if format.bits == 64 else (60, -30, 90)
    big, small = high > 2.0**upper, high < 2.0**lower
    scale = select(big, x.constant(2.0**-step), choose(small, x, 2.0**step, 1.0))
    unscale = select(big, x.constant(2.0**step), choose(small, x, 2.0**-step, 1.0))
    low, high = low * scale, high * scale
    result = sqrt(muladd(high, high, low * low)) * unscale
    return select(infinite, math.inf, select(nan, math.nan, result))
