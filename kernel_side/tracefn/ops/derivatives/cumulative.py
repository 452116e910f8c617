"""Derivatives of running totals, differences, gradients and integrals along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from .common import NO_VALUE, axes_of, number, of_array, sliced, unbroadcast, widened

Cotangents = tuple[Any, ...]


def from_the_end(g: Any, axis: int) -> Any:
    """The running sums from the end of an axis."""
    return np.flip(np.cumsum(np.flip(g, axis), axis=axis), axis)


def _along(a: Any, axis: Any) -> tuple[Any, int]:
    """The array that a total runs over, and the axis: that of the flattened one where none is given."""
    return (np.ravel(a), 0) if axis is None or not np.ndim(a) else (a, axis)


@of_array
def of_cumsum(g: Any, out: Any, a: Any, axis: Any = None, dtype: Any = None) -> Cotangents:
    return (np.reshape(from_the_end(g, _along(a, axis)[1]), np.shape(a)),)


@of_array
def of_nancumsum(g: Any, out: Any, a: Any, axis: Any = None, dtype: Any = None) -> Cotangents:
    return (np.where(np.isnan(a), 0, of_cumsum(g, out, a, axis)[0]),)


@of_array
def of_cumprod(g: Any, out: Any, a: Any, axis: Any = None, dtype: Any = None) -> Cotangents:
    x, along = _along(a, axis)
    x, g, out = [np.moveaxis(v, along, -1) for v in (x, g, out)]
    found = _by_factors(g, out, x, _ZEROS)
    return (np.reshape(np.moveaxis(found, -1, along), np.shape(a)),)


_ZEROS = 1
"""How many zeros the second derivative looks past: higher ones would need more."""


def _by_factors(g: Any, out: Any, x: Any, zeros: int) -> Any:
    """Before the first zero the sum of `g * out` from here on, over the element; at the first zero that of the products
    without it; behind it the zero times the derivative of these products."""
    is_zero = x == 0
    count = np.cumsum(is_zero, axis=-1)
    is_first = is_zero & (count == 1)
    others = np.where(is_first, number(1, x), x)
    products = np.cumprod(others, axis=-1)
    before = from_the_end(g * out, -1) / np.where(is_zero, number(1, x), x)
    at_zero = from_the_end(g * products, -1)
    zero = np.sum(np.where(is_first, x, number(0, x)), axis=-1, keepdims=True)
    behind = zero * _by_factors(g, products, others, zeros - 1) if zeros else number(0, x)
    return np.where(is_first, at_zero, np.where(count == 0, before, behind))


@of_array
def of_nancumprod(g: Any, out: Any, a: Any, axis: Any = None, dtype: Any = None) -> Cotangents:
    is_nan = np.isnan(a)
    return (np.where(is_nan, 0, of_cumprod(g, out, np.where(is_nan, number(1, a), a), axis)[0]),)


@of_array
def of_cumulative_sum(
    g: Any, out: Any, x: Any, axis: Any = None, dtype: Any = None, include_initial: Any = False
) -> Cotangents:
    along = 0 if axis is None else axis
    return of_cumsum(sliced(g, along, 1, None) if include_initial else g, out, x, along)


@of_array
def of_cumulative_prod(
    g: Any, out: Any, x: Any, axis: Any = None, dtype: Any = None, include_initial: Any = False
) -> Cotangents:
    along = 0 if axis is None else axis
    if include_initial:
        g, out = sliced(g, along, 1, None), sliced(out, along, 1, None)
    return of_cumprod(g, out, x, along)


def of_difference(g: Any, axis: int = -1) -> Any:
    """The cotangent of the operand of `np.diff`."""
    return -np.diff(g, axis=axis, prepend=number(0, g), append=number(0, g))


@of_array
def of_diff(
    g: Any, out: Any, a: Any, n: Any = 1, axis: Any = -1, prepend: Any = NO_VALUE, append: Any = NO_VALUE
) -> Cotangents:
    if n == 0:
        return (g,)
    ends = {name: v for name, v in (("prepend", prepend), ("append", append)) if v is not NO_VALUE}
    lengths = {name: np.shape(v)[axis] if np.ndim(v) else 1 for name, v in ends.items()}
    length = np.shape(a)[axis]
    if length + sum(lengths.values()) <= n:  # no difference is left
        return np.zeros_like(a), {name: np.zeros_like(v) for name, v in ends.items()}
    for _ in range(n):
        g = of_difference(g, axis)
    first = lengths.get("prepend", 0)
    pieces = {"prepend": (0, first), "append": (first + length, None)}
    found = {name: unbroadcast(sliced(g, axis, *pieces[name]), v) for name, v in ends.items()}
    return sliced(g, axis, first, first + length) if ends else g, found


@of_array
def of_ediff1d(g: Any, out: Any, ary: Any, to_end: Any = None, to_begin: Any = None) -> Cotangents:
    found: dict[str, Any] = {}
    first = 0
    if to_begin is not None:
        first = np.size(to_begin)
        found["to_begin"] = np.reshape(g[:first], np.shape(to_begin))
    size = np.size(ary)
    if to_end is not None:
        found["to_end"] = np.reshape(g[np.size(g) - np.size(to_end) :], np.shape(to_end))
    if size < 2:
        return np.zeros_like(ary), found
    return np.reshape(of_difference(g[first : first + size - 1]), np.shape(ary)), found


def of_trapezoid(g: Any, out: Any, y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Cotangents:
    """Each strip is its width by half the sum of the heights at its ends."""
    widths = dx
    if x is not None:
        along = axis if np.ndim(x) > 1 else 0
        widths = np.diff(x, axis=along)
        if np.ndim(x) == 1:
            widths = np.expand_dims(widths, tuple([i for i in range(np.ndim(y)) if i != axis % np.ndim(y)]))
    heights = (sliced(y, axis, 1, None) + sliced(y, axis, 0, -1)) / 2
    g = np.broadcast_to(np.expand_dims(g, axis), np.shape(widths * heights))
    half = unbroadcast(g * widths / 2, heights)
    none = np.zeros_like(sliced(y, axis, 0, 1))
    of_y = np.concatenate([none, half], axis=axis) + np.concatenate([half, none], axis=axis)
    of_widths = unbroadcast(g * heights, widths)
    if x is None:
        return of_y, {"dx": of_widths}
    return of_y, {"x": of_difference(np.ravel(of_widths) if np.ndim(x) == 1 else of_widths, along)}


def of_gradient(g: Any, out: Any, f: Any, *varargs: Any, axis: Any = None, edge_order: Any = 1) -> Cotangents:
    """Differences between points are slopes; inside, a gradient is the mean of two, each with the other's width."""
    f, axes = widened(f), axes_of(axis, np.ndim(f))
    spacings = list(varargs) * len(axes) if len(varargs) == 1 else list(varargs) or [1.0] * len(axes)
    of_f: Any = None
    found: list[Any] = []
    for each, along, spacing in zip(g if isinstance(g, tuple | list) else (g,), axes, spacings, strict=True):
        if each is None:
            found.append(None)
            continue
        equal = np.ones_like(each, shape=(np.shape(f)[along] - 1,))
        widths = (np.diff(widened(spacing)) if np.ndim(spacing) else spacing) * equal
        part, of_widths = _of_gradient(np.moveaxis(each, along, -1), np.moveaxis(f, along, -1), widths, edge_order)
        part = np.moveaxis(part, -1, along)
        of_f = part if of_f is None else of_f + part
        found.append(of_difference(of_widths) if np.ndim(spacing) else np.sum(of_widths))
    if len(varargs) == 1 and len(axes) > 1:
        found = [sum([part for part in found if part is not None])]
    return of_f, *(found if varargs else ())


def _of_gradient(g: Any, f: Any, widths: Any, edge_order: int) -> tuple[Any, Any]:
    """Along the last axis: the cotangents of the values and of the widths between their points."""
    slopes = np.diff(f, axis=-1) / widths
    left, right = widths[:-1], widths[1:]
    both = left + right
    inside = sliced(g, -1, 1, -1)
    of_slopes = _at(inside * right / both, 0, 1) + _at(inside * left / both, 1, 0)
    bend = np.diff(slopes, axis=-1)
    of_share = inside * bend / (both * both)
    of_widths = _at(of_share * right, 0, 1) - _at(of_share * left, 1, 0)
    first, last = sliced(g, -1, 0, 1), sliced(g, -1, -1, None)
    rest = np.shape(f)[-1] - 2
    of_slopes = of_slopes + _at(first, 0, rest) + _at(last, rest, 0)
    if edge_order == 2:  # the line through the first two slopes, and through the last two
        share, turn = left[:1] / both[:1], sliced(bend, -1, 0, 1) / (both[:1] * both[:1])
        of_slopes = of_slopes + _at(first * share, 0, rest) - _at(first * share, 1, rest - 1)
        of_widths = of_widths - _at(first * turn * right[:1], 0, rest) + _at(first * turn * left[:1], 1, rest - 1)
        share, turn = right[-1:] / both[-1:], sliced(bend, -1, -1, None) / (both[-1:] * both[-1:])
        of_slopes = of_slopes + _at(last * share, rest, 0) - _at(last * share, rest - 1, 1)
        of_widths = of_widths + _at(last * turn * left[-1:], rest, 0) - _at(last * turn * right[-1:], rest - 1, 1)
    of_widths = of_widths - of_slopes * slopes / widths
    return of_difference(of_slopes / widths), np.sum(of_widths, axis=tuple(range(np.ndim(f) - 1)))


def _at(value: Any, before: Any, after: Any) -> Any:
    """The value with zeros before and after it along the last axis."""
    return np.pad(value, [(0, 0)] * (np.ndim(value) - 1) + [(before, after)])
