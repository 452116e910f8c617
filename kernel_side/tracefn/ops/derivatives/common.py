"""What the rules of derivatives share: sums over broadcast axes, masks, numbers of a dtype, reduced axes put back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

NO_VALUE: Any = np._NoValue


def number(value: complex, like: Any) -> Any:
    """A number in the dtype of an array, so that it does not widen what it meets.

    >>> number(0.5, np.zeros(2, np.float32))
    np.float32(0.5)
    """
    dtype = getattr(like, "dtype", None)
    return value if dtype is None else dtype.type(value)


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
    axes = tuple([i for i, n in enumerate(shape) if wide[i + extra] != n])  # open lengths that are one are not compared
    return np.sum(g, axis=axes, keepdims=True) if axes else g


def masked(value: Any, where: Any) -> Any:
    """The value where a mask holds, and 0 elsewhere: also in place of what is not finite there."""
    return value if where is True or where is NO_VALUE else np.where(where, value, 0)


def conjugated(value: Any) -> Any:
    """The conjugate, without work for real numbers."""
    return np.conjugate(value) if np.iscomplexobj(value) else value


def safe(divisor: Any) -> Any:
    """A divisor with ones in place of zeros."""
    return np.where(divisor == 0, number(1, divisor), divisor)


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """An axis argument as a tuple of axes that are not negative. A 0-d array has none."""
    if axis is None or not ndim:
        return tuple(range(ndim))
    return tuple([int(i) % ndim for i in (axis if isinstance(axis, tuple | list) else (axis,))])


def with_axes(g: Any, a: Any, axis: Any, keepdims: Any = False) -> Any:
    """What was reduced, with axes of length 1 where `a` had those that are gone: it broadcasts against `a`."""
    axes = axes_of(axis, np.ndim(a))
    return g if keepdims is True or keepdims == 1 or not axes else np.expand_dims(g, axes)


def count(a: Any, axis: Any) -> Any:
    """The number of elements that are reduced to one."""
    shape = np.shape(a)
    return math.prod([shape[i] for i in axes_of(axis, len(shape))])


def sliced(a: Any, axis: int, *ends: Any) -> Any:
    """`a[start:stop:step]` along an axis."""
    return a[(slice(None),) * (axis % np.ndim(a)) + (slice(*ends),)]
