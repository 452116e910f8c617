"""Derivatives of ops that pick values of arrays: equal elements have a share of the same size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .common import axes_of, number

Cotangents = tuple[Any, ...]


def of_values(g: Any, values: Any, arrays: Sequence[Any]) -> list[Any]:
    """The cotangents of arrays, given that of sorted values of which each is an element of some of them."""
    places = [np.searchsorted(values, a) for a in arrays]
    values = np.append(values, np.nan)  # the place of elements greater than all
    is_there = [values[place] == a for place, a in zip(places, arrays, strict=True)]
    ties, g = np.zeros_like(values), np.append(g, number(0, g))
    for place, there in zip(places, is_there, strict=True):
        np.add.at(ties, place, there)
    share = g / np.maximum(np.real(ties), 1)
    return [np.where(there, share[place], 0) for place, there in zip(places, is_there, strict=True)]


def of_unique(g: Any, out: Any, ar: Any, axis: Any = None, **options: Any) -> Any:
    values, by_values = (out[0], g[0]) if isinstance(out, tuple) else (out, g)
    if axis is not None:
        return (_of_slices(by_values, ar, axis, options),)
    return tuple(of_values(by_values, values, [ar])) if np.size(ar) else (np.zeros_like(ar),)


def _of_slices(g: Any, ar: Any, axis: int, options: dict[str, Any]) -> Any:
    """That of an array of whose slices along an axis equal ones have become one."""
    options = {k: v for k, v in options.items() if not k.startswith("return_")}
    _, inverse, counts = np.unique(ar, return_inverse=True, return_counts=True, axis=axis, **options)
    place = np.reshape(inverse, -1)
    (axis,) = axes_of(axis, np.ndim(ar))
    return np.take(g, place, axis) / np.expand_dims(counts[place], tuple(range(1, np.ndim(ar) - axis)))


def of_set_operation(g: Any, out: Any, ar1: Any, ar2: Any, return_indices: Any = False, **options: Any) -> Cotangents:
    values, by_values = (out[0], g[0]) if return_indices else (out, g)
    return tuple(of_values(by_values, values, [ar1, ar2]))


def of_difference_of_sets(g: Any, out: Any, ar1: Any, ar2: Any, **options: Any) -> Cotangents:
    return of_values(g, out, [ar1])[0], None
