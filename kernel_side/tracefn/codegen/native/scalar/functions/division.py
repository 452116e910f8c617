"""fmod, remainder and floor_divide of floats, with NumPy's own bits.

The quotient of two numbers, rounded and cut off, is the whole quotient or one more where it is below 2**53 (2**24):
the remainder is then a number, and known without an error.
"""

from __future__ import annotations

from .double_double import remainder as exact_rest
from .text import Value, absolute, call, copysign, select

#: Without a fused multiply-add, sizes between these have halves whose products are exact.
_SIZES = {64: (2.0**-900, 2.0**900), 32: (2.0**-90, 2.0**90)}


def in_range(x: Value, y: Value) -> Value:
    """Whether these functions are exact: not for NaN, infinities, zero as divisor and quotients of too many digits."""
    low, high = _SIZES[x.format.bits]
    a, b = absolute(x), absolute(y)
    inside = (b >= low) & (b < high) & (a < high)
    return inside & (a < b * 2.0**x.format.mantissa)


def fmod(x: Value, y: Value) -> Value:
    """The rest of a division, with the sign of `x`."""
    a, b = absolute(x), absolute(y)
    rest = exact_rest(a, call("trunc", a / b), b)
    return copysign(select(rest < 0.0, rest + b, rest), x)


def remainder(x: Value, y: Value) -> Value:
    """The rest of a division, with the sign of `y`."""
    rest = fmod(x, y)
    moved = select(_signs_differ(rest, y), rest + y, rest)
    return select(rest.equals(0.0), copysign(0.0, y), moved)


def floor_divide(x: Value, y: Value) -> Value:
    """The whole quotient that leaves such a rest."""
    rest = fmod(x, y)
    quotient = (x - rest) / y
    quotient = select(_signs_differ(rest, y), quotient - 1.0, quotient)
    whole = call("floor", quotient)
    whole = select(quotient - whole > 0.5, whole + 1.0, whole)
    return select(quotient.equals(0.0), copysign(0.0, x / y), whole)


def _signs_differ(rest: Value, divisor: Value) -> Value:
    return ((rest < 0.0) ^ (divisor < 0.0)) & ~rest.equals(0.0)
