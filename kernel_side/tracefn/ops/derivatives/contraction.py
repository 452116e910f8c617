"""Derivatives of products that are summed over pairs of axes.

Products are linear in each operand, of complex numbers as well: nothing is conjugated but by the
function itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .common import unbroadcast


def matmul(g: Any, out: Any, x1: Any, x2: Any, **kwargs: Any) -> tuple[Any, ...]:
    if (axes := kwargs.get("axes")) is not None:
        return _with_axes(g, x1, x2, axes)
    if np.ndim(x1) == 2 == np.ndim(x2):
        return np.matmul(g, np.transpose(x2)), np.matmul(np.transpose(x1), g)
    if np.ndim(x1) == 1 == np.ndim(x2):
        return np.multiply(g, x2), np.multiply(g, x1)
    rows = np.expand_dims(x1, 0) if np.ndim(x1) == 1 else x1
    columns = np.expand_dims(x2, 1) if np.ndim(x2) == 1 else x2
    g = np.expand_dims(g, -2 if np.ndim(x2) > 1 else -1) if np.ndim(x1) == 1 else g
    g = np.expand_dims(g, -1) if np.ndim(x2) == 1 else g
    left = np.matmul(g, np.swapaxes(columns, -1, -2))
    right = np.matmul(np.swapaxes(rows, -1, -2), g)
    return _as(left, rows, x1), _as(right, columns, x2)


def _as(g: Any, like: Any, operand: Any) -> Any:
    return np.reshape(unbroadcast(g, like), np.shape(operand))


def _with_axes(g: Any, x1: Any, x2: Any, axes: Any) -> tuple[Any, ...]:
    """Of operands whose matrices or vectors lie along other axes."""
    places = [(entry,) if not isinstance(entry, tuple) else entry for entry in axes]
    last = [tuple(range(-len(entry), 0)) for entry in places]
    x1, x2 = (np.moveaxis(x, entry, end) for x, entry, end in zip((x1, x2), places, last, strict=False))
    if len(places) > 2 and places[2]:
        g = np.moveaxis(g, places[2], last[2])
    parts = matmul(g, None, x1, x2)
    return tuple([np.moveaxis(p, end, entry) for p, entry, end in zip(parts, places, last, strict=False)])


def dot(g: Any, out: Any, a: Any, b: Any) -> tuple[Any, ...]:
    if not np.ndim(a) or not np.ndim(b):
        return np.multiply(g, b), np.multiply(g, a)
    if np.ndim(a) < 3 and np.ndim(b) < 3:
        return matmul(g, out, a, b)
    axis = max(np.ndim(b) - 2, 0)
    return tensordot(g, out, a, b, ([np.ndim(a) - 1], [axis]))


def inner(g: Any, out: Any, a: Any, b: Any) -> tuple[Any, ...]:
    if not np.ndim(a) or not np.ndim(b):
        return np.multiply(g, b), np.multiply(g, a)
    return tensordot(g, out, a, b, ([-1], [-1]))


def tensordot(g: Any, out: Any, a: Any, b: Any, axes: Any = 2) -> tuple[Any, ...]:
    left, right = axes if np.ndim(axes) or isinstance(axes, list | tuple) else (range(-axes, 0), range(axes))
    left, right = _axes(left, np.ndim(a)), _axes(right, np.ndim(b))
    free_left = [i for i in range(np.ndim(a)) if i not in left]
    free_right = [i for i in range(np.ndim(b)) if i not in right]
    of_left, of_right = list(range(len(free_left))), list(range(len(free_left), len(free_left) + len(free_right)))
    by_a = np.tensordot(g, b, (of_right, free_right))  # free axes of a, then those of b in order that are summed over
    by_b = np.tensordot(a, g, (free_left, of_left))
    order_a = free_left + [left[right.index(i)] for i in sorted(right)]
    order_b = [right[left.index(i)] for i in sorted(left)] + free_right
    return _ordered(by_a, order_a), _ordered(by_b, order_b)


def _axes(given: Any, ndim: int) -> list[int]:
    return [int(i) % ndim for i in (given if np.ndim(given) or isinstance(given, range) else [given])]


def _ordered(value: Any, order: list[int]) -> Any:
    """The array whose axis `i` is axis `order.index(i)` of the value."""
    return np.transpose(value, [order.index(i) for i in range(len(order))])


def outer(g: Any, out: Any, a: Any, b: Any) -> tuple[Any, ...]:
    return np.reshape(g @ np.ravel(b), np.shape(a)), np.reshape(np.ravel(a) @ g, np.shape(b))


def vdot(g: Any, out: Any, a: Any, b: Any) -> tuple[Any, ...]:
    by_a, by_b = np.conj(g * np.ravel(b)), g * np.conj(np.ravel(a))
    return np.reshape(by_a, np.shape(a)), np.reshape(by_b, np.shape(b))


def vecdot(g: Any, out: Any, x1: Any, x2: Any, **kwargs: Any) -> tuple[Any, ...]:
    axes = kwargs.get("axes")
    if axes is not None:
        i, k = (entry[0] if isinstance(entry, tuple) else entry for entry in axes[:2])
    else:
        i = k = kwargs.get("axis", -1)
    g = g if kwargs.get("keepdims") else g[..., None]
    if kwargs.get("keepdims"):
        place = i if axes is None or len(axes) < 3 else axes[2][0] if isinstance(axes[2], tuple) else axes[2]
        g = np.moveaxis(g, place, -1)
    x1, x2 = np.moveaxis(x1, i, -1), np.moveaxis(x2, k, -1)
    by_x1, by_x2 = unbroadcast(np.conj(g * x2), x1), unbroadcast(g * np.conj(x1), x2)
    return np.moveaxis(by_x1, -1, i), np.moveaxis(by_x2, -1, k)


def matvec(g: Any, out: Any, x1: Any, x2: Any, **kwargs: Any) -> tuple[Any, ...]:
    x1, x2, g, places = _vectors(x1, x2, g, kwargs.get("axes"), 2, 1)
    by_x1 = unbroadcast(g[..., :, None] * x2[..., None, :], x1)
    by_x2 = unbroadcast(np.matvec(np.swapaxes(x1, -1, -2), g), x2)
    return _back(by_x1, places[0]), _back(by_x2, places[1])


def vecmat(g: Any, out: Any, x1: Any, x2: Any, **kwargs: Any) -> tuple[Any, ...]:
    """The vector is conjugated."""
    x1, x2, g, places = _vectors(x1, x2, g, kwargs.get("axes"), 1, 2)
    by_x1 = unbroadcast(np.conj(np.matvec(x2, g)), x1)
    by_x2 = unbroadcast(np.conj(x1)[..., :, None] * g[..., None, :], x2)
    return _back(by_x1, places[0]), _back(by_x2, places[1])


def _vectors(x1: Any, x2: Any, g: Any, axes: Any, *ndims: int) -> tuple[Any, ...]:
    """The operands and the cotangent with matrices and vectors in the last axes, and where those lay."""
    if axes is None:
        return x1, x2, g, (None, None)
    places = [entry if isinstance(entry, tuple) else (entry,) for entry in axes]
    x1, x2 = (np.moveaxis(x, p, tuple(range(-len(p), 0))) for x, p in zip((x1, x2), places, strict=False))
    return x1, x2, np.moveaxis(g, places[2], (-1,)) if len(places) > 2 else g, places


def _back(value: Any, place: Any) -> Any:
    return value if place is None else np.moveaxis(value, tuple(range(-len(place), 0)), place)


def kron(g: Any, out: Any, a: Any, b: Any) -> tuple[Any, ...]:
    """The axes of the result are pairs of axes, one of each operand."""
    ndim = max(np.ndim(a), np.ndim(b))
    left, right = ((*[1] * (ndim - np.ndim(x)), *np.shape(x)) for x in (a, b))
    pairs = np.reshape(g, [n for pair in zip(left, right, strict=True) for n in pair])
    of_a, of_b = list(range(0, 2 * ndim, 2)), list(range(1, 2 * ndim, 2))
    every = list(range(ndim))
    by_a = np.tensordot(pairs, np.reshape(b, right), (of_b, every))
    by_b = np.tensordot(np.reshape(a, left), pairs, (every, of_a))
    return np.reshape(by_a, np.shape(a)), np.reshape(by_b, np.shape(b))


def cross(
    g: Any, out: Any, a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None
) -> tuple[Any, ...]:
    """A vector of two numbers has the third 0."""
    if axis is not None:
        axisa = axisb = axisc = axis
    first, second = np.moveaxis(a, axisa, -1), np.moveaxis(b, axisb, -1)
    both = [v if np.shape(v)[-1] == 3 else np.concatenate([v, np.zeros_like(v[..., :1])], -1) for v in (first, second)]
    if np.shape(first)[-1] == 2 == np.shape(second)[-1]:
        g = np.stack([np.zeros_like(g), np.zeros_like(g), g], -1)
    else:
        g = np.moveaxis(g, axisc, -1)
    by_a = np.cross(both[1], g)[..., : np.shape(first)[-1]]
    by_b = np.cross(g, both[0])[..., : np.shape(second)[-1]]
    return np.moveaxis(unbroadcast(by_a, first), -1, axisa), np.moveaxis(unbroadcast(by_b, second), -1, axisb)


def linalg_cross(g: Any, out: Any, x1: Any, x2: Any, axis: int = -1) -> tuple[Any, ...]:
    return cross(g, out, x1, x2, axis=axis)


def linalg_outer(g: Any, out: Any, x1: Any, x2: Any) -> tuple[Any, ...]:
    return g @ x2, x1 @ g
