"""exp, exp2 and expm1, and the steps that hyperbolic functions share with them.

e**x = 2**n * e**r with n the nearest integer to x / ln 2 and |r| <= ln 2 / 2; n * ln 2 is subtracted in two parts (Cody
and Waite, Software Manual for the Elementary Functions, 1980; the parts of ln 2 are those of fdlibm's e_exp.c and of
Cephes' expf). The polynomials are minimax, by Remez' exchange in 90 digits, then rounded; their errors are relative to
the result.
"""

from __future__ import annotations

import math

from .fixed_points import fixed_where, is_nan_or_inf
from .text import Value, absolute, copysign, maximum, minimum, muladd, polynomial, select

#: (e**r - 1 - r) / r**2, error 2**-57 and 2**-28.
_EXPONENTIAL = {
    64: (
        0.5000000000000001,
        0.16666666666666674,
        0.04166666666662381,
        0.008333333333322127,
        0.0013888888917370898,
        0.00019841269886836392,
        2.480152105280514e-05,
        2.7557242059340425e-06,
        2.7620203691935635e-07,
        2.5110154340462048e-08,
    ),
    32: (0.5, 0.16666576266288757, 0.04166637361049652, 0.008363235741853714, 0.0013941216748207808),
}

#: (2**r - 1) / r, error 2**-56 and 2**-28.
_POWER_OF_TWO = {
    64: (
        0.6931471805599453,
        0.24022650695910097,
        0.05550410866482166,
        0.009618129107606713,
        0.0013333558146395737,
        0.0001540353044202938,
        1.5252733853577767e-05,
        1.3215442409525058e-06,
        1.017805159197172e-07,
        7.072621567401476e-09,
        4.4566972919824874e-10,
    ),
    32: (
        0.6931471824645996,
        0.24022650718688965,
        0.055503569543361664,
        0.009618030861020088,
        0.0013390982057899237,
        0.0001546983257867396,
    ),
}

LN2 = {64: (6.93147180369123816490e-01, 1.90821492927058770002e-10), 32: (0.693359375, -2.12194440e-4)}


@fixed_where(is_nan_or_inf)
def exp(x: Value) -> Value:
    """e**x. The bounds are just past overflow and past the smallest subnormal number."""
    low, high = (-746.0, 710.0) if x.format.bits == 64 else (-104.5, 89.0)
    growth, exponent = _reduced_exponential(maximum(minimum(x, high), low), 2 * x.format.bias)
    return _scaled(growth + 1.0, exponent)


@fixed_where(is_nan_or_inf)
def exp2(x: Value) -> Value:
    format = x.format
    low, high = (-1076.0, 1025.0) if format.bits == 64 else (-151.0, 129.0)
    return power_of_two(maximum(minimum(x, high), low), None)


def power_of_two(x: Value, tail: Value | None) -> Value:
    """2**(x + tail) for a small tail and x between the bounds of the format."""
    shifted = x + (x.format.rounder + 2 * x.format.bias)
    rest = x - (shifted - (x.format.rounder + 2 * x.format.bias))
    if tail is not None:
        rest = rest + tail
    first, *others = _POWER_OF_TWO[x.format.bits]
    slope = muladd(rest, polynomial(rest, tuple(others)), first)
    return _scaled(muladd(rest, slope, 1.0), shifted.bits())


@fixed_where(is_nan_or_inf)
def expm1(x: Value) -> Value:
    """e**x - 1; below the lower bound that is -1."""
    low, high = (-40.0, 710.0) if x.format.bits == 64 else (-20.0, 89.0)
    result = scaled_expm1(maximum(minimum(x, high), low), 2) * 4.0
    return copysign(select(absolute(x) < 2.0 ** -(x.format.mantissa + 2), x, result), x)


def scaled_expm1(x: Value, halvings: int) -> Value:
    """(e**x - 1) / 2**halvings for x from -40 up to where e**x / 2**halvings overflows."""
    growth, exponent = _reduced_exponential(x, x.format.bias - halvings)
    scale = (exponent << x.format.mantissa).real()
    return muladd(scale, growth, scale - 0.5**halvings)


def quarter_exp(x: Value) -> Value:
    """e**x / 4 for x from where that is subnormal up to where it overflows."""
    growth, exponent = _reduced_exponential(x, x.format.bias - 2)
    scale = (exponent << x.format.mantissa).real()
    return muladd(scale, growth, scale)


def _reduced_exponential(x: Value, offset: int) -> tuple[Value, Value]:
    """e**r - 1, and an integer whose low bits are n + offset."""
    rounder = x.format.rounder + offset
    shifted = muladd(x, 1 / math.log(2), rounder)
    n = shifted - rounder
    high, low = LN2[x.format.bits]
    rest = muladd(n, -low, muladd(n, -high, x))
    growth = muladd(rest * rest, polynomial(rest, _EXPONENTIAL[x.format.bits]), rest)
    return growth, shifted.bits()


def _scaled(x: Value, exponent: Value) -> Value:
    """x * 2**n for an integer whose low bits are n + 2 * bias: by two factors, both of them normal numbers."""
    half = exponent >> 1
    mantissa = x.format.mantissa
    return (x * (half << mantissa).real()) * ((exponent - half) << mantissa).real()
