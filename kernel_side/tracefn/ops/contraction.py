"""Ops that multiply and sum over pairs of axes: dot, outer, tensordot, kron, cross."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.op import op
from . import warns
from .derivatives import contraction as derivative
from .rules import (
    Dim,
    Shape,
    TensorType,
    axes_of,
    axis_of,
    broadcast_shapes,
    operand,
    probe_at,
    probed,
    require_same,
    typed,
)


def dot_shape(left: Shape, right: Shape) -> Shape:
    """The shape of `np.dot`: the last axis of the left against the last but one of the right."""
    if not left or not right:
        return left or right
    row = max(len(right) - 2, 0)
    require_same(left[-1], right[row])
    return (*left[:-1], *right[:row], *right[row + 1 :])


@op(np.dot, warns=warns.unless_integer_arrays, vjp=derivative.dot)
def dot(a: Any, b: Any, out: Any = None) -> TensorType:
    a, b = operand(a), operand(b)
    return probed(dot_shape(a.shape, b.shape), np.dot, a, b)


@op(np.inner, vjp=derivative.inner)
def inner(a: Any, b: Any, /) -> TensorType:
    a, b = operand(a), operand(b)
    if not a.shape or not b.shape:
        return probed(a.shape or b.shape, np.inner, a, b)
    require_same(a.shape[-1], b.shape[-1])
    return probed((*a.shape[:-1], *b.shape[:-1]), np.inner, a, b)


@op(np.outer, warns=warns.unless_integer_arrays, fresh_memory=True, vjp=derivative.outer)
def outer(a: Any, b: Any, out: Any = None) -> TensorType:
    a, b = operand(a), operand(b)
    return probed((a.size, b.size), np.outer, a, b)


@op(np.linalg.outer, vjp=derivative.linalg_outer)
def linalg_outer(x1: Any, x2: Any, /) -> TensorType:
    a, b = operand(x1), operand(x2)
    return probed((*a.shape, *b.shape), np.linalg.outer, a, b)


@op(np.vdot, vjp=derivative.vdot)
def vdot(a: Any, b: Any, /) -> TensorType:
    a, b = operand(a), operand(b)
    require_same(a.size, b.size)
    return probed((), np.vdot, a, b)


@op(np.tensordot, np.linalg.tensordot, static=frozenset({"axes"}), vjp=derivative.tensordot)
def tensordot(a: Any, b: Any, axes: Any = 2) -> TensorType:
    a, b = operand(a), operand(b)
    left, right = axes if isinstance(axes, list | tuple | np.ndarray) else (range(-axes, 0), range(axes))
    left, right = (axes_of(_several(given), t.ndim) for given, t in ((left, a), (right, b)))
    for i, k in zip(left, right, strict=True):
        require_same(a.shape[i], b.shape[k])
    rest = [n for i, n in enumerate(a.shape) if i not in left] + [n for k, n in enumerate(b.shape) if k not in right]
    return probed(tuple(rest), np.tensordot, a, b, axes=(left, right))


def _several(axes: Any) -> tuple[Any, ...]:
    return tuple(axes) if isinstance(axes, list | tuple | range | np.ndarray) else (axes,)


@op(np.kron, vjp=derivative.kron)
def kron(a: Any, b: Any) -> TensorType:
    a, b = operand(a), operand(b)
    ndim = max(a.ndim, b.ndim)
    left, right = ((1,) * (ndim - t.ndim) + t.shape for t in (a, b))
    return probed(tuple(n * m for n, m in zip(left, right, strict=True)), np.kron, a, b)


@op(np.cross, static=frozenset({"axisa", "axisb", "axisc", "axis"}), vjp=derivative.cross)
def cross(a: Any, b: Any, axisa: Any = -1, axisb: Any = -1, axisc: Any = -1, axis: Any = None) -> TensorType:
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = operand(a), operand(b)
    i, k = axis_of(axisa, a.ndim), axis_of(axisb, b.ndim)
    lengths = {a.shape[i], b.shape[k]}
    if any(isinstance(n, Dim) for n in lengths):
        raise TypeError("whether np.cross works on vectors of 2 or of 3 numbers is not known while tracing")
    if not lengths <= {2, 3}:
        raise ValueError("np.cross is for vectors of 2 or 3 numbers")
    shape = broadcast_shapes(_without(a.shape, i), _without(b.shape, k))
    length = 3 if 3 in lengths else 2
    if length == 3:
        place = axis_of(axisc, len(shape) + 1)
        shape = (*shape[:place], 3, *shape[place:])
    return typed(probe_at(length, np.cross, a, b), shape)


@op(np.linalg.cross, static=frozenset({"axis"}), vjp=derivative.linalg_cross)
def linalg_cross(x1: Any, x2: Any, /, *, axis: Any = -1) -> TensorType:
    a, b = operand(x1), operand(x2)
    i, k = axis_of(axis, a.ndim), axis_of(axis, b.ndim)
    require_same(a.shape[i], 3)
    require_same(b.shape[k], 3)
    shape = broadcast_shapes(_without(a.shape, i), _without(b.shape, k))
    place = axis_of(axis, len(shape) + 1)
    return typed(probe_at(3, np.linalg.cross, a, b), (*shape[:place], 3, *shape[place:]))


def _without(shape: Shape, axis: int) -> Shape:
    return (*shape[:axis], *shape[axis + 1 :])
