"""Ops that move, add, drop or reverse whole axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..ir.dims import definitely_different
from ..ir.op import method, op
from . import warns
from .derivatives.movement import shape as derivative
from .derivatives.movement.scatter import reshaped
from .rules import Dim, TensorType, array, axes_of, broadcast_shapes, each_its_own, operand, result, view_of


def moved(call: Callable[..., Any], value: TensorType, *args: Any, **kwargs: Any) -> TensorType:
    """The type of a view that only moves or reverses axes.

    NumPy makes the view of one element, whose strides number its axes.
    """
    one = as_strided(np.empty((), np.uint8), (1,) * value.ndim, range(1, value.ndim + 1))
    view = call(one, *args, **kwargs)
    return view_of(value, tuple(value.shape[abs(stride) - 1] for stride in view.strides))


@op(np.transpose, view=True, method=method(), static=frozenset({"axes"}), warns=warns.never, vjp=derivative.transpose)
def transpose(a: Any, axes: Any = None) -> TensorType:
    return moved(np.transpose, operand(a), axes)


@op(
    np.matrix_transpose,
    np.linalg.matrix_transpose,
    view=True,
    warns=warns.never,
    vjp=lambda g, out, x: (np.matrix_transpose(g),),
)
def matrix_transpose(x: Any, /) -> TensorType:
    return moved(np.matrix_transpose, operand(x))


@op(
    np.swapaxes,
    view=True,
    method=method(),
    static=frozenset({"axis1", "axis2"}),
    warns=warns.never,
    vjp=lambda g, out, a, i, k: (np.swapaxes(g, i, k),),
)
def swapaxes(a: Any, axis1: Any, axis2: Any) -> TensorType:
    return moved(np.swapaxes, operand(a), axis1, axis2)


@op(np.moveaxis, view=True, static=frozenset({"source", "destination"}), warns=warns.never, vjp=derivative.moveaxis)
def moveaxis(a: Any, source: Any, destination: Any) -> TensorType:
    return moved(np.moveaxis, operand(a), source, destination)


@op(np.rollaxis, view=True, static=frozenset({"axis", "start"}), warns=warns.never, vjp=derivative.rollaxis)
def rollaxis(a: Any, axis: Any, start: Any = 0) -> TensorType:
    return moved(np.rollaxis, operand(a), axis, start)


@op(np.expand_dims, view=True, static=frozenset({"axis"}), warns=warns.never, vjp=reshaped)
def expand_dims(a: Any, axis: Any) -> TensorType:
    a = operand(a)
    added = axis if isinstance(axis, tuple | list) else (axis,)
    ndim = a.ndim + len(added)
    added = axes_of(added, ndim)
    lengths = iter(a.shape)
    return view_of(a, tuple(1 if i in added else next(lengths) for i in range(ndim)))


@op(np.squeeze, view=True, method=method("axis"), static=frozenset({"axis"}), warns=warns.never, vjp=reshaped)
def squeeze(a: Any, axis: Any = None) -> TensorType:
    a = operand(a)
    if axis is None:
        unknown = [i for i, n in enumerate(a.shape) if isinstance(n, Dim)]
        if unknown:
            raise ValueError(
                f"whether np.squeeze drops axis {unknown[0]} depends on its length, which is not known while tracing; "
                "name the axes to drop with axis="
            )
        return view_of(a, tuple(n for n in a.shape if n != 1))
    dropped = axes_of(axis, a.ndim)
    if any(definitely_different(a.shape[i], 1) for i in dropped):
        raise ValueError("an axis to squeeze is not of length 1")
    return view_of(a, tuple(n for i, n in enumerate(a.shape) if i not in dropped))


@op(
    np.flip,
    view=True,
    static=frozenset({"axis"}),
    warns=warns.never,
    vjp=lambda g, out, m, axis=None: (np.flip(g, axis),),
)
def flip(m: Any, axis: Any = None) -> TensorType:
    m = operand(m)
    axes_of(axis, m.ndim)
    return result(m.dtype, m.shape)


@op(np.fliplr, view=True, warns=warns.never, vjp=lambda g, out, m: (np.fliplr(g),))
def fliplr(m: Any) -> TensorType:
    return _same_array(m, 2)


@op(np.flipud, view=True, warns=warns.never, vjp=lambda g, out, m: (np.flipud(g),))
def flipud(m: Any) -> TensorType:
    return _same_array(m, 1)


def _same_array(value: Any, least_ndim: int) -> TensorType:
    value = operand(value)
    if value.ndim < least_ndim:
        raise ValueError(f"an array of {least_ndim} dimensions or more is needed")
    return array(value.dtype, value.shape)


@op(np.rot90, view=True, static=frozenset({"k", "axes"}), warns=warns.never, vjp=derivative.rot90)
def rot90(m: Any, k: Any = 1, axes: Any = (0, 1)) -> TensorType:
    return moved(np.rot90, operand(m), k, axes)


@op(np.roll, static=frozenset({"axis"}), warns=warns.never, fresh_memory=True, vjp=derivative.roll)
def roll(a: Any, shift: Any, axis: Any = None) -> TensorType:
    a = operand(a)
    axes = (0,) if axis is None else axis if isinstance(axis, tuple | list) else (axis,)
    for one in axes:
        axes_of(one, a.ndim if axis is not None else 1)
    if len(broadcast_shapes(operand(shift).shape, (len(axes),))) > 1:
        raise ValueError("shift is not one number, or one for each axis")
    return array(a.dtype, a.shape)


@op(np.atleast_1d, view=each_its_own, vjp=derivative.each)
def atleast_1d(*arys: Any) -> TensorType | tuple[TensorType, ...]:
    return _padded(arys, lambda shape: shape or (1,))


@op(np.atleast_2d, view=each_its_own, vjp=derivative.each)
def atleast_2d(*arys: Any) -> TensorType | tuple[TensorType, ...]:
    return _padded(arys, lambda shape: (1,) * (2 - len(shape)) + shape)


@op(np.atleast_3d, view=each_its_own, vjp=derivative.each)
def atleast_3d(*arys: Any) -> TensorType | tuple[TensorType, ...]:
    def three(shape: Any) -> Any:
        return shape if len(shape) > 2 else (*shape, 1) if len(shape) == 2 else (1, *(shape or (1,)), 1)

    return _padded(arys, three)


def _padded(values: tuple[Any, ...], new_shape: Callable[[Any], Any]) -> TensorType | tuple[TensorType, ...]:
    found = tuple(array(value.dtype, new_shape(value.shape)) for value in map(operand, values))
    return found[0] if len(found) == 1 else found
