"""Derivatives of sorting: each element takes the cotangent of the place where it went."""

from __future__ import annotations

from typing import Any

import numpy as np

from .common import axes_of, of_array, with_axes
from .reduce import rows_of

Cotangents = tuple[Any, ...]

SLOPES = {
    "linear": -1.0,
    "weibull": 1.0,
    "hazen": 0.0,
    "interpolated_inverted_cdf": 0.0,
    "median_unbiased": 1 / 3,
    "normal_unbiased": 1 / 4,
}
"""How the place of a quantile among n sorted elements moves with it, less n. Other methods pick places that stay."""


@of_array
def of_sort(g: Any, out: Any, a: Any, axis: Any = -1, **options: Any) -> Cotangents:
    """`np.sort`: the place of each element is the inverse of the permutation that sorts."""
    return (_back(g, a, axis, lambda flat, along: np.argsort(flat, axis=along, kind="stable")),)


@of_array
def of_partition(g: Any, out: Any, a: Any, kth: Any, axis: Any = -1, **options: Any) -> Cotangents:
    return _back(g, a, axis, lambda flat, along: np.argpartition(flat, kth, axis=along)), None


def _back(g: Any, a: Any, axis: Any, order: Any) -> Any:
    flat, along = (np.ravel(a), 0) if axis is None or not np.ndim(a) else (a, axis)
    places = np.argsort(order(flat, along), axis=along)
    return np.reshape(np.take_along_axis(g, places, axis=along), np.shape(a))


def of_sort_complex(g: Any, out: Any, a: Any) -> Cotangents:
    return of_sort(g, out, a)


@of_array
def of_quantile(
    g: Any, out: Any, a: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: Any = False,
    weights: Any = None, skips_nan: bool = False,
) -> Cotangents:  # fmt: skip
    """A quantile stands at a place between two ranks: the elements of those two ranks have a share in it.

    The place is the quantile of the ranks themselves, whatever the method. By `q`: the distance of the two elements.
    By the weights it changes in steps.
    """
    if np.size(a) == 0:
        return np.zeros_like(a), np.zeros_like(q)
    rows, back = rows_of(a, axis)
    order = np.argsort(rows, axis=-1, kind="stable")
    ranks = np.argsort(order, axis=-1).astype(float)
    known: Any = np.where(np.isnan(rows), np.nan, ranks) if skips_nan else ranks
    options: dict[str, Any] = {"method": method}
    if weights is not None:
        wide = weights if np.ndim(weights) == np.ndim(a) else with_axes(weights, a, _others(a, axis))
        options["weights"] = rows_of(np.broadcast_to(wide, np.shape(a)), axis)[0]
    quantile = np.nanquantile if skips_nan else np.quantile
    places = quantile(known, q, axis=-1, **options)
    g = np.reshape(g, np.shape(places))
    away = np.expand_dims(places, -1) - ranks
    share = np.maximum(1 - np.abs(away), 0)
    of_rows = np.expand_dims(g, -1) * share
    if np.ndim(q):
        of_rows = np.sum(of_rows, axis=tuple(range(np.ndim(q))))
    count = np.sum(~np.isnan(rows), axis=-1) if skips_nan else np.shape(rows)[-1]
    speed = count + SLOPES[method] if method in SLOPES else 0.0
    step = np.sum(np.where((share > 0) & (away != 0), -np.sign(away) * rows, 0), axis=-1)
    of_q = np.sum(g * step * speed, axis=tuple(range(np.ndim(q), np.ndim(places))))
    return (back(of_rows), of_q) if weights is None else (back(of_rows), of_q, {"weights": None})


def _others(a: Any, axis: Any) -> tuple[int, ...]:
    axes = axes_of(axis, np.ndim(a))
    return tuple([i for i in range(np.ndim(a)) if i not in axes])


@of_array
def of_percentile(g: Any, out: Any, a: Any, q: Any, **options: Any) -> Cotangents:
    of_a, of_q, *of_weights = of_quantile(g, out, a, np.divide(q, 100), **options)
    return of_a, of_q / 100, *of_weights


@of_array
def of_nanquantile(g: Any, out: Any, a: Any, q: Any, **options: Any) -> Cotangents:
    return of_quantile(g, out, a, q, skips_nan=True, **options)


@of_array
def of_nanpercentile(g: Any, out: Any, a: Any, q: Any, **options: Any) -> Cotangents:
    return of_percentile(g, out, a, q, skips_nan=True, **options)


@of_array
def of_median(g: Any, out: Any, a: Any, **options: Any) -> Cotangents:
    return of_quantile(g, out, a, 0.5, **options)[:1]


@of_array
def of_nanmedian(g: Any, out: Any, a: Any, **options: Any) -> Cotangents:
    return of_nanquantile(g, out, a, 0.5, **options)[:1]
