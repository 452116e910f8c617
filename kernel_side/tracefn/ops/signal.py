"""One-dimensional signals: convolution, interpolation, phase unwrapping."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.dims import maximum, minimum
from ..ir.op import op
from .derivatives import signal as d
from .rules import Length, TensorType, as_one, operand, probe, probed, require_same, typed

_STATIC = frozenset({"mode"})


@op(np.convolve, static=_STATIC, vjp=d.of_convolve)
def convolve(a: Any, v: Any, mode: Any = "full") -> TensorType:
    a, v = as_one(a), as_one(v)
    value = probe(np.convolve, a, v, mode)
    return typed(value, (_overlap(operand(a).size, operand(v).size, mode),))


@op(np.correlate, static=_STATIC, vjp=d.of_correlate)
def correlate(a: Any, v: Any, mode: Any = "valid") -> TensorType:
    a, v = as_one(a), as_one(v)
    value = probe(np.correlate, a, v, mode)
    return typed(value, (_overlap(operand(a).size, operand(v).size, mode),))


def _overlap(n: Length, m: Length, mode: Any) -> Length:
    """How many positions two signals are compared at. A mode can be one of NumPy's numbers, too."""
    if mode in ("full", 2):
        return n + m - 1
    if mode in ("same", 1):
        return maximum(n, m)
    return maximum(n, m) - minimum(n, m) + 1


@op(np.interp, vjp=d.of_interp)
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> TensorType:
    x, xp, fp = as_one(x), as_one(xp), as_one(fp)
    value = probe(np.interp, x, xp, fp, left, right, period)
    require_same(operand(xp).size, operand(fp).size)
    return typed(value, operand(x).shape)


@op(np.unwrap, static=frozenset({"axis"}), vjp=d.of_unwrap)
def unwrap(p: Any, discont: Any = None, axis: Any = -1, *, period: Any = 2 * np.pi) -> TensorType:
    for value in (discont, period):
        if value is not None and operand(value).shape:
            raise TypeError("discont and period must be numbers")
    return probed(operand(p).shape, np.unwrap, as_one(p), discont, axis, period=period)
