"""Running totals, differences and integrals along an axis."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.dims import maximum
from ..ir.op import Combines, Op, method, numpy_name, op, register
from . import warns
from .derivatives import cumulative as d
from .reduce import NO_VALUE
from .rules import (
    Length,
    Shape,
    TensorType,
    as_one,
    axes_of,
    axis_of,
    broadcast_shapes,
    operand,
    probe,
    probe_at,
    probed,
    require_same,
    typed,
)

_STATIC = frozenset({"axis", "dtype", "n", "include_initial", "edge_order"})


def with_length(shape: Shape, axis: int, length: Length) -> Shape:
    """The shape with another length along one axis."""
    return (*shape[:axis], length, *shape[axis + 1 :])


def running(call: Callable[..., Any], **facts: Any) -> Op:
    """Registers a running total, over the flattened array where no axis is given."""

    def rule(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> TensorType:
        a = operand(a)
        return probed((a.size,) if axis is None else a.shape or (1,), call, a, axis=axis, dtype=dtype)

    return register(Op(numpy_name(call), call, rule, static=_STATIC, **facts))


def running_array_api(call: Callable[..., Any], **facts: Any) -> Op:
    """Registers a running total in the form of the array API standard, which can start with the neutral element."""

    def rule(
        x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: Any = False
    ) -> TensorType:
        x = operand(x)
        value = probe(call, x, axis=axis, dtype=dtype, include_initial=include_initial)
        shape = x.shape or (1,)
        along = 0 if axis is None else axis_of(axis, len(shape))
        return typed(value, with_length(shape, along, shape[along] + (1 if include_initial else 0)))

    return register(Op(numpy_name(call), call, rule, static=_STATIC, **facts))


_METHOD = method("axis dtype", warns=True)

cumprod = running(
    np.cumprod, fresh_memory=True, combines=Combines(np.multiply, is_running=True), method=_METHOD, vjp=d.of_cumprod
)
cumsum = running(
    np.cumsum,
    warns=warns.unless_integer_arrays,
    fresh_memory=True,
    combines=Combines(np.add, is_running=True),
    method=_METHOD,
    vjp=d.of_cumsum,
)
nancumprod = running(np.nancumprod, vjp=d.of_nancumprod)
nancumsum = running(np.nancumsum, vjp=d.of_nancumsum)

if hasattr(np, "cumulative_sum"):  # NumPy 2.1
    cumulative_prod = running_array_api(np.cumulative_prod, vjp=d.of_cumulative_prod)
    cumulative_sum = running_array_api(np.cumulative_sum, vjp=d.of_cumulative_sum)


def _undifferenced(args: tuple[Any, ...], kwargs: dict[str, Any], output: int) -> Any:
    """`np.diff(a, 0)` is `a` itself."""
    return args[0] if kwargs.get("n") == 0 else None


@op(np.diff, view=_undifferenced, static=_STATIC, vjp=d.of_diff)
def diff(a: Any, n: Any = 1, axis: Any = -1, prepend: Any = NO_VALUE, append: Any = NO_VALUE) -> TensorType:
    a = operand(a)
    if operator.index(n) == 0:
        return a
    value = probe(np.diff, a, n=n, axis=axis, prepend=as_one(prepend), append=as_one(append))
    along = axis_of(axis, a.ndim)
    length = a.shape[along]
    for piece in (prepend, append):
        if piece is NO_VALUE:
            continue
        shape = operand(piece).shape
        for i in range(len(shape)):
            if i != along:
                require_same(shape[i], a.shape[i])
        length = length + (shape[along] if shape else 1)
    return typed(value, with_length(a.shape, along, maximum(length - operator.index(n), 0)))


@op(np.ediff1d, vjp=d.of_ediff1d)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> TensorType:
    ary = operand(ary)
    length = maximum(ary.size - 1, 0)
    for piece in (to_end, to_begin):
        length = length + (0 if piece is None else operand(piece).size)
    return probed((length,), np.ediff1d, ary, to_end, to_begin)


@op(np.gradient, static=_STATIC, vjp=d.of_gradient)
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: Any = 1) -> Any:
    f = operand(f)
    least = operator.index(edge_order) + 1
    value = probe_at(least, np.gradient, f, *map(operand, varargs), axis=axis, edge_order=edge_order)
    axes = axes_of(axis, f.ndim)
    for i in axes:
        length = f.shape[i]
        if isinstance(length, int) and length < least:
            raise ValueError(f"axis {i} has {length} elements, {least} are needed")
    spacings = [operand(v) for v in varargs]
    for i, spacing in zip(axes, spacings, strict=False):
        if spacing.shape:
            require_same(spacing.shape[0], f.shape[i])
    return tuple([typed(v, f.shape) for v in value]) if isinstance(value, tuple) else typed(value, f.shape)


@op(np.trapezoid, static=_STATIC, vjp=d.of_trapezoid)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> TensorType:
    y = operand(y)
    along = axis_of(axis, y.ndim)
    steps = maximum(y.shape[along] - 1, 0)
    if x is None:
        widths = operand(dx).shape
    else:
        points = operand(x)
        where = 0 if points.ndim == 1 else axis_of(axis, points.ndim)
        widths = with_length(points.shape, where, maximum(points.shape[where] - 1, 0))
        if points.ndim == 1:
            widths = with_length((1,) * y.ndim, along, widths[0])
    shape = broadcast_shapes(widths, with_length(y.shape, along, steps))
    summed = axis_of(axis, len(shape))
    return probed((*shape[:summed], *shape[summed + 1 :]), np.trapezoid, y, as_one(x), as_one(dx), axis)
