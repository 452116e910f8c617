"""Searching, sets and counting: searchsorted, isin, unique, bincount."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.op import Op, method, numpy_name, op, register
from .derivatives import search as d
from .derivatives.statistics import of_bincount
from .rules import (
    TensorType,
    as_one,
    axis_of,
    fresh_dim,
    holds_type,
    operand,
    perhaps,
    probe,
    probe_at,
    probed,
    require_same,
    typed,
)


@op(np.searchsorted, static=frozenset({"side"}), method=method("side sorter"))
def searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> TensorType:
    a, v = operand(a), as_one(v)
    order = None if sorter is None else operand(sorter)
    value = probe_at(2, np.searchsorted, a, v, side=side, sorter=order)
    if order is not None:
        require_same(a.shape[0], order.shape[0])
    return typed(value, operand(v).shape)


@op(np.digitize, static=frozenset({"right"}), raises=perhaps)
def digitize(x: Any, bins: Any, right: Any = False) -> TensorType:
    known = operand(bins) if holds_type(bins) else bins
    return probed(operand(x).shape, np.digitize, as_one(x), known, right)


@op(np.isin, static=frozenset({"assume_unique", "invert", "kind"}))
def isin(
    element: Any, test_elements: Any, assume_unique: Any = False, invert: Any = False, *, kind: Any = None
) -> TensorType:
    element, tested = as_one(element), as_one(test_elements)
    return probed(operand(element).shape, np.isin, element, tested, assume_unique, invert, kind=kind)


@op(
    np.unique,
    fresh_dims=True,
    static=frozenset({"return_index", "return_inverse", "return_counts", "axis", "equal_nan", "sorted"}),
    vjp=d.of_unique,
)
def unique(
    ar: Any,
    return_index: Any = False,
    return_inverse: Any = False,
    return_counts: Any = False,
    axis: Any = None,
    *,
    equal_nan: Any = True,
    sorted: Any = True,
) -> Any:
    ar = operand(ar)
    options = {} if sorted else {"sorted": sorted}  # NumPy 2.3
    returned = (return_index, return_inverse, return_counts)
    values = probe(np.unique, ar, *returned, axis=axis, equal_nan=equal_nan, **options)
    first, *others = values if isinstance(values, tuple) else (values,)
    count, lengths = fresh_dim(), ar.shape
    along = None if axis is None else axis_of(axis, ar.ndim)
    shape = (count,) if along is None else (*lengths[:along], count, *lengths[along + 1 :])
    inverse = lengths if along is None else (lengths[along],)
    shapes = [s for s, wanted in zip(((count,), inverse, (count,)), returned, strict=True) if wanted]
    types = (typed(first, shape), *[typed(v, s) for v, s in zip(others, shapes, strict=True)])
    return types if others else types[0]


def unique_parts(call: Callable[..., Any]) -> Op:
    """Registers a function of the array API standard that gives unique values with indices or counts."""

    def rule(x: Any) -> Any:
        x = operand(x)
        values, count = probe(call, x), fresh_dim()
        if not isinstance(values, tuple):
            return typed(values, (count,))
        kind: Any = type(values)
        shapes = [x.shape if name == "inverse_indices" else (count,) for name in kind._fields]
        return kind(*map(typed, values, shapes))

    return register(Op(numpy_name(call), call, rule, fresh_dims=True, vjp=d.of_unique))


unique_all = unique_parts(np.unique_all)
unique_counts = unique_parts(np.unique_counts)
unique_inverse = unique_parts(np.unique_inverse)
unique_values = unique_parts(np.unique_values)


@op(np.intersect1d, fresh_dims=True, static=frozenset({"assume_unique", "return_indices"}), vjp=d.of_set_operation)
def intersect1d(ar1: Any, ar2: Any, assume_unique: Any = False, return_indices: Any = False) -> Any:
    values, count = probe(np.intersect1d, as_one(ar1), as_one(ar2), assume_unique, return_indices), fresh_dim()
    return tuple([typed(v, (count,)) for v in values]) if return_indices else typed(values, (count,))


@op(np.setdiff1d, fresh_dims=True, static=frozenset({"assume_unique"}), vjp=d.of_difference_of_sets)
def setdiff1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> TensorType:
    return probed((fresh_dim(),), np.setdiff1d, as_one(ar1), as_one(ar2), assume_unique)


@op(np.setxor1d, fresh_dims=True, static=frozenset({"assume_unique"}), vjp=d.of_set_operation)
def setxor1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> TensorType:
    return probed((fresh_dim(),), np.setxor1d, as_one(ar1), as_one(ar2), assume_unique)


@op(np.union1d, fresh_dims=True, vjp=d.of_set_operation)
def union1d(ar1: Any, ar2: Any) -> TensorType:
    return probed((fresh_dim(),), np.union1d, as_one(ar1), as_one(ar2))


@op(np.bincount, fresh_dims=True, raises=perhaps, vjp=of_bincount)
def bincount(x: Any, /, weights: Any = None, minlength: Any = 0) -> TensorType:
    found = operand(x)
    if weights is not None:
        require_same(found.size, operand(weights).size)
    return probed((fresh_dim(),), np.bincount, as_one(x), as_one(weights), minlength)
