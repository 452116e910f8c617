"""Ops on diagonals and triangles."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..ir.dims import maximum, minimum
from ..ir.op import method, op
from . import warns
from .derivatives.movement import diagonal as derivative
from .rules import (
    Dim,
    Length,
    Shape,
    TensorType,
    array,
    axes_of,
    operand,
    probe_dtype,
    result,
)


def diagonal_shape(shape: Shape, offset: Any, axis1: Any, axis2: Any) -> Shape:
    """The shape of `np.diagonal`: the other axes, then the diagonal's length."""
    offset = offset if isinstance(offset, Dim) else operator.index(offset)
    row, column = axes_of((axis1, axis2), len(shape))
    rows, columns = shape[row] + minimum(offset, 0), shape[column] - maximum(offset, 0)
    rest = tuple(n for i, n in enumerate(shape) if i not in (row, column))
    return (*rest, maximum(minimum(rows, columns), 0))


def trace_type(call: Any, value: TensorType, shape: Shape, dtype: Any) -> TensorType:
    """The type of a trace: the sum over the last axis of the diagonal's shape."""
    return result(probe_dtype(call, value, dtype=dtype), shape[:-1])


@op(
    np.diagonal,
    view=True,
    read_only=True,
    method=method("offset axis1 axis2"),
    static=frozenset({"offset", "axis1", "axis2"}),
    warns=warns.never,
    vjp=derivative.diagonal,
)
def diagonal(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> TensorType:
    a = operand(a)
    return array(a.dtype, diagonal_shape(a.shape, offset, axis1, axis2))


@op(np.linalg.diagonal, view=True, read_only=True, static=frozenset({"offset"}), vjp=derivative.linalg_diagonal)
def linalg_diagonal(x: Any, /, *, offset: Any = 0) -> TensorType:
    return diagonal(x, offset, -2, -1)


@op(
    np.trace,
    method=method("offset axis1 axis2 dtype", warns=True),
    static=frozenset({"axis1", "axis2", "dtype"}),
    vjp=derivative.trace,
)
def trace(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None, out: Any = None) -> TensorType:
    a = operand(a)
    return trace_type(np.trace, a, diagonal_shape(a.shape, _any_offset(offset), axis1, axis2), dtype)


@op(np.linalg.trace, static=frozenset({"dtype"}), vjp=derivative.linalg_trace)
def linalg_trace(x: Any, /, *, offset: Any = 0, dtype: Any = None) -> TensorType:
    x = operand(x)
    return trace_type(np.linalg.trace, x, diagonal_shape(x.shape, _any_offset(offset), -2, -1), dtype)


def _any_offset(offset: Any) -> Any:
    """An offset whose value does not matter: 0 in place of a traced integer."""
    if not isinstance(offset, TensorType):
        return offset
    if offset.shape or offset.dtype.kind not in "iu":
        raise TypeError("the offset is not an integer")
    return 0


@op(np.tril, selects=True, warns=warns.never, vjp=derivative.tril)
def tril(m: Any, k: Any = 0) -> TensorType:
    return _triangle(np.tril, m, k)


@op(np.triu, selects=True, warns=warns.never, vjp=derivative.triu)
def triu(m: Any, k: Any = 0) -> TensorType:
    return _triangle(np.triu, m, k)


def _triangle(call: Any, m: Any, k: Any) -> TensorType:
    m, k = operand(m), operand(k)
    if k.shape or not m.shape:
        raise ValueError("an array of one dimension or more and a single k are needed")
    return array(probe_dtype(call, m, k), m.shape if m.ndim > 1 else m.shape * 2)


@op(np.diag, view=True, read_only=True, static=frozenset({"k"}), vjp=derivative.diag)
def diag(v: Any, k: Any = 0) -> TensorType:
    v = operand(v)
    if v.ndim == 2:
        return array(v.dtype, diagonal_shape(v.shape, k, 0, 1))
    (length,) = v.shape
    return array(v.dtype, _square(length, k))


@op(np.diagflat, static=frozenset({"k"}), vjp=derivative.diagflat)
def diagflat(v: Any, k: Any = 0) -> TensorType:
    v = operand(v)
    return array(v.dtype, _square(v.size, k))


def _square(length: Length, k: Any) -> Shape:
    """The shape of a matrix that has `length` elements on its diagonal number `k`."""
    k = k if isinstance(k, Dim) else operator.index(k)
    return (length + maximum(k, -k),) * 2


@op(np.vander, static=frozenset({"N", "increasing"}), vjp=derivative.vander)
def vander(x: Any, N: Any = None, increasing: bool = False) -> TensorType:
    x = operand(x)
    (length,) = x.shape
    columns = length if N is None else N if isinstance(N, Dim) else operator.index(N)
    if isinstance(columns, int) and columns < 0:
        raise ValueError("negative lengths are not allowed")
    return array(probe_dtype(np.vander, x), (length, columns))
