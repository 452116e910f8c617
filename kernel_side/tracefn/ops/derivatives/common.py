"""Helpers of the rules of derivatives: sums over broadcast axes, masks, numbers of a dtype, reduced axes put back."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir.dims import definitely_equal

NO_VALUE: Any = np._NoValue


def number(value: complex, like: Any) -> Any:
    """A number in the dtype of an array, so that it does not widen other operands.

    >>> number(0.5, np.zeros(2, np.float32))
    np.float32(0.5)
    """
    dtype = getattr(like, "dtype", None)
    return value if dtype is None else dtype.type(value)


def is_float(value: Any) -> bool:
    """True for floats and complex numbers, which have derivatives."""
    return type(value) in (float, complex) or getattr(value, "dtype", _INTEGER).kind in "fc"


_INTEGER, _FLOAT = np.dtype(int), np.dtype(float)


def unbroadcast(g: Any, like: Any) -> Any:
    """The sum of a cotangent over the axes along which `like` was broadcast.

    >>> unbroadcast(np.ones((2, 3)), np.zeros((2, 1)))
    array([[3.],
           [3.]])
    """
    wide, shape = np.shape(g), np.shape(like)
    extra = len(wide) - len(shape)
    if extra:
        g = np.sum(g, axis=tuple(range(extra)))
    if any(map(_differ_by_values, wide[extra:], shape)):
        return recorded(sum_over_repeated, g, like)
    axes = tuple([i for i, n in enumerate(shape) if _may_be_repeated(wide[i + extra], n)])
    return np.sum(g, axis=axes, keepdims=True) if axes else g


def recorded(function: Any, first: Any, *args: Any) -> Any:
    """A call of a function that is an op and none of NumPy's: a node where its first argument is traced."""
    if isinstance(first, np.generic) or type(first) is np.ndarray:
        return function(first, *args)
    return first.__array_function__(function, (type(first),), (first, *args), {})


def _may_be_repeated(wide: Any, length: Any) -> bool:
    """False where an axis is as long as before. One of length 1 is summed over without asking an open length."""
    return type(wide) is not int or wide != 1 if type(length) is int and length == 1 else wide != length


def _differ_by_values(wide: Any, length: Any) -> bool:
    """True where values decide whether an axis was repeated, as for elements that a mask picks."""
    if not (getattr(wide, "is_traced", False) or getattr(length, "is_traced", False)):
        return False
    one, other = getattr(wide, "dim", wide), getattr(length, "dim", length)
    return not (definitely_equal(one, other) or (type(other) is int and other == 1))


def sum_over_repeated(g: Any, like: Any) -> Any:
    """The sum over the axes that are longer in `g` than in `like`, which has as many."""
    return np.sum(g, axis=tuple([i for i, n in enumerate(like.shape) if n != g.shape[i]]), keepdims=True)


def places(a: Any, axis: int) -> Any:
    """The indices along an axis: 0, 1, …"""
    length = np.shape(a)[axis]
    return np.arange(length) if isinstance(length, int) else np.cumsum(np.ones_like(a, dtype=int, shape=(length,))) - 1


def of_array(rule: Callable[..., Any]) -> Callable[..., Any]:
    """A rule as one whose array may be given as a list of its parts, or of theirs."""

    @functools.wraps(rule)
    def of_parts(g: Any, out: Any, a: Any, *args: Any, **options: Any) -> Any:
        return rule(g, out, as_array(a), *args, **options)

    return of_parts


def as_array(a: Any) -> Any:
    """An array in place of a list of its parts."""
    return np.stack([as_array(part) for part in a]) if isinstance(a, list | tuple) else a


def masked(value: Any, where: Any) -> Any:
    """The value where a mask holds, and 0 elsewhere: also in place of values that are not finite there."""
    return value if where is True or where is NO_VALUE else np.where(where, value, 0)


def conjugated(value: Any) -> Any:
    """The conjugate, without work for real numbers."""
    return np.conjugate(value) if np.iscomplexobj(value) else value


def widened(operand: Any, out: Any = None) -> Any:
    """Integers and booleans in the dtype of the result, or as float64: theirs may be too narrow. Python's numbers stay.

    >>> widened(np.uint8(200)) ** 2
    np.float64(40000.0)
    """
    if isinstance(operand, int) or getattr(operand, "dtype", _FLOAT).kind not in "biu":
        return operand
    return operand.astype(getattr(out, "dtype", float))


def rounded(operand: Any, out: Any) -> Any:
    """An array of floats in the dtype of the result, to which a `dtype=` or `out=` has rounded it."""
    dtype = getattr(operand, "dtype", out.dtype)
    return operand if dtype == out.dtype or dtype.kind not in "fc" else operand.astype(out.dtype)


def safe(divisor: Any) -> Any:
    """A divisor with ones in place of zeros."""
    return np.where(divisor == 0, number(1, divisor), divisor)


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """An axis argument as a tuple of axes that are not negative. A 0-d array has none."""
    if axis is None or not ndim:
        return tuple(range(ndim))
    return tuple([int(i) % ndim for i in (axis if isinstance(axis, tuple | list) else (axis,))])


def with_axes(g: Any, a: Any, axis: Any, keepdims: Any = False) -> Any:
    """A reduction's result, with axes of length 1 in place of the reduced ones of `a`: it broadcasts against `a`. One
    number does so as it is."""
    axes = axes_of(axis, np.ndim(a))
    return g if keepdims is True or keepdims == 1 or len(axes) in (0, np.ndim(a)) else np.expand_dims(g, axes)


def count(a: Any, axis: Any) -> Any:
    """The number of elements that are reduced to one."""
    shape = np.shape(a)
    return math.prod([shape[i] for i in axes_of(axis, len(shape))])


def sliced(a: Any, axis: int, *ends: Any) -> Any:
    """`a[start:stop:step]` along an axis."""
    return a[(slice(None),) * (axis % np.ndim(a)) + (slice(*ends),)]
