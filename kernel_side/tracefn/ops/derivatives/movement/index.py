"""Derivatives of reading by index."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..common import unbroadcast
from .scatter import at_axis, counting, placed, scattered


def getitem(g: Any, out: Any, a: Any, index: Any) -> tuple[Any, ...]:
    """Of an index that picks no element twice."""
    if a.dtype.kind == "V":
        return NotImplemented
    return placed(g, a, index), None


def getitem_advanced(g: Any, out: Any, a: Any, index: Any) -> tuple[Any, ...]:
    if a.dtype.kind == "V":
        return NotImplemented
    return placed(g, a, index) if picks_once(index) else scattered(g, a, index), None


def picks_once(index: Any) -> bool:
    """True for slices, single numbers and a mask, or one array of integers that are known and differ.

    >>> picks_once([0, 2]), picks_once([0, 0]), picks_once((slice(None), np.array([True, False])))
    (True, False, True)
    """
    parts = index if isinstance(index, tuple) else (index,)
    arrays = [p for p in parts if isinstance(p, list | range) or getattr(p, "ndim", 0) > 0]
    if not arrays:
        return True
    if len(arrays) > 1:
        return False
    (found,) = arrays
    if hasattr(found, "dtype") and type(found) is not np.ndarray:
        return bool(found.dtype.kind == "b")
    if isinstance(found, list) and not all(isinstance(i, int) for i in found):
        return False
    known = np.asarray(found)
    if known.dtype.kind == "b" or not known.size:
        return True
    return bool((known.min() >= 0 or known.max() < 0) and np.unique(known).size == known.size)


def take(g: Any, out: Any, a: Any, indices: Any, axis: Any = None, mode: str = "raise") -> tuple[Any, ...]:
    flat = np.reshape(a, -1) if axis is None or not np.ndim(a) else a
    along = 0 if axis is None else axis % np.ndim(flat)
    length = np.shape(flat)[along]
    if mode == "wrap":
        indices = np.remainder(indices, length)
    elif mode == "clip":
        indices = np.clip(indices, 0, length - 1)
    elif not np.size(indices):
        indices = np.zeros(np.shape(indices), np.intp)
    index = at_axis(along, indices)
    made = placed(g, flat, index) if picks_once(index) else scattered(g, flat, index)
    return np.reshape(made, np.shape(a)), None


def take_along_axis(g: Any, out: Any, arr: Any, indices: Any, axis: Any = -1) -> tuple[Any, ...]:
    if axis is None:
        return np.reshape(scattered(g, np.reshape(arr, -1), indices), np.shape(arr)), None
    return scattered(g, arr, along_axis(arr, indices, axis)), None


def along_axis(arr: Any, indices: Any, axis: int) -> tuple[Any, ...]:
    """The index that picks the elements of `np.take_along_axis`."""
    axis, ndim = axis % np.ndim(arr), np.ndim(arr)
    grid = [np.reshape(counting(n, arr), (*[1] * i, -1, *[1] * (ndim - i - 1))) for i, n in enumerate(np.shape(arr))]
    return (*grid[:axis], indices, *grid[axis + 1 :])


def compress(g: Any, out: Any, condition: Any, a: Any, axis: Any = None) -> tuple[Any, ...]:
    flat = np.reshape(a, -1) if axis is None else a
    index = at_axis(0 if axis is None else axis % np.ndim(a), np.flatnonzero(condition))
    return None, np.reshape(placed(g, flat, index), np.shape(a))


def extract(g: Any, out: Any, condition: Any, arr: Any) -> tuple[Any, ...]:
    return None, np.reshape(placed(g, np.reshape(arr, -1), np.flatnonzero(condition)), np.shape(arr))


def choose(g: Any, out: Any, a: Any, choices: Any, mode: str = "raise") -> tuple[Any, ...]:
    count = len(choices)
    index = np.remainder(a, count) if mode == "wrap" else np.clip(a, 0, count - 1)
    parts = [unbroadcast(np.where(index == i, g, 0), choices[i]) for i in range(count)]
    return None, parts if isinstance(choices, list | tuple) else np.stack(parts)
