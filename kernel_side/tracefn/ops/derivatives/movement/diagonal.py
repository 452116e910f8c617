"""Derivatives of diagonals and triangles."""

from __future__ import annotations

from typing import Any

import numpy as np

from .scatter import counting


def diagonal(g: Any, out: Any, a: Any, offset: Any = 0, axis1: int = 0, axis2: int = 1) -> tuple[Any, ...]:
    made = np.zeros_like(a, dtype=g.dtype)
    places = counting(np.shape(g)[-1], g)
    np.moveaxis(made, (axis1, axis2), (-2, -1))[..., places + max(-offset, 0), places + max(offset, 0)] = g
    return (made,)


def linalg_diagonal(g: Any, out: Any, x: Any, offset: Any = 0) -> tuple[Any, ...]:
    return diagonal(g, out, x, offset, -2, -1)


def trace(
    g: Any, out: Any, a: Any, offset: Any = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None
) -> tuple[Any, ...]:
    """The cotangent of the sum along the diagonal, which may be one whose number is traced."""
    rows, columns = np.shape(a)[axis1], np.shape(a)[axis2]
    is_on = np.equal(counting(columns, g) - np.reshape(counting(rows, g), (-1, 1)), offset)
    made = np.where(is_on, np.expand_dims(g, (-2, -1)), 0)
    return (np.moveaxis(made, (-2, -1), (axis1, axis2)),)


def linalg_trace(g: Any, out: Any, x: Any, offset: Any = 0, dtype: Any = None) -> tuple[Any, ...]:
    return trace(g, out, x, offset, -2, -1)


def diag(g: Any, out: Any, v: Any, k: Any = 0) -> tuple[Any, ...]:
    return diagonal(g, out, v, k) if np.ndim(v) == 2 else (np.diagonal(g, k),)


def diagflat(g: Any, out: Any, v: Any, k: Any = 0) -> tuple[Any, ...]:
    return (np.reshape(np.diagonal(g, k), np.shape(v)),)


def tril(g: Any, out: Any, m: Any, k: Any = 0) -> tuple[Any, ...]:
    return (np.tril(g, k),)


def triu(g: Any, out: Any, m: Any, k: Any = 0) -> tuple[Any, ...]:
    return (np.triu(g, k),)


def vander(g: Any, out: Any, x: Any, N: Any = None, increasing: bool = False) -> tuple[Any, ...]:
    """The derivative of each power is the one before it, times the exponent."""
    count = np.shape(g)[1]
    powers = counting(count, g) if increasing else counting(count, g)[::-1]
    lower = np.maximum(powers - 1, 0)
    return (np.sum(g * powers * np.power(np.expand_dims(x, 1), lower), axis=1),)
