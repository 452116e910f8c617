"""Functions of `np.emath`, which leave the real numbers where they have to.

Whether the result is complex depends on the values, unless an argument is complex: other calls are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.op import Op, op, register
from . import elementwise
from .rules import TensorType, broadcast_shapes, operand, probed


def _require_complex(name: str, *values: TensorType) -> None:
    if not any(v.dtype.kind == "c" for v in values):
        raise TypeError(
            f"whether np.emath.{name} of real numbers gives real or complex numbers depends on the values, which are "
            "not known while tracing; pass complex numbers: x + 0j"
        )


def complex_function(call: Callable[..., Any], same: Op) -> Op:
    """Registers a function of one argument, with the derivative of the ufunc that is the same on complex numbers."""

    def rule(x: Any) -> TensorType:
        x = operand(x)
        _require_complex(call.__name__, x)
        return probed(x.shape, call, x)

    return register(Op(f"emath.{call.__name__}", call, rule, partials=same.partials, singular=same.singular))


arccos = complex_function(np.emath.arccos, elementwise.arccos)
arcsin = complex_function(np.emath.arcsin, elementwise.arcsin)
arctanh = complex_function(np.emath.arctanh, elementwise.arctanh)
log = complex_function(np.emath.log, elementwise.log)
log10 = complex_function(np.emath.log10, elementwise.log10)
log2 = complex_function(np.emath.log2, elementwise.log2)
sqrt = complex_function(np.emath.sqrt, elementwise.sqrt)


@op(
    np.emath.logn,
    name="emath.logn",
    partials=(lambda out, n, x: -out / (n * np.log(n + 0j)), lambda out, n, x: 1 / (x * np.log(n + 0j))),
)
def logn(n: Any, x: Any) -> TensorType:
    n, x = operand(n), operand(x)
    _require_complex("logn", n, x)
    return probed(broadcast_shapes(n.shape, x.shape), np.emath.logn, n, x)


@op(np.emath.power, name="emath.power", partials=elementwise.power.partials)
def power(x: Any, p: Any) -> TensorType:
    x, p = operand(x), operand(p)
    _require_complex("power", x, p)
    if p.dtype.kind not in "fc":
        raise TypeError("np.emath.power turns negative integers into floats; pass the exponent as a float")
    return probed(broadcast_shapes(x.shape, p.shape), np.emath.power, x, p)
