"""arcsin, arccos, arctan and arctan2.

arcsin x = x + x**3 * P(x**2) up to 1/2 and pi/2 - 2 arcsin(sqrt((1 - x) / 2)) beyond, as in fdlibm's e_asin.c. arctan
is reduced to |t| <= tan(pi/8) as in Cephes' atan.c: arctan x = pi/4 + arctan((x - 1) / (x + 1)) = pi/2 - arctan(1 / x).
The polynomials are minimax, by Remez' exchange in 90 digits.
"""

from __future__ import annotations

import math

from .fixed_points import fixed_where, is_nan
from .text import Value, absolute, choose, copysign, maximum, minimum, muladd, polynomial, select, sqrt

#: (arcsin x - x) / x**3 in x**2 up to 1/4: error 2**-56 and 2**-27.
_ARCSINE = {
    64: (
        0.1666666666666671,
        0.07499999999981614,
        0.04464285716606875,
        0.030381943054471366,
        0.022372206671829348,
        0.017351738746912423,
        0.013979546808973347,
        0.011407469604430785,
        0.010742132182365163,
        0.003815123873301088,
        0.021524540590805257,
        -0.02084989629326115,
        0.03260026371076051,
    ),
    32: (0.16666746139526367, 0.07495490461587906, 0.04545086622238159, 0.024259835481643677, 0.04205039143562317),
}

#: (arctan t - t) / t**3 in t**2 up to tan(pi/8)**2: error 2**-59 and 2**-30.
_ARCTANGENT = {
    64: (
        -0.33333333333333254,
        0.19999999999966528,
        -0.14285714281296505,
        0.1111111083151443,
        -0.09090898993122251,
        0.07692080182232165,
        -0.06663312790682233,
        0.05849299310067404,
        -0.05045246570993095,
        0.03820659771773918,
        -0.018054272165845067,
    ),
    32: (
        -0.33333316445350647,
        0.19998520612716675,
        -0.14244112372398376,
        0.1059618592262268,
        -0.0608040988445282,
    ),
}

#: pi/2 in two parts; pi/4 in two parts, the first short enough that three times it is exact.
_HALF_PI = {64: (1.5707963267948966, 6.123233995736766e-17), 32: (1.5707963705062866, -4.371138828673793e-08)}
_QUARTER_PI = {64: (0.7853981633974483, 3.061616997868383e-17), 32: (0.785398006439209, 1.5695823663008923e-07)}

_TAN_PI_8 = math.sqrt(2.0) - 1.0


@fixed_where(is_nan)
def arcsin(x: Value) -> Value:
    size = absolute(x)
    far, root, rest = _reduced_arcsine(size)
    high, low = _HALF_PI[x.format.bits]
    near_one = high - ((root + rest) * 2.0 - low)
    return copysign(select(far, near_one, root + rest), x)


@fixed_where(is_nan)
def arccos(x: Value) -> Value:
    size = absolute(x)
    far, root, rest = _reduced_arcsine(size)
    high, low = _HALF_PI[x.format.bits]
    negative = x < 0.0
    middle = high - (copysign(root, x) - (low - copysign(rest, x)))
    double = (root + rest) * 2.0
    return select(far, select(negative, 2.0 * high - (double - 2.0 * low), double), middle)


def _reduced_arcsine(size: Value) -> tuple[Value, Value, Value]:
    """Whether |x| > 1/2, and the arcsine of |x|, or there of sqrt((1 - |x|) / 2), as a sum of two.

    The root of a negative number raises the flag that is due where |x| > 1.
    """
    far = size > 0.5
    z = select(far, (1.0 - size) * 0.5, size * size)
    root = select(far, sqrt(z), size)
    return far, root, root * z * polynomial(z, _ARCSINE[size.format.bits])


@fixed_where(is_nan)
def arctan(x: Value) -> Value:
    size = absolute(x)
    large = size > 1.0 / _TAN_PI_8
    middle = size > _TAN_PI_8
    upper = select(large, -1.0, select(middle, size - 1.0, size))
    lower = select(large, size, select(middle, size + 1.0, 1.0))
    quarters = select(large, size.constant(2.0), choose(middle, size, 1.0, 0.0))
    return copysign(_from_quarters(quarters, _small_arctangent(upper / lower)), x)


def arctan2(y: Value, x: Value) -> Value:
    y_nan, x_nan = is_nan(y), is_nan(x)
    nan = y_nan | x_nan
    angle = _angle(select(nan, 1.0, y), select(nan, 1.0, x))
    return select(y_nan, y, select(x_nan, x, angle))


def _angle(y: Value, x: Value) -> Value:
    """The angle of (x, y), from its remainder in the octant of |x| and |y|."""
    tall, wide = absolute(y), absolute(x)
    swapped = tall > wide
    both_infinite = minimum(tall, wide).equals(math.inf)
    low = select(both_infinite, 1.0, minimum(tall, wide))
    high = select(both_infinite, 1.0, maximum(tall, wide))
    # Neither may the sum of the two overflow nor the product with tan(pi/8) be subnormal.
    huge, tiny = 2.0 ** (x.format.bias - 3), 2.0 ** -(x.format.bias // 2)
    scale = select(high > huge, x.constant(0.125), choose(high < tiny, x, 2.0 ** (x.format.mantissa + 8), 1.0))
    low, high = low * scale, high * scale
    middle = low > high * _TAN_PI_8
    upper = select(middle, low - high, low)
    lower = select(middle, low + high, select(high.equals(0.0), 1.0, high))
    small = _small_arctangent(upper / lower)
    quarters = choose(middle, x, 1.0, 0.0)
    quarters, small = select(swapped, 2.0 - quarters, quarters), select(swapped, -small, small)
    left = x.bits() < 0
    quarters, small = select(left, 4.0 - quarters, quarters), select(left, -small, small)
    return copysign(_from_quarters(quarters, small), y)


def _small_arctangent(t: Value) -> Value:
    z = t * t
    return muladd(t * z, polynomial(z, _ARCTANGENT[t.format.bits]), t)


def _from_quarters(quarters: Value, rest: Value) -> Value:
    """quarters * pi/4 + rest."""
    high, low = _QUARTER_PI[rest.format.bits]
    return quarters * high + muladd(quarters, low, rest)
