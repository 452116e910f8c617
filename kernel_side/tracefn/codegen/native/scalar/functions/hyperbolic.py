"""sinh, cosh, tanh and their inverses, from exponentials and logarithms.

The forms are those of fdlibm (e_sinh.c, e_cosh.c, s_tanh.c, s_asinh.c, e_acosh.c, e_atanh.c), with E = e**x - 1:
sinh x = (E + E / (E + 1)) / 2, tanh x = E / (E + 2) with 2x for x, arcsinh x = log1p(x + x**2 / (1 + sqrt(x**2 + 1))),
arccosh x = log1p(t + sqrt(t * (t + 2))) with t = x - 1, arctanh x = log1p(2x / (1 - x)) / 2.
"""

from __future__ import annotations

from .double_double import two_sum
from .exponential import quarter_exp, scaled_expm1
from .fixed_points import fixed_where, is_nan, is_nan_or_inf, is_nan_or_infinite
from .logarithm import limits, log_of_sum
from .text import Format, Value, absolute, choose, copysign, minimum, select, sqrt


@fixed_where(is_nan_or_infinite)
def sinh(x: Value) -> Value:
    quarter = scaled_expm1(minimum(absolute(x), _past_overflow(x.format)), 2)
    result = quarter * 2.0 + quarter / (quarter + 0.25) * 0.5
    return _odd(x, result)


def cosh(x: Value) -> Value:
    return _cosh_of_size(absolute(x))


@fixed_where(is_nan_or_inf)
def _cosh_of_size(size: Value) -> Value:
    quarter = quarter_exp(minimum(size, _past_overflow(size.format)))
    return quarter * 2.0 + 0.125 / quarter


@fixed_where(is_nan)
def tanh(x: Value) -> Value:
    # Beyond these bounds the result rounds to 1.
    exponential = scaled_expm1(minimum(absolute(x), 20.0 if x.format.bits == 64 else 10.0) * 2.0, 0)
    return copysign(exponential / (exponential + 2.0), x)


@fixed_where(is_nan_or_infinite)
def arcsinh(x: Value) -> Value:
    size = absolute(x)
    large, bounded = _large(size)
    square = bounded * bounded
    argument = bounded + square / (sqrt(square + 1.0) + 1.0)
    return _odd(x, _log1p_or_log_2(large, argument, size))


@fixed_where(is_nan_or_inf, harmless=1.0)
def arccosh(x: Value) -> Value:
    large, bounded = _large(x)
    above = bounded - 1.0
    # The root of a negative number raises the flag that is due where x < 1.
    argument = above + sqrt(above * (absolute(above) + 2.0))
    return select(x < 1.0, argument, _log1p_or_log_2(large, argument, x))


@fixed_where(is_nan)
def arctanh(x: Value) -> Value:
    size = absolute(x)
    special, limit = limits(1.0 - size)
    inside = select(special, 0.5, size)
    argument = inside / (1.0 - inside) * 2.0
    result = log_of_sum(*two_sum(argument, 1.0)) * 0.5
    return _odd(x, select(special, -limit, result))


def _past_overflow(format: Format) -> float:
    """A number whose hyperbolic sine and cosine overflow, while a quarter of its exponential does not."""
    return 710.6 if format.bits == 64 else 89.6


def _odd(x: Value, result: Value) -> Value:
    """The result for |x| with the sign of x; x itself where the function rounds to it."""
    return copysign(select(absolute(x) < 2.0 ** -(x.format.mantissa // 2 + 2), x, result), x)


def _large(size: Value) -> tuple[Value, Value]:
    """Where the square plus one rounds to the square, and the numbers with those replaced by one."""
    large = size > 2.0 ** (size.format.mantissa // 2 + 2)
    return large, select(large, 1.0, size)


def _log1p_or_log_2(large: Value, argument: Value, size: Value) -> Value:
    """log(1 + argument), and log(2 * size) where that is large."""
    total, rest = two_sum(argument, 1.0)
    doublings = choose(large, size, 1.0, 0.0)
    return log_of_sum(select(large, size, total), select(large, 0.0, rest), doublings)
