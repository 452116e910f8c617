"""Derivatives of functions that work element by element."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .common import conjugated, masked, number, of_array, rounded, safe, widened


def of_absolute(out: Any, x: Any) -> Any:
    """The sign, which is 0 at 0; of a complex number, conjugated."""
    return conjugated(np.sign(x))


def of_sign(g: Any, out: Any, x: Any, **options: Any) -> tuple[Any]:
    """Of a complex number `z / |z|`, which turns with z; of a real one 0."""
    if not np.iscomplexobj(x):
        return (None,)
    g = masked(g, options.get("where", True))
    size = safe(np.abs(x))
    return ((g - np.conjugate(out) * np.real(g * out)) / size,)


def of_conjugate(g: Any, out: Any, x: Any, **options: Any) -> tuple[Any]:
    return (masked(np.conjugate(g), options.get("where", True)),)


def reciprocal(y: Any) -> Any:
    """`1 / y`; of the number 0 as NumPy has it, where Python raises."""
    if type(y) not in (bool, int, float, complex) or y:
        return 1 / y
    return complex(math.nan, math.nan) if type(y) is complex else math.copysign(math.inf, y)


def of_arctan2_by_y(out: Any, y: Any, x: Any) -> Any:
    x = widened(x, out)
    return x / (x * x + y * y)


def of_arctan2_by_x(out: Any, y: Any, x: Any) -> Any:
    y = widened(y, out)
    return -y / (x * x + y * y)


def of_hypot_by_x(out: Any, x: Any, y: Any) -> Any:
    """`x / out`; 0 at the origin, and a sign where x is infinite."""
    return np.where(np.isinf(x), np.sign(x), x / safe(out))


def of_hypot_by_y(out: Any, x: Any, y: Any) -> Any:
    return of_hypot_by_x(out, y, x)


def of_copysign(out: Any, x: Any, y: Any) -> Any:
    return np.sign(x) * np.copysign(number(1, out), y)


def of_logaddexp_by_x(out: Any, x: Any, y: Any) -> Any:
    """`exp(x - out)`, which is 1/2 for two equal infinities."""
    return np.exp(_share_of_exponent(out, x, y, math.log(2)))


def of_logaddexp_by_y(out: Any, x: Any, y: Any) -> Any:
    return of_logaddexp_by_x(out, y, x)


def of_logaddexp2_by_x(out: Any, x: Any, y: Any) -> Any:
    return np.exp2(_share_of_exponent(out, x, y, 1))


def of_logaddexp2_by_y(out: Any, x: Any, y: Any) -> Any:
    return of_logaddexp2_by_x(out, y, x)


def _share_of_exponent(out: Any, x: Any, y: Any, half: float) -> Any:
    infinite = np.where(y == out, number(-half, out), number(0, out))
    return np.where(x == out, infinite, x - out)


def of_extremum_by_x(out: Any, x: Any, y: Any) -> Any:
    """1 where x is the extremum, 1/2 where both are. A result of less precision is that of rounded operands."""
    x, y = rounded(x, out), rounded(y, out)
    return np.where(x == out, np.where(y == out, number(0.5, out), number(1, out)), number(0, out))


def of_extremum_by_y(out: Any, x: Any, y: Any) -> Any:
    return of_extremum_by_x(out, y, x)


def of_heaviside_by_y(out: Any, x: Any, y: Any) -> Any:
    return np.where(x == 0, number(1, out), number(0, out))


def of_remainder(out: Any, x: Any, y: Any) -> Any:
    """By the divisor: minus the whole number of times that it was taken."""
    return np.rint((out - x) / y)


def of_power_by_base(out: Any, x: Any, y: Any) -> Any:
    """`y * x**(y - 1)`, which is 0 for an exponent of 0, also at 0."""
    if type(y) in (int, float):
        if y in (0, 1, 2):
            return number(0, out) if y == 0 else number(1, out) if y == 1 else 2 * x
        return y * (x ** (y - 1) if y > 1 else np.power(x, y - 1.0))  # Python has no negative power of 0
    y = widened(y, out)
    return np.where(y == 0, 0, y * np.power(x, np.where(y == 0, 1, y - 1)))


def of_power_by_exponent(out: Any, x: Any, y: Any) -> Any:
    """`out * log(x)`, which is 0 for a base of 0. A complex power of a negative number has a complex logarithm."""
    base = safe(widened(x, out))
    return out * (np.log(base, dtype=out.dtype) if np.iscomplexobj(out) else np.log(base))


def of_divmod(g: Any, out: Any, x: Any, y: Any, **options: Any) -> tuple[Any, Any]:
    """The quotient is a whole number: the remainder alone changes."""
    if g[1] is None:
        return None, None
    g = masked(g[1], options.get("where", True))
    return g, g * -np.floor_divide(x, y)


def of_modf(g: Any, out: Any, x: Any, **options: Any) -> tuple[Any]:
    return (None if g[0] is None else masked(g[0], options.get("where", True)),)


def of_frexp(g: Any, out: Any, x: Any, **options: Any) -> tuple[Any]:
    if g[0] is None:
        return (None,)
    exponent = np.frexp(x)[1]
    return (masked(np.ldexp(g[0], -exponent), options.get("where", True)),)


def of_sinc(out: Any, x: Any) -> Any:
    """`(cos(pi x) - sinc(x)) / x`, near 0 by its series, so that derivatives of any order are right there, too."""
    near = np.abs(x) < 0.25
    away = np.where(near, 1, x)
    square = np.where(near, (np.pi * x) ** 2, 0)
    series: Any = 0
    for term in _SINC_SERIES:
        series = series * square + term
    return np.where(near, series * np.pi**2 * x, (np.cos(np.pi * away) - np.sinc(away)) / away)


def _sinc_series(count: int) -> list[float]:
    """The coefficients of `sinc'(x) / (pi**2 x)` by powers of `(pi x)**2`, the highest first."""
    terms, factorial = [], 1.0
    for k in range(1, count + 1):
        factorial *= 2 * k * (2 * k + 1)
        terms.append((-1) ** k * 2 * k / factorial)
    return terms[::-1]


_SINC_SERIES = _sinc_series(9)


def of_i0(out: Any, x: Any) -> Any:
    """The modified Bessel function of order 1, as the mean of `exp(x cos t) cos t` over a period.

    Abramowitz and Stegun, Handbook of Mathematical Functions, 9.6.19. The trapezoidal rule converges exponentially.
    """
    cosines = np.cos((np.arange(128) + 0.5) * (np.pi / 128))
    return np.mean(np.exp(np.expand_dims(x, -1) * cosines) * cosines, axis=-1)


def cosine_of_arcsine(x: Any) -> Any:
    """`sqrt(1 - x**2)`. Of complex numbers on a cut, whose imaginary part is 0, on the side that the sign of that zero
    says, which products and sums lose."""
    return np.sqrt(-(x - 1)) * np.sqrt(x - -1) if np.iscomplexobj(x) else np.sqrt(1 - x * x)


def of_angle(g: Any, out: Any, z: Any, deg: Any = False) -> tuple[Any]:
    """Of a complex number, the imaginary part of its logarithm; of a real one a step."""
    if not np.iscomplexobj(z):
        return (None,)
    return (g * (180 / np.pi if deg else 1) * -1j / z,)


@of_array
def of_clip(
    g: Any, out: Any, a: Any, a_min: Any = None, a_max: Any = None, **options: Any
) -> tuple[Any, dict[str, Any]]:
    """As of `minimum(maximum(a, low), high)`: elements that equal a bound share with it."""
    bounds = {"a_min": a_min, "a_max": a_max, "min": options.get("min"), "max": options.get("max")}
    bounds = {name: b for name, b in bounds.items() if b is not None and b is not np._NoValue}
    g = masked(g, options.get("where", True))
    found: dict[str, Any] = {}
    low = next((name for name in ("a_min", "min") if name in bounds), None)
    high = next((name for name in ("a_max", "max") if name in bounds), None)
    raised = a if low is None else np.maximum(a, bounds[low])
    if high is not None:
        found[high] = g * of_extremum_by_y(out, raised, bounds[high])
        g = g * of_extremum_by_x(out, raised, bounds[high])
    if low is not None:
        found[low] = g * of_extremum_by_y(raised, a, bounds[low])
        g = g * of_extremum_by_x(raised, a, bounds[low])
    return g, found


@of_array
def of_nan_to_num(
    g: Any, out: Any, x: Any, copy: Any = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> tuple[Any, dict[str, Any]]:
    """Finite elements pass; the replacements take the cotangents in their places. Complex numbers: each part alone."""
    if np.iscomplexobj(x):
        return np.real(g) * np.isfinite(np.real(x)) + 1j * (np.imag(g) * np.isfinite(np.imag(x))), {}
    given = {"nan": (nan, np.isnan(x)), "posinf": (posinf, np.isposinf(x)), "neginf": (neginf, np.isneginf(x))}
    found = {name: np.where(place, g, 0) for name, (value, place) in given.items() if value is not None}
    return np.where(np.isfinite(x), g, 0), found
