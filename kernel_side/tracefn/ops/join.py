"""Ops that join arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any

import numpy as np

from ..ir.dims import product
from ..ir.op import op
from . import warns
from .derivatives.movement import join as derivative
from .rules import Dim, Kind, Shape, TensorType, array, axis_of, operand, probe_dtype, require_same

_STATIC = frozenset({"axis", "dtype", "casting"})


def parts_of(arrays: Any) -> list[TensorType]:
    """The arrays of a sequence argument, which may be one array: then its parts along the first axis."""
    if not isinstance(arrays, TensorType):
        return [operand(a) for a in arrays]
    if not arrays.shape or isinstance(arrays.shape[0], Dim):
        raise TypeError("the number of arrays to join is not known while tracing")
    return [array(arrays.dtype, arrays.shape[1:])] * arrays.shape[0]


def joined_shape(shapes: Sequence[Shape], axis: Any) -> Shape:
    """The shape of arrays of these shapes joined along an axis they have."""

    def join(left: Shape, right: Shape) -> Shape:
        if len(left) != len(right):
            raise ValueError("the arrays have different numbers of dimensions")
        return tuple(
            n + m if i == along else require_same(n, m) for i, (n, m) in enumerate(zip(left, right, strict=True))
        )

    along = axis_of(axis, len(shapes[0]))
    return reduce(join, shapes)


def _joined_dtype(call: Callable[..., Any], arrays: Any, parts: Sequence[TensorType], **options: Any) -> Any:
    """The dtype that `call` gives. Python numbers among the arrays go as they are: they may be weak in promotion."""
    given = parts if isinstance(arrays, TensorType) else arrays
    ones = [array(t.dtype, (1,) * t.ndim) if t.kind is Kind.ARRAY else a for a, t in zip(given, parts, strict=True)]
    return probe_dtype(call, ones, **options)


@op(
    np.concatenate,
    np.concat,
    static=_STATIC,
    warns=warns.never,
    fresh_memory=True,
    parts="list",
    vjp=derivative.concatenate,
)
def concatenate(
    arrays: Any, /, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind"
) -> TensorType:
    parts = parts_of(arrays)
    shapes = [part.shape for part in parts]
    if axis is None:
        shapes, along = [(product(shape),) for shape in shapes], 0
    else:
        along = axis
    shape = joined_shape(shapes, along)
    return array(_joined_dtype(np.concatenate, arrays, parts, axis=axis, dtype=dtype, casting=casting), shape)


@op(np.stack, static=_STATIC, warns=warns.never, fresh_memory=True, parts="list", vjp=derivative.stack)
def stack(arrays: Any, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind") -> TensorType:
    parts = parts_of(arrays)
    along = axis_of(axis, parts[0].ndim + 1)
    shapes = [(*part.shape[:along], 1, *part.shape[along:]) for part in parts]
    return array(_joined_dtype(np.stack, arrays, parts, dtype=dtype, casting=casting), joined_shape(shapes, along))


@op(np.hstack, static=_STATIC, warns=warns.never, fresh_memory=True, parts="list", vjp=derivative.hstack)
def hstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> TensorType:
    parts = parts_of(tup)
    shapes = [part.shape or (1,) for part in parts]
    shape = joined_shape(shapes, 0 if len(shapes[0]) == 1 else 1)
    return array(_joined_dtype(np.hstack, tup, parts, dtype=dtype, casting=casting), shape)


@op(np.vstack, static=_STATIC, warns=warns.never, fresh_memory=True, parts="list", vjp=derivative.vstack)
def vstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> TensorType:
    parts = parts_of(tup)
    shape = joined_shape([(1,) * (2 - part.ndim) + part.shape for part in parts], 0)
    return array(_joined_dtype(np.vstack, tup, parts, dtype=dtype, casting=casting), shape)


@op(np.dstack, parts="list", vjp=derivative.dstack)
def dstack(tup: Any) -> TensorType:
    parts = parts_of(tup)
    shapes = [(*((1,) * (2 - part.ndim) + part.shape), 1) if part.ndim < 3 else part.shape for part in parts]
    return array(_joined_dtype(np.dstack, tup, parts), joined_shape(shapes, 2))


@op(np.column_stack, fresh_memory=True, parts="list", vjp=derivative.column_stack)
def column_stack(tup: Any) -> TensorType:
    parts = parts_of(tup)
    shapes = [((*part.shape, 1, 1)[:2]) if part.ndim < 2 else part.shape for part in parts]
    return array(_joined_dtype(np.column_stack, tup, parts), joined_shape(shapes, 1))


@op(np.block, parts="nested", vjp=derivative.block)
def block(arrays: Any) -> TensorType:
    depth = _depth(arrays)
    leaves = list(_leaves(arrays))
    ndim = max(depth, *(leaf.ndim for leaf in leaves))

    def shape_of(part: Any, level: int) -> Shape:
        if not isinstance(part, list):
            shape = operand(part).shape
            return (1,) * (ndim - len(shape)) + shape
        return joined_shape([shape_of(p, level + 1) for p in part], level - depth)

    return array(np.result_type(*[leaf.dtype for leaf in leaves]), shape_of(arrays, 0))


def _depth(arrays: Any) -> int:
    """How deep the lists of a block are nested. Raises ValueError where that is not the same everywhere."""
    if isinstance(arrays, tuple):
        raise TypeError("np.block takes lists, not tuples")
    if not isinstance(arrays, list):
        return 0
    depths = {_depth(part) for part in arrays}
    if len(depths) != 1:
        raise ValueError("the lists are empty or nested to different depths")
    return depths.pop() + 1


def _leaves(arrays: Any) -> Iterator[TensorType]:
    if not isinstance(arrays, list):
        yield operand(arrays)
        return
    for part in arrays:
        yield from _leaves(part)


@op(np.append, static=frozenset({"axis"}), vjp=derivative.append)
def append(arr: Any, values: Any, axis: Any = None) -> TensorType:
    types = [operand(arr), operand(values)]
    dtype = probe_dtype(np.append, *types, axis=axis)
    if axis is None:
        return array(dtype, (types[0].size + types[1].size,))
    return array(dtype, joined_shape([t.shape for t in types], axis))
