"""Derivatives of norms of vectors and matrices, and of condition numbers. Where a norm is 0, they are 0."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..common import axes_of, conjugated, safe
from .common import times_columns
from .inverses import inv


def norm(g: Any, out: Any, x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> tuple[Any, ...]:
    axes = axes_of(axis, np.ndim(x))
    g, out = (value if keepdims else np.expand_dims(value, axes) for value in (g, out))
    if len(axes) == 2 and ord not in (None, "fro", "f"):
        return (_by_matrix(g, out, x, ord, axes),)
    return (_by_vector(g, out, x, 2 if ord in (None, "fro", "f") else ord, axes),)


def vector_norm(g: Any, out: Any, x: Any, axis: Any = None, keepdims: Any = False, ord: Any = 2) -> tuple[Any, ...]:
    axes = axes_of(axis, np.ndim(x))
    g, out = (value if keepdims else np.expand_dims(value, axes) for value in (g, out))
    return (_by_vector(g, out, x, ord, axes),)


def matrix_norm(g: Any, out: Any, x: Any, keepdims: Any = False, ord: Any = "fro") -> tuple[Any, ...]:
    return norm(g, out, x, ord, (-2, -1), keepdims)


def _sign(x: Any) -> Any:
    return conjugated(np.sign(x))


def _by_vector(g: Any, out: Any, x: Any, ord: Any, axes: tuple[int, ...]) -> Any:
    if ord == 0:
        return None
    if ord == 1:
        return g * _sign(x)
    if ord == 2:
        return g * (conjugated(x) / safe(out))
    size = np.abs(x)
    if math.isinf(ord):
        return _shared(g, np.equal(size, _extremum(size, ord, axes)), axes) * _sign(x)
    return g * _sign(x) * np.where(size == 0, 0, np.power(safe(size) / safe(out), ord - 1))


def _shared(g: Any, has: Any, axes: Any) -> Any:
    """The cotangent in equal parts of those that have a share."""
    return np.where(has, g / np.sum(has, axis=axes, keepdims=True), 0)


def _by_matrix(g: Any, out: Any, x: Any, ord: Any, axes: tuple[int, ...]) -> Any:
    if ord in (1, -1, math.inf, -math.inf):
        along, across = axes if abs(ord) == 1 else axes[::-1]
        sums = np.sum(np.abs(x), axis=along, keepdims=True)
        return _shared(g, np.equal(sums, _extremum(sums, ord, across)), across) * _sign(x)
    moved, g, out = (np.moveaxis(value, axes, (-2, -1)) for value in (x, g, out))
    u, s, vh = np.linalg.svd(moved, full_matrices=False)
    g, out = g[..., 0], out[..., 0]
    by_s = g * np.ones_like(s) if ord == "nuc" else _shared(g, np.equal(s, _extremum(s, ord, -1)), -1)
    return np.moveaxis(conjugated(times_columns(u, by_s) @ vh), (-2, -1), axes)


def _extremum(s: Any, ord: float, axes: Any) -> Any:
    """That of these very numbers: NumPy's own norm may round another way."""
    return (np.max if ord > 0 else np.min)(s, axis=axes, keepdims=True)


def cond(g: Any, out: Any, x: Any, p: Any = None) -> tuple[Any, ...]:
    if p is None or p in (2, -2):
        u, s, vh = np.linalg.svd(x, full_matrices=False)
        largest, least = s[..., 0], s[..., -1]
        top, bottom = (least, largest) if p == -2 else (largest, least)
        by_top, by_bottom = g / bottom, -g * top / (bottom * bottom)
        ends = (by_bottom, by_top) if p == -2 else (by_top, by_bottom)
        by_s = np.zeros_like(s)
        by_s[..., 0] += ends[0]
        by_s[..., -1] += ends[1]
        return (conjugated(times_columns(u, by_s) @ vh),)
    inverse = np.linalg.inv(x)
    one, other = (np.linalg.norm(m, p, (-2, -1)) for m in (x, inverse))
    (by_x,), (by_inverse,) = norm(g * other, one, x, p, (-2, -1)), norm(g * one, other, inverse, p, (-2, -1))
    return (by_x + inv(by_inverse, inverse, x)[0],)
