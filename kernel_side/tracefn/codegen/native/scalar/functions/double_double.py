"""Numbers as unevaluated sums of two: sums and products without a rounding error.

Sources: T. J. Dekker, "A floating-point technique for extending the available precision", 1971; D. E. Knuth, The Art of
Computer Programming 2, 4.2.2 (two_sum).
"""

from __future__ import annotations

from .text import Operand, Value, call


def two_sum(x: Value, y: Operand) -> tuple[Value, Value]:
    """x + y exactly: the rounded sum, and its error."""
    total = x + y
    second = total - x
    return total, (x - (total - second)) + (-second + y)


def quick_two_sum(larger: Value, smaller: Operand) -> tuple[Value, Value]:
    """larger + smaller exactly, for |larger| >= |smaller| (or larger == 0)."""
    total = larger + smaller
    return total, -(total - larger) + smaller


def two_product(x: Value, y: Operand) -> tuple[Value, Value]:
    """x * y exactly: the rounded product, and its error. Without a fused multiply-add, |x| and |y| < 2**970."""
    product = x * y
    if x.body.fma:
        return product, call("fma", x, y, -product)
    x_high, x_low = _halves(x)
    y_high, y_low = _halves(y if isinstance(y, Value) else x.constant(y))
    error = x_high * y_high - product
    return product, ((error + x_high * y_low) + x_low * y_high) + x_low * y_low


def remainder(x: Value, y: Value, z: Value) -> Value:
    """x - y * z, where most of that cancels."""
    if x.body.fma:
        return call("fma", -y, z, x)
    product, error = two_product(y, z)
    return (x - product) - error


def _halves(x: Value) -> tuple[Value, Value]:
    """x as a sum of two numbers whose products are exact (Veltkamp's splitting)."""
    scaled = x * (2.0 ** ((x.format.mantissa + 2) // 2) + 1)
    high = scaled - (scaled - x)
    return high, x - high
