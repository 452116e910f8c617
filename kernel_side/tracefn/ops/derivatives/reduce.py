"""Derivatives of reductions: sums, products, means, moments, extrema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .common import (
    NO_VALUE,
    axes_of,
    conjugated,
    count,
    masked,
    number,
    of_array,
    rounded,
    safe,
    sliced,
    unbroadcast,
    with_axes,
)

Cotangents = tuple[Any, ...]


def spread(g: Any, a: Any, axis: Any, keepdims: Any, where: Any = True) -> Any:
    """The cotangent of a sum as that of each element."""
    return masked(np.broadcast_to(with_axes(g, a, axis, keepdims), np.shape(a)), where)


def _with_initial(cotangent: Any, initial: Any, of_initial: Any) -> Cotangents:
    return (cotangent,) if initial is NO_VALUE else (cotangent, {"initial": unbroadcast(of_initial, initial)})


def _without_nan(a: Any, where: Any) -> Any:
    """The mask of the elements that a function which skips NaNs takes."""
    return ~np.isnan(a) if where is True or where is NO_VALUE else where & ~np.isnan(a)


@of_array
def of_sum(
    g: Any, out: Any, a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, initial: Any = NO_VALUE,
    where: Any = True,
) -> Cotangents:  # fmt: skip
    return _with_initial(spread(g, a, axis, keepdims, where), initial, g)


@of_array
def of_nansum(g: Any, out: Any, a: Any, where: Any = True, **options: Any) -> Cotangents:
    return of_sum(g, out, a, where=_without_nan(a, where), **options)


@of_array
def of_prod(
    g: Any, out: Any, a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, initial: Any = NO_VALUE,
    where: Any = True,
) -> Cotangents:  # fmt: skip
    """Each element has the product of the others, which is that of those before and of those behind it."""
    factors = a if where is True or where is NO_VALUE else np.where(where, a, number(1, a))
    rows, back = rows_of(np.broadcast_to(factors, np.shape(a)), axis)
    others = back(products_before(rows) * np.flip(products_before(np.flip(rows, -1)), -1))
    spread_out = spread(g, a, axis, keepdims, where)
    if initial is NO_VALUE:
        return (spread_out * others,)
    product = np.prod(factors, axis=axis if axis is None else axes_of(axis, np.ndim(a)), keepdims=_is_true(keepdims))
    return spread_out * others * initial, {"initial": unbroadcast(g * product, initial)}


@of_array
def of_nanprod(g: Any, out: Any, a: Any, where: Any = True, **options: Any) -> Cotangents:
    return of_prod(g, out, a, where=_without_nan(a, where), **options)


def products_before(rows: Any) -> Any:
    """For each element along the last axis the product of those before it."""
    first = np.ones_like(sliced(rows, -1, 0, 1))
    return np.cumprod(np.concatenate([first, sliced(rows, -1, 0, -1)], axis=-1), axis=-1)


def rows_of(a: Any, axis: Any) -> tuple[Any, Callable[[Any], Any]]:
    """The array with the elements that are reduced to one along its last axis, and the way back to its shape."""
    axes = axes_of(axis, np.ndim(a))
    last = tuple(range(np.ndim(a) - len(axes), np.ndim(a)))
    moved = np.moveaxis(a, axes, last) if axes != last else a
    shape = np.shape(moved)
    rows = moved if len(axes) == 1 else np.reshape(moved, (*shape[: len(shape) - len(axes)], count(a, axis)))

    def back(found: Any) -> Any:
        found = np.reshape(found, shape) if len(axes) != 1 else found
        return np.moveaxis(found, last, axes) if axes != last else found

    return rows, back


@of_array
def of_mean(
    g: Any, out: Any, a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, where: Any = True
) -> Cotangents:
    return (spread(g / _number_of(a, axis, keepdims, where, out), a, axis, keepdims, where),)


@of_array
def of_nanmean(g: Any, out: Any, a: Any, where: Any = True, **options: Any) -> Cotangents:
    return of_mean(g, out, a, where=_without_nan(a, where), **options)


def _number_of(a: Any, axis: Any, keepdims: Any, where: Any, out: Any) -> Any:
    """How many elements become one: a number, or with a mask an array like the result."""
    if where is True or where is NO_VALUE:
        return count(a, axis)
    taken = np.broadcast_to(where, np.shape(a))
    axes = axis if axis is None else axes_of(axis, np.ndim(a))
    return np.sum(taken, axis=axes, dtype=out.dtype, keepdims=_is_true(keepdims))


def _is_true(keepdims: Any) -> Any:
    return keepdims is not NO_VALUE and bool(keepdims)


@of_array
def of_var(g: Any, out: Any, a: Any, **options: Any) -> Cotangents:
    return _of_moment(g, out, a, **options)


def _of_moment(
    g: Any, out: Any, a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False,
    where: Any = True, mean: Any = NO_VALUE, correction: Any = NO_VALUE, is_centred: bool = False,
) -> Cotangents:  # fmt: skip
    """Twice the distance from the mean, over the number of degrees of freedom. Distances that are `is_centred` have no
    mean of their own, but for the rounding error of the mean in them."""
    known = mean
    mask = {} if where is True or where is NO_VALUE else {"where": where}
    axes = axis if axis is None else axes_of(axis, np.ndim(a))
    if mean is NO_VALUE:
        mean = np.mean(a, axis=axes, keepdims=True, **mask)
    distance = a - mean
    if is_centred and known is NO_VALUE:
        distance = distance - np.mean(distance, axis=axes, keepdims=True, **mask)
    freedom = _number_of(a, axis, keepdims, where, out) - (ddof if correction is NO_VALUE else correction)
    found = spread(2 * g / freedom, a, axis, keepdims) * conjugated(masked(distance, where))
    return (found,) if known is NO_VALUE else (found, {"mean": unbroadcast(-found, known)})


@of_array
def of_nanvar(g: Any, out: Any, a: Any, where: Any = True, **options: Any) -> Cotangents:
    return _of_moment(g, out, a, where=_without_nan(a, where), **options)


@of_array
def of_std(g: Any, out: Any, a: Any, **options: Any) -> Cotangents:
    """That of the square root of the variance, 0 where all elements are the same: rounding may leave a distance of each
    from the mean, and then a standard deviation as small."""
    return _of_moment(_of_root(g, out), out, a, is_centred=True, **options)


@of_array
def of_nanstd(g: Any, out: Any, a: Any, where: Any = True, **options: Any) -> Cotangents:
    return of_std(g, out, a, where=_without_nan(a, where), **options)


def _of_root(g: Any, out: Any) -> Any:
    return np.where(out == 0, 0, g / (2 * safe(out)))


@of_array
def of_extremum(
    g: Any, out: Any, a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, initial: Any = NO_VALUE,
    where: Any = True,
) -> Cotangents:  # fmt: skip
    """All that are equal to the extremum have a share of the same size."""
    is_extremum = rounded(a, out) == with_axes(out, a, axis, keepdims)
    if where is not True and where is not NO_VALUE:
        is_extremum = is_extremum & where
    ties = _number_of(a, axis, keepdims, is_extremum, out)
    if initial is NO_VALUE:
        return (spread(g / ties, a, axis, keepdims, is_extremum),)
    is_initial = out == rounded(initial, out)
    share = g / (ties + is_initial)
    return _with_initial(spread(share, a, axis, keepdims, is_extremum), initial, masked(share, is_initial))


@of_array
def of_ptp(g: Any, out: Any, a: Any, axis: Any = None, keepdims: Any = False) -> Cotangents:
    ends = []
    for call in (np.max, np.min):
        end = call(a, axis=axis if axis is None else axes_of(axis, np.ndim(a)), keepdims=_is_true(keepdims))
        ends.append(of_extremum(g, end, a, axis, keepdims=keepdims)[0])
    return (ends[0] - ends[1],)


@of_array
def of_average(
    g: Any, out: Any, a: Any, axis: Any = None, weights: Any = None, returned: Any = False, keepdims: Any = False
) -> Cotangents:
    """By the weights: how far each element is from the average. The second result is the sum of the weights."""
    of_average, of_total = g if returned else (g, None)
    average = out[0] if returned else out
    if weights is None:
        return (None,) if of_average is None else of_mean(of_average, out, a, axis, keepdims=keepdims)
    axes = axes_of(axis, np.ndim(a))
    wide = weights
    if np.ndim(weights) != np.ndim(a):
        order = np.argsort(axes)
        wide = np.expand_dims(np.transpose(weights, order), tuple([i for i in range(np.ndim(a)) if i not in axes]))
    total = np.sum(np.broadcast_to(wide, np.shape(a)), axis=axes, keepdims=True)
    of_wide = 0 if of_total is None else spread(of_total, a, axis, keepdims)
    of_a = None
    if of_average is not None:
        share = with_axes(of_average, a, axis, keepdims) / total
        of_a = share * wide
        if average is None:
            average = np.average(a, axis=axis, weights=weights, keepdims=_is_true(keepdims))
        of_wide = of_wide + share * (a - with_axes(average, a, axis, keepdims))
    if wide is not weights:
        others = tuple([i for i in range(np.ndim(a)) if i not in axes])
        of_wide = np.transpose(np.sum(of_wide, axis=others), np.argsort(order))
    return of_a, {"weights": of_wide}
