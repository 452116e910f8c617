"""Derivatives of inserting, deleting and trimming."""

from __future__ import annotations

from typing import Any

import numpy as np

from .scatter import at_axis, counting, placed


def insert(g: Any, out: Any, arr: Any, obj: Any, values: Any, axis: Any = None) -> tuple[Any, ...]:
    """Numbers that are inserted at the same places tell where the values went."""
    flat = np.reshape(arr, -1) if axis is None else arr
    along = 0 if axis is None else axis % np.ndim(arr)
    length, new = np.shape(flat)[along], np.shape(g)[along]
    numbers = np.insert(np.full_like(counting(length, g), -1), obj, counting(new - length, g))
    kept_first = np.take(g, np.argsort(numbers, kind="stable"), axis=along)
    kept = kept_first[at_axis(along, slice(None, length))]
    shape = [*[1] * (np.ndim(flat) - np.ndim(values)), *np.shape(values)]
    by_values = kept_first[at_axis(along, slice(length, None))]
    if np.ndim(obj) == 0 and not isinstance(obj, slice):  # then the first axis of the values is the one they go along
        by_values = np.moveaxis(by_values, along, 0)
    repeated = tuple([i for i, (n, m) in enumerate(zip(shape, np.shape(by_values), strict=True)) if n != m])
    by_values = np.sum(by_values, axis=repeated, keepdims=True) if repeated else by_values
    return np.reshape(kept, np.shape(arr)), None, np.reshape(by_values, np.shape(values))


def delete(g: Any, out: Any, arr: Any, obj: Any, axis: Any = None) -> tuple[Any, ...]:
    flat = np.reshape(arr, -1) if axis is None else arr
    along = 0 if axis is None else axis % np.ndim(arr)
    kept = np.delete(counting(np.shape(flat)[along], g), obj)
    return np.reshape(placed(g, flat, at_axis(along, kept)), np.shape(arr)), None


def trim_zeros(g: Any, out: Any, filt: Any, trim: str = "fb", axis: Any = None) -> tuple[Any, ...]:
    ndim = np.ndim(filt)
    axes = range(ndim) if axis is None else [i % ndim for i in (axis if isinstance(axis, tuple) else (axis,))]
    index: list[Any] = [slice(None)] * ndim
    for i in axes:
        others = tuple([k for k in range(ndim) if k != i])
        start = np.argmax(np.any(np.not_equal(filt, 0), axis=others)) if "f" in trim.lower() else 0
        index[i] = slice(start, start + np.shape(g)[i])
    return (placed(g, filt, tuple(index)),)
