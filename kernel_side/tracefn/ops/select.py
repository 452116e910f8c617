"""Choosing elements: by index (`take`), by condition (`where`, `compress`) or among several arrays (`choose`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.dims import product
from ..ir.op import method, op
from . import warns
from .derivatives import select as d
from .derivatives.movement import index as derivative
from .rules import (
    Length,
    TensorType,
    array,
    as_one,
    axis_of,
    broadcast_shapes,
    each_its_own,
    fresh_dim,
    holds_type,
    index_operand,
    operand,
    parts_of,
    perhaps,
    probe,
    probe_at,
    probe_dtype,
    probed,
    require_indices,
    require_same,
    result,
    shape_argument,
    typed,
)

_STATIC = frozenset({"axis", "mode"})


@op(
    np.take,
    static=_STATIC,
    raises=perhaps,
    fresh_memory=True,
    method=method("axis mode"),
    selects=True,
    vjp=derivative.take,
)
def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: Any = "raise") -> TensorType:
    a, found = operand(a), index_operand(indices)
    shape = (a.size,) if axis is None else a.shape or (1,)
    along = 0 if axis is None else axis_of(axis, len(shape))
    probe(np.take, a, found, axis=axis, mode="wrap" if mode == "raise" else mode)
    if mode == "raise":
        require_indices(indices, shape[along])
    return result(a.dtype, (*shape[:along], *found.shape, *shape[along + 1 :]))


# Before NumPy 2.3 the axis has no default: then it must not be left out of a call.
_LAST_AXIS: Any = -1 if np.lib.NumpyVersion(np.__version__) >= "2.3.0" else np._NoValue


@op(np.take_along_axis, static=_STATIC, raises=perhaps, vjp=derivative.take_along_axis)
def take_along_axis(arr: Any, indices: Any, axis: Any = _LAST_AXIS) -> TensorType:
    arr, found = operand(arr), operand(indices)
    value = probe_at(2, np.take_along_axis, arr, found, axis)
    if axis is None:
        return typed(value, found.shape)
    along = axis_of(axis, arr.ndim)
    return typed(value, broadcast_shapes((*arr.shape[:along], 1, *arr.shape[along + 1 :]), found.shape))


@op(np.compress, static=_STATIC, fresh_dims=True, raises=perhaps, selects=True, vjp=derivative.compress)
def compress(condition: Any, a: Any, axis: Any = None, out: Any = None) -> TensorType:
    a = operand(a)
    value = probe(np.compress, operand(condition), a, axis=axis)
    if axis is None:
        return typed(value, (fresh_dim(),))
    along = axis_of(axis, a.ndim)
    return typed(value, (*a.shape[:along], fresh_dim(), *a.shape[along + 1 :]))


@op(np.extract, fresh_dims=True, raises=perhaps, selects=True, vjp=derivative.extract)
def extract(condition: Any, arr: Any) -> TensorType:
    return probed((fresh_dim(),), np.extract, operand(condition), operand(arr))


@op(np.choose, static=_STATIC, raises=perhaps, selects=True, parts="list", vjp=derivative.choose)
def choose(a: Any, choices: Any, out: Any = None, mode: Any = "raise") -> TensorType:
    options = parts_of(choices)
    if mode == "raise":
        require_indices(a, len(options), negative=False)
    a = index_operand(a)
    # With one axis more the result is an array, also of a text whose length a scalar would not keep.
    more = array(a.dtype, (1, *a.shape))
    dtype = probe_dtype(np.choose, more, [as_one(o) for o in options], mode="wrap" if mode == "raise" else mode)
    return result(dtype, broadcast_shapes(a.shape, *[operand(o).shape for o in options]))


@op(np.select, selects=True, parts="list", vjp=d.of_select)
def select(condlist: Any, choicelist: Any, default: Any = 0) -> TensorType:
    conditions, choices = ([as_one(v) for v in parts_of(values)] for values in (condlist, choicelist))
    value = probe(np.select, conditions, choices, as_one(default))
    return typed(value, broadcast_shapes(*[operand(v).shape for v in (*conditions, *choices, default)]))


@op(np.where, fresh_dims=True, warns=warns.never, fresh_memory=True, selects=True, vjp=d.of_where)
def where(condition: Any, x: Any = None, y: Any = None, /) -> Any:
    if x is None and y is None:
        return nonzero(condition)
    shape = broadcast_shapes(operand(condition).shape, operand(x).shape, operand(y).shape)
    return probed(shape, np.where, as_one(condition), as_one(x), as_one(y))


@op(np.nonzero, fresh_dims=True, method=method())
def nonzero(a: Any) -> tuple[TensorType, ...]:
    a = operand(a)
    if not a.shape:
        raise ValueError("np.nonzero of a single number; use np.atleast_1d first")
    return (array(np.intp, (fresh_dim(),)),) * a.ndim


@op(np.flatnonzero, fresh_dims=True)
def flatnonzero(a: Any) -> TensorType:
    return array(np.intp, (fresh_dim(),))


@op(np.argwhere, fresh_dims=True)
def argwhere(a: Any) -> TensorType:
    return array(np.intp, (fresh_dim(), operand(a).ndim))


@op(np.ravel_multi_index, static=frozenset({"dims", "mode", "order"}), raises=perhaps)
def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: Any = "C") -> TensorType:
    dims = dims if isinstance(dims, tuple | list) else (dims,)
    parts = parts_of(multi_index)
    types = [operand(part) for part in parts]
    value = probe(np.ravel_multi_index, types, (2,) * len(dims), mode=mode, order=order)
    for part, length in zip(parts, dims, strict=True):
        if mode == "raise":
            require_indices(part, length, negative=False)
    return typed(value, broadcast_shapes(*[t.shape for t in types]))


@op(np.unravel_index, static=frozenset({"shape", "order"}), raises=perhaps)
def unravel_index(indices: Any, shape: Any, order: Any = "C") -> tuple[TensorType, ...]:
    lengths = shape_argument(shape)
    require_indices(indices, product(lengths), negative=False)
    found = operand(indices)
    values = probe(np.unravel_index, found, (2,) * len(lengths), order=order)
    return tuple([typed(v, found.shape) for v in values])


@op(np.tril_indices_from, static=frozenset({"k"}), fresh_dims=True)
def tril_indices_from(arr: Any, k: Any = 0) -> tuple[TensorType, ...]:
    return _triangle(arr, k, below=True)


@op(np.triu_indices_from, static=frozenset({"k"}), fresh_dims=True)
def triu_indices_from(arr: Any, k: Any = 0) -> tuple[TensorType, ...]:
    return _triangle(arr, k - 1, below=False)


def _triangle(arr: Any, k: Any, below: bool) -> tuple[TensorType, ...]:
    """Two index arrays of the elements on and below the diagonal `k`, or of those above it."""
    rows, columns = operand(arr).shape
    count: Length = fresh_dim()
    if isinstance(rows, int) and isinstance(columns, int):
        found = int(np.clip(np.arange(rows) + np.floor(k) + 1, 0, columns).sum())
        count = found if below else rows * columns - found
    return (array(np.intp, (count,)),) * 2


@op(np.diag_indices_from)
def diag_indices_from(arr: Any) -> tuple[TensorType, ...]:
    shape = operand(arr).shape
    if len(shape) < 2:
        raise ValueError("the array needs at least two axes")
    for length in shape[1:]:
        require_same(shape[0], length)
    return (array(np.intp, shape[:1]),) * len(shape)


@op(np.ix_, view=each_its_own, fresh_dims=True)
def ix_(*args: Any) -> tuple[TensorType, ...]:
    values = probe(np.ix_, *[operand(a) if holds_type(a) else a for a in args])
    types = []
    for i, (arg, value) in enumerate(zip(args, values, strict=True)):
        length: Length = value.size
        if holds_type(arg):
            given = operand(arg)
            length = fresh_dim() if given.dtype.kind == "b" else given.size
        types.append(typed(value, (1,) * i + (length,) + (1,) * (len(args) - i - 1)))
    return tuple(types)
