"""Evenly spaced numbers between two values."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..ir.op import op
from .derivatives import create as derivative
from .grids import length_of
from .rules import (
    Dim,
    Length,
    Shape,
    TensorType,
    as_one,
    axis_of,
    broadcast_shapes,
    operand,
    perhaps,
    probe,
    probed,
    typed,
)

_STATIC = frozenset({"endpoint", "retstep", "dtype", "axis", "device"})


def _shape(num: Length, axis: Any, *values: Any) -> Shape:
    """The shape of `num` numbers along an axis that is put into the shape of the values."""
    shape = broadcast_shapes(*[operand(v).shape for v in values])
    place = axis_of(axis, len(shape) + 1)
    return (*shape[:place], num, *shape[place:])


def _few(num: Any) -> tuple[Length, int]:
    """How many numbers are asked for, and a number to probe with."""
    if isinstance(num, TensorType):
        return length_of(num), 2
    return (num, 2) if isinstance(num, Dim) else (operator.index(num), min(operator.index(num), 2))


def _may_be_negative(start: Any, stop: Any, num: Any = 50, *args: Any, **kwargs: Any) -> bool:
    return isinstance(num, TensorType)


@op(np.linspace, static=_STATIC, fresh_dims=True, raises=_may_be_negative, vjp=derivative.linspace)
def linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: Any = True,
    retstep: Any = False,
    dtype: Any = None,
    axis: Any = 0,
    *,
    device: Any = None,
) -> Any:
    start, stop, (count, few) = as_one(start), as_one(stop), _few(num)
    value = probe(np.linspace, start, stop, few, endpoint, retstep, dtype, axis, device=device)
    shape = _shape(count, axis, start, stop)
    if not retstep:
        return typed(value, shape)
    # Fewer than two numbers have no step: NumPy returns a Python nan.
    step_shape = broadcast_shapes(operand(start).shape, operand(stop).shape) if np.ndim(value[1]) else ()
    return typed(value[0], shape), typed(value[1], step_shape)


@op(np.logspace, static=_STATIC, fresh_dims=True, raises=_may_be_negative, vjp=derivative.logspace)
def logspace(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, base: Any = 10.0, dtype: Any = None, axis: Any = 0
) -> TensorType:
    start, stop, base, (count, few) = as_one(start), as_one(stop), as_one(base), _few(num)
    return probed(_shape(count, axis, start, stop, base), np.logspace, start, stop, few, endpoint, base, dtype, axis)


@op(np.geomspace, static=_STATIC, fresh_dims=True, raises=perhaps, vjp=derivative.geomspace)
def geomspace(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, dtype: Any = None, axis: Any = 0
) -> TensorType:
    start, stop, (count, few) = as_one(start), as_one(stop), _few(num)
    return probed(_shape(count, axis, start, stop), np.geomspace, start, stop, few, endpoint, dtype, axis)
