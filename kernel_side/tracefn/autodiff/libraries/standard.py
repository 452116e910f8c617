"""The rules of functions of Python's `math` that take several numbers at once, and of `cmath`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir.op import by_call
from ...ops.derivatives import python_math, reduce
from ...ops.derivatives.common import as_array
from ...ops.derivatives.elementwise import of_angle

Rule = Callable[..., Any]


def _fsum(g: Any, out: Any, seq: Any) -> Any:
    return (_each(seq, lambda values: np.broadcast_to(g, values.shape)),)


def _prod(g: Any, out: Any, iterable: Any, *, start: Any = 1) -> Any:
    product = as_array(iterable)
    found = _each(iterable, lambda values: reduce.of_prod(g * start, out, values)[0])
    return found, {"start": g * np.prod(product)}


def _dist(g: Any, out: Any, p: Any, q: Any) -> Any:
    """Of the distance of two points: 0 where they are one."""
    away = as_array(p) - as_array(q)
    by_p = np.where(out == 0, 0, g * away / np.where(out == 0, 1, out))
    return _each(p, lambda values: by_p), _each(q, lambda values: -by_p)


def _each(given: Any, rule: Callable[[Any], Any]) -> Any:
    """The result of a rule for an array, in the structure of the argument."""
    found = rule(as_array(given))
    return type(given)([found[i] for i in range(len(given))]) if isinstance(given, list | tuple) else found


def _of_ufunc(ufunc: np.ufunc) -> Rule:
    op = by_call(ufunc)
    assert op is not None and op.partials is not None
    partial = op.partials[0]
    return lambda g, out, z: (g * partial(out, z),)


def _polar(g: Any, out: Any, z: Any) -> Any:
    by_length, by_angle = [0 if part is None else part for part in g]
    length = np.abs(z)
    return (by_length * np.conj(z) / length - 1j * by_angle / z,)


def _rect(g: Any, out: Any, r: Any, phi: Any) -> Any:
    turned = np.exp(1j * phi)
    return np.real(g * turned), np.real(g * 1j * r * turned)


_SAME = "acos acosh asin asinh atan atanh cos cosh exp log10 sin sinh sqrt tan tanh"
"""The functions of `cmath` that are as NumPy's of the same name."""

RULES: dict[str, Rule] = {
    "math.fsum": _fsum,
    "math.prod": _prod,
    "math.dist": _dist,
    **{f"cmath.{name}": _of_ufunc(getattr(np, name)) for name in _SAME.split()},
    "cmath.log": python_math.of_log,
    "cmath.phase": of_angle,
    "cmath.polar": _polar,
    "cmath.rect": _rect,
}
"""The rules by the names under which users reach the functions."""
