"""Derivatives of the methods of ufuncs: of sums, products and extrema, and of any ufunc's outer one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import reduce
from .common import NO_VALUE, is_float, masked, places, rounded, unbroadcast
from .cumulative import of_cumprod, of_cumsum
from .reduce import rows_of, spread

Cotangents = tuple[Any, ...]
Rule = Callable[..., Cotangents]

EXTREMA = (np.maximum, np.minimum, np.fmax, np.fmin)


def rule_of(ufunc: np.ufunc, method: str, partials: tuple[Any, ...] | None) -> Rule | None:
    """The derivative of a method of a ufunc with these partial derivatives. None where it is not known."""
    known = _RULES[method].get(ufunc) if method in _RULES else None
    if known is not None or partials is None or ufunc in _LEFT_OUT.get(method, ()):
        return known
    return _OF_PARTIALS[method](ufunc, partials)


def _along(axis: Any, rule: Rule) -> Rule:
    """A rule with another axis where none is given."""

    def of_method(g: Any, out: Any, array: Any, axis: Any = axis, **options: Any) -> Cotangents:
        return rule(g, out, array, axis=axis, **options)

    return of_method


def of_logaddexp(
    g: Any, out: Any, a: Any, axis: Any = 0, dtype: Any = None, keepdims: Any = False, initial: Any = NO_VALUE,
    where: Any = True,
) -> Cotangents:  # fmt: skip
    """Each element has the share of its exponential in the sum of them."""
    total = spread(out, a, axis, keepdims)
    share = np.exp(masked(np.where(a == total, 0, a - total), where))
    found = spread(g, a, axis, keepdims, where) * share
    return (found,) if initial is NO_VALUE else (found, {"initial": unbroadcast(g * np.exp(initial - out), initial)})


def of_accumulated_extremum(g: Any, out: Any, a: Any, axis: Any = 0, dtype: Any = None) -> Cotangents:
    """An element that is the extremum from its place on takes the cotangents up to the next one."""
    moved = np.moveaxis(a, axis, 0)
    if not np.size(a):
        return (g,)
    rows, out, g = [np.reshape(np.moveaxis(v, axis, 0), (np.shape(moved)[0], -1)) for v in (a, out, g)]
    is_new = np.concatenate([np.ones_like(out[:1], dtype=bool), out[1:] != out[:-1]])
    holder = np.maximum.accumulate(np.where(is_new, np.expand_dims(places(rows, 0), 1), 0), axis=0)
    found = np.zeros_like(rows)
    np.add.at(found, (holder, places(rows, 1)), g)
    return (np.moveaxis(np.reshape(found, np.shape(moved)), 0, axis),)


def of_add_reduceat(g: Any, out: Any, array: Any, indices: Any, axis: Any = 0, dtype: Any = None) -> Cotangents:
    """Running sums of cotangents that begin at the start of each part, and end at the start of the next."""
    if not is_float(array):
        return None, None
    g, moved = np.moveaxis(g, axis, 0), np.moveaxis(array, axis, 0)
    starts, ends = _parts(indices, moved)
    steps = np.zeros_like(np.concatenate([moved, moved[:1]]))
    np.add.at(steps, starts, g)
    np.subtract.at(steps, ends, g)
    return np.moveaxis(np.cumsum(steps, axis=0)[:-1], 0, axis), None


def of_extremum_reduceat(g: Any, out: Any, array: Any, indices: Any, axis: Any = 0, dtype: Any = None) -> Cotangents:
    """In each part, all that are equal to the extremum have a share of the same size."""
    if not is_float(array):
        return None, None
    g, out, moved = [np.moveaxis(v, axis, 0) for v in (g, out, array)]
    at, inside = _elements(indices, moved)
    is_extremum = inside & (rounded(moved, out)[at] == out)
    share = g / np.sum(is_extremum, axis=0, dtype=g.dtype)
    return np.moveaxis(_put_back(np.where(is_extremum, share, 0), at, moved), 0, axis), None


def _reduceat(ufunc: np.ufunc, partials: tuple[Any, ...]) -> Rule:
    filler = 1 if ufunc.identity is None else ufunc.identity  # its part of the way back is left out

    def of_reduceat(g: Any, out: Any, array: Any, indices: Any, axis: Any = 0, dtype: Any = None) -> Cotangents:
        if not is_float(array):
            return None, None
        g, moved = np.moveaxis(g, axis, 0), np.moveaxis(array, axis, 0)
        at, inside = _elements(indices, moved)
        x = np.where(inside, moved[at], np.full_like(moved, filler, shape=()))
        is_last = inside & ~np.concatenate([inside[1:], np.zeros_like(inside[:1])])
        found = _steps_back(partials, np.where(is_last, g, 0), ufunc.accumulate(x, axis=0), x)
        return np.moveaxis(_put_back(np.where(inside, found, 0), at, moved), 0, axis), None

    return of_reduceat


def _parts(indices: Any, moved: Any) -> tuple[Any, Any]:
    """Where the parts of `reduceat` along the first axis start, and end."""
    starts = np.atleast_1d(indices)
    behind = np.concatenate([starts[1:], np.full_like(starts, np.shape(moved)[0], shape=(1,))])
    return starts, np.where(starts < behind, behind, starts + 1)


def _elements(indices: Any, moved: Any) -> tuple[Any, Any]:
    """The numbers of the elements of each part: row k has those that are element k of their parts, of which there are
    as many as elements in all. The mask, for all axes, says which are inside of the parts."""
    starts, ends = _parts(indices, moved)
    at = np.expand_dims(places(moved, 0), 1) + starts
    return np.minimum(at, ends - 1), np.reshape(at < ends, (*np.shape(at), *[1] * (np.ndim(moved) - 1)))


def _put_back(found: Any, at: Any, moved: Any) -> Any:
    made = np.zeros_like(moved)
    np.add.at(made, at, found)
    return made


def _accumulate(ufunc: np.ufunc, partials: tuple[Any, ...]) -> Rule:
    def of_accumulate(g: Any, out: Any, array: Any, axis: Any = 0, dtype: Any = None) -> Cotangents:
        if not is_float(array):
            return (None,)
        found = _steps_back(partials, *[np.moveaxis(v, axis, 0) for v in (g, out, array)])
        return (np.moveaxis(found, 0, axis),)

    return of_accumulate


def _reduce(ufunc: np.ufunc, partials: tuple[Any, ...]) -> Rule:
    def of_reduce(
        g: Any, out: Any, array: Any, axis: Any = 0, dtype: Any = None, keepdims: Any = False, **options: Any
    ) -> Any:
        if options:
            return NotImplemented
        if not np.ndim(array) or not is_float(array):
            return (g,)
        rows, back = rows_of(array, axis)
        rows = np.moveaxis(rows, -1, 0)
        last = np.reshape(g, np.shape(rows[-1:]))
        found = _steps_back(
            partials, np.concatenate([np.zeros_like(rows[:-1]), last]), ufunc.accumulate(rows, axis=0), rows
        )
        return (back(np.moveaxis(found, 0, -1)),)

    return of_reduce


def _steps_back(partials: tuple[Any, ...], g: Any, out: Any, x: Any) -> Any:
    """The cotangent of `x`, of which `out[k]` is the ufunc of `out[k - 1]` and `x[k]`, along the first axis.

    That of each `out[k]` is `g[k]` and the share from `out[k + 1]`. Such steps are put together two, four, ... at
    a time.
    """
    by_before, by_x = [p(out[1:], out[:-1], x[1:]) if callable(p) else p * np.ones_like(out[1:]) for p in partials]
    total, factor = np.flip(g, 0), np.concatenate([np.zeros_like(out[:1]), np.flip(by_before, 0)])
    step = 1
    while step < np.shape(g)[0]:
        total = np.concatenate([total[:step], total[step:] + factor[step:] * total[:-step]])
        factor = np.concatenate([np.zeros_like(factor[:step]), factor[step:] * factor[:-step]])
        step *= 2
    total = np.flip(total, 0)
    return np.concatenate([total[:1], total[1:] * by_x])


def _outer(ufunc: np.ufunc, partials: tuple[Any, ...]) -> Rule:
    def of_outer(g: Any, out: Any, A: Any, B: Any, **options: Any) -> Cotangents:
        g = masked(g, options.get("where", True))
        last = tuple(range(np.ndim(A), np.ndim(A) + np.ndim(B)))
        operands = np.expand_dims(A, last), B
        found: list[Any] = []
        for partial, operand, axes in zip(partials, operands, (last, tuple(range(np.ndim(A)))), strict=True):
            if is_float(operand):
                slope = partial(out, *operands) if callable(partial) else partial
                found.append(np.sum(g * slope, axis=axes))
            else:
                found.append(None)
        return tuple(found)

    return of_outer


_UNLIKE = (np.power, np.float_power, np.arctan2)
"""Ufuncs whose `reduce` and `reduceat` differ from the last element of `accumulate`."""

_LEFT_OUT: dict[str, tuple[np.ufunc, ...]] = {
    "accumulate": (np.ldexp,),
    "reduceat": (np.ldexp, *_UNLIKE),
    "reduce": (np.ldexp, *_UNLIKE),
}
"""Methods without a derivative."""

_RULES: dict[str, dict[np.ufunc, Rule]] = {
    "reduce": {
        np.add: _along(0, reduce.of_sum),
        np.multiply: _along(0, reduce.of_prod),
        np.logaddexp: of_logaddexp,
        **{ufunc: _along(0, reduce.of_extremum) for ufunc in EXTREMA},
    },
    "accumulate": {
        np.add: _along(0, of_cumsum),
        np.multiply: _along(0, of_cumprod),
        **dict.fromkeys(EXTREMA, of_accumulated_extremum),
    },
    "reduceat": {np.add: of_add_reduceat, **dict.fromkeys(EXTREMA, of_extremum_reduceat)},
}

_OF_PARTIALS = {"outer": _outer, "accumulate": _accumulate, "reduce": _reduce, "reduceat": _reduceat}
