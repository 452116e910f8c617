"""Derivatives of ops that pick values of arrays: equal elements have a share of the same size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .common import number

Cotangents = tuple[Any, ...]


def of_values(g: Any, values: Any, arrays: Sequence[Any]) -> list[Any]:
    """The cotangents of arrays, given that of sorted values of which each is an element of some of them."""
    places = [np.searchsorted(values, a) for a in arrays]
    values = np.append(values, np.nan)  # the place of what is greater than all
    is_there = [values[place] == a for place, a in zip(places, arrays, strict=True)]
    ties, g = np.zeros_like(values), np.append(g, number(0, g))
    for place, there in zip(places, is_there, strict=True):
        np.add.at(ties, place, there)
    share = g / np.maximum(np.real(ties), 1)
    return [np.where(there, share[place], 0) for place, there in zip(places, is_there, strict=True)]


def of_unique(g: Any, out: Any, ar: Any, axis: Any = None, **options: Any) -> Any:
    several = isinstance(out, tuple)
    if axis is not None:
        return NotImplemented
    values, by_values = (out[0], g[0]) if several else (out, g)
    return tuple(of_values(by_values, values, [ar])) if np.size(ar) else (np.zeros_like(ar),)


def of_set_operation(g: Any, out: Any, ar1: Any, ar2: Any, return_indices: Any = False, **options: Any) -> Cotangents:
    values, by_values = (out[0], g[0]) if return_indices else (out, g)
    return tuple(of_values(by_values, values, [ar1, ar2]))


def of_difference_of_sets(g: Any, out: Any, ar1: Any, ar2: Any, **options: Any) -> Cotangents:
    return of_values(g, out, [ar1])[0], None
