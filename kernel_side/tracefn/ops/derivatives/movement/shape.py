"""Derivatives of ops that move elements: other shapes, axes, windows, repetitions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .scatter import at_axis, counting, positions, scattered, scattered_flat

MAX_WINDOW = 32
"""The size of a window from which on windows are summed by position, and not one slice after another."""


def reshape(g: Any, out: Any, a: Any, shape: Any, order: Any = "C", copy: Any = None) -> tuple[Any, ...]:
    if order == "A":
        return (_moved_back(g, a, lambda p: np.reshape(p, shape, order=order)),)
    return (np.reshape(g, np.shape(a), order=order), None)


def ravel(g: Any, out: Any, a: Any, order: Any = "C") -> tuple[Any, ...]:
    if order in "AK":
        return (_moved_back(g, a, lambda p: np.ravel(p, order)),)
    return (np.reshape(g, np.shape(a), order=order),)


def _moved_back(g: Any, a: Any, move: Any) -> Any:
    """The cotangent where the layout of `a` in memory decides the order of its elements."""
    return scattered_flat(np.reshape(g, -1), a, np.reshape(move(positions(a)), -1))


def resize(g: Any, out: Any, a: Any, new_shape: Any) -> tuple[Any, ...]:
    return (scattered_flat(np.reshape(g, -1), a, np.reshape(np.resize(positions(a), np.shape(g)), -1)), None)


def broadcast_arrays(g: Any, out: Any, *args: Any, subok: bool = False) -> tuple[Any, ...]:
    return tuple(g)


def meshgrid(
    g: Any, out: Any, *xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[Any, ...]:
    order = list(range(len(xi)))
    if indexing == "xy" and len(xi) > 1:
        order[:2] = [1, 0]
    return tuple([_along(part, axis, x) for part, axis, x in zip(g, order, xi, strict=True)])


def _along(g: Any, axis: int, like: Any) -> Any:
    if g is None:
        return None
    others = tuple([i for i in range(np.ndim(g)) if i != axis])
    return np.reshape(np.sum(g, axis=others), np.shape(like))


def sliding_window_view(g: Any, out: Any, x: Any, window_shape: Any, axis: Any = None, **kwargs: Any) -> Any:
    """Each element is in several windows: the sum over the places in a window of the window's cotangents, moved."""
    windows = window_shape if isinstance(window_shape, tuple | list) else (window_shape,)
    axes = range(len(windows)) if axis is None else axis if isinstance(axis, tuple | list) else (axis,)
    axes = [i % np.ndim(x) for i in axes]
    if math.prod(map(int, windows)) > MAX_WINDOW:
        view = np.lib.stride_tricks.sliding_window_view(positions(x), window_shape, axis)
        return scattered_flat(np.reshape(g, -1), x, np.reshape(view, -1)), None
    made = np.zeros_like(x, dtype=g.dtype)
    for place in np.ndindex(*map(int, windows)):
        index = [slice(None)] * np.ndim(x)
        for i, offset in zip(axes, place, strict=True):
            start = (index[i].start or 0) + offset
            index[i] = slice(start, start + np.shape(g)[i])
        moved = made[tuple(index)]
        moved += g[(..., *place)]
    return made, None


def transpose(g: Any, out: Any, a: Any, axes: Any = None) -> tuple[Any, ...]:
    if axes is None:
        return (np.transpose(g),)
    order = [int(axis) % np.ndim(a) for axis in axes]
    return (np.transpose(g, [order.index(i) for i in range(len(order))]),)


def moveaxis(g: Any, out: Any, a: Any, source: Any, destination: Any) -> tuple[Any, ...]:
    return np.moveaxis(g, destination, source), None, None


def rollaxis(g: Any, out: Any, a: Any, axis: Any, start: Any = 0) -> tuple[Any, ...]:
    axis, start = axis % np.ndim(a), start + np.ndim(a) if start < 0 else start
    return np.moveaxis(g, start - 1 if axis < start else start, axis), None


def rot90(g: Any, out: Any, m: Any, k: Any = 1, axes: Any = (0, 1)) -> tuple[Any, ...]:
    return (np.rot90(g, -k, axes),)


def roll(g: Any, out: Any, a: Any, shift: Any, axis: Any = None) -> tuple[Any, ...]:
    back = type(shift)([-n for n in shift]) if isinstance(shift, list | tuple) else -shift
    return np.roll(g, back, axis), None


def each(g: Any, out: Any, *arys: Any) -> tuple[Any, ...]:
    """`np.atleast_1d` and its like, of one array or several."""
    parts = g if len(arys) > 1 else (g,)
    return tuple([None if p is None else np.reshape(p, np.shape(a)) for p, a in zip(parts, arys, strict=True)])


def tile(g: Any, out: Any, A: Any, reps: Any) -> tuple[Any, ...]:
    counts = [*reps] if np.ndim(reps) else [reps]
    shape = [*np.shape(A)]
    ndim = max(len(counts), len(shape))
    counts, shape = [1] * (ndim - len(counts)) + counts, [1] * (ndim - len(shape)) + shape
    split = [n for pair in zip(counts, shape, strict=True) for n in pair]
    summed = np.sum(np.reshape(g, split), axis=tuple(range(0, 2 * ndim, 2)))
    return np.reshape(summed, np.shape(A)), None


def repeat(g: Any, out: Any, a: Any, repeats: Any, axis: Any = None) -> tuple[Any, ...]:
    flat = np.reshape(a, -1) if axis is None else a
    along = 0 if axis is None else axis % np.ndim(a)
    shape = np.shape(flat)
    if np.size(repeats) == 1 and not hasattr(repeats, "dtype"):
        count = np.shape(g)[along] if shape[along] == 1 else repeats if np.ndim(repeats) == 0 else repeats[0]
        made = np.sum(np.reshape(g, (*shape[: along + 1], int(count), *shape[along + 1 :])), axis=along + 1)
    else:
        places = np.repeat(counting(shape[along], g), repeats)
        made = scattered(g, flat, at_axis(along, places))
    return np.reshape(made, np.shape(a)), None
