"""Derivatives of the functions of `math` that NumPy has not, or has with other parameters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .elementwise import of_remainder

Cotangents = tuple[Any, ...]


def of_log(g: Any, out: Any, x: Any, base: Any = None) -> Cotangents:
    if base is None:
        return (g / x,)
    log = np.log(base)
    return g / (x * log), -g * out / (base * log)


def of_hypot(g: Any, out: Any, *coordinates: Any) -> Cotangents:
    return tuple([np.where(out == 0, 0, g * np.divide(x, np.where(out == 0, 1, out))) for x in coordinates])


def digamma(x: Any) -> Any:
    """The derivative of the logarithm of the gamma function.

    Abramowitz and Stegun, Handbook of Mathematical Functions: reflection 6.3.7, recurrence 6.3.5, series 6.3.18.
    """
    is_low = np.less(x, 0.5)
    away = np.where(is_low, 1 - x, x)
    below: Any = 0
    for i in range(8):
        below = below + 1 / (away + i)
    far = away + 8
    square = 1 / (far * far)
    series: Any = 0
    for term in (-1 / 12, 691 / 32760, -1 / 132, 1 / 240, -1 / 252, 1 / 120, -1 / 12):
        series = (series + term) * square
    found = np.log(far) - 0.5 / far + series - below
    return np.where(is_low, found - np.pi / np.tan(np.pi * np.where(is_low, x, 0.5)), found)


PARTIALS: dict[str, tuple[Any, ...]] = {
    "erf": (lambda out, x: 2 / math.sqrt(math.pi) * np.exp(-x * x),),
    "erfc": (lambda out, x: -2 / math.sqrt(math.pi) * np.exp(-x * x),),
    "gamma": (lambda out, x: out * digamma(x),),
    "lgamma": (lambda out, x: digamma(x),),
    "remainder": (1, of_remainder),
    "fma": (lambda out, x, y, z: y, lambda out, x, y, z: x, 1),
    "ulp": (0,),
}
"""Partial derivatives, by the names of the functions."""
