"""sin, cos and tan, for arguments that are not huge.

x = n * pi/2 + r with |r| <= pi/4 and r as a sum of two numbers. pi/2 is subtracted in three parts, the first with so
few bits that x - n * part is exact (Cody and Waite, 1980; Boldo, Daumas and Li, "Formally verified argument reduction
with a fused multiply-add", 2009). Beyond `LIMITS` that would lose bits, and the caller has to compute the element in
another way. sin r and cos r are as in fdlibm's k_sin.c and k_cos.c, with minimax polynomials by Remez' exchange in 90
digits.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from .double_double import quick_two_sum, two_product
from .text import DOUBLE, Value, muladd, polynomial, select

#: (sin r - r) / r**3 and (cos r - 1 + r**2 / 2) / r**4 in r**2: error 2**-57 and 2**-28, 2**-62 and 2**-32.
_SINE = {
    64: (
        -0.16666666666666635,
        0.008333333333322899,
        -0.00019841269830046958,
        2.755731373863187e-06,
        -2.5050761109688567e-08,
        1.589676803236565e-10,
    ),
    32: (-0.16666655242443085, 0.008332189172506332, -0.00019518184126354754),
}
_COSINE = {
    64: (
        0.041666666666666644,
        -0.0013888888888880474,
        2.4801587292845088e-05,
        -2.7557315186517805e-07,
        2.087582144194952e-09,
        -1.1364071442251027e-11,
    ),
    32: (0.04166664928197861, -0.0013887463137507439, 2.4447605028399266e-05),
}

#: pi/2 in three parts, by the bits of the format and whether x - n * part is rounded once.
_HALF_PI = {
    (64, True): (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33),
    (64, False): (1.5707963267341256, 6.077100506506192e-11, 3.5215598651832e-27),
    (32, True): (1.5707964897155762, -1.6292068494294654e-07, 5.390302953474238e-15),
}

#: The largest |x|, by the bits in which the argument is reduced and whether x - n * part is rounded once.
LIMITS = {(64, True): 2.0**30, (64, False): 2.0**20, (32, True): 1e5}


class _Angle(NamedTuple):
    """The sine and the cosine of r, and an integer whose low bits are n."""

    sine: Value
    cosine: Value
    n: Value


def sin(x: Value) -> Value:
    if _needs_double(x):
        return sin(x.to(DOUBLE)).to(x.format)
    angle = _angle(x)
    value = select(_is_odd(angle.n), angle.cosine, angle.sine)
    return select(x.equals(0.0), x, _negated_by_bit_1(value, angle.n))


def cos(x: Value) -> Value:
    if _needs_double(x):
        return cos(x.to(DOUBLE)).to(x.format)
    angle = _angle(x)
    value = select(_is_odd(angle.n), angle.sine, angle.cosine)
    return _negated_by_bit_1(value, angle.n + 1)


def tan(x: Value) -> Value:
    if _needs_double(x):
        return tan(x.to(DOUBLE)).to(x.format)
    sine, cosine, n = _angle(x)
    odd = _is_odd(n)
    return select(x.equals(0.0), x, select(odd, -cosine, sine) / select(odd, sine, cosine))


def in_range(x: Value) -> Value:
    """Whether the functions above are exact enough; inf (whose result is NaN) and NaN are in range."""
    limit = LIMITS[64 if _needs_double(x) else x.format.bits, x.body.fma]
    magnitude = x.bits() & (2 ** (x.format.bits - 1) - 1)
    return (magnitude <= x.format.pattern(limit)) | (magnitude >= x.format.infinity)


def _needs_double(x: Value) -> bool:
    """Without a fused multiply-add, three float32 parts of pi/2 are not exact enough."""
    return x.format.bits == 32 and not x.body.fma


def _is_odd(n: Value) -> Value:
    return (n & 1).equals(1)


def _negated_by_bit_1(value: Value, n: Value) -> Value:
    sign = (n & 2) << (value.format.bits - 2)
    return (value.bits() ^ sign).real()


def _angle(x: Value) -> _Angle:
    rounder = x.format.rounder
    shifted = muladd(x, 2 / math.pi, rounder)
    rest, tail = _reduced(x, shifted - rounder)
    z = rest * rest
    sine = rest + muladd(rest * z, polynomial(z, _SINE[x.format.bits]), tail)
    # Both terms are small next to 1, so that it hardly matters how they are rounded.
    slope = muladd(z, polynomial(z, _COSINE[x.format.bits]), -0.5)
    cosine = muladd(z, slope, -(rest * tail)) + 1.0
    return _Angle(sine, cosine, shifted.bits())


def _reduced(x: Value, n: Value) -> tuple[Value, Value]:
    """x - n * pi/2 as a sum of two, of which the second is small.

    The first difference is a multiple of the last place of n * second: that is enough for a quick sum to be exact.
    """
    first, second, third = _HALF_PI[x.format.bits, x.body.fma]
    product, lost = two_product(n, second)
    rest, error = quick_two_sum(muladd(n, -first, x), -product)
    return rest, error - muladd(n, third, lost)
