"""Derivatives of convolution, interpolation and phase unwrapping."""

from __future__ import annotations

from typing import Any

import numpy as np

from .common import conjugated, unbroadcast, widened
from .movement.scatter import scattered

Cotangents = tuple[Any, ...]


def of_convolve(g: Any, out: Any, a: Any, v: Any, mode: Any = "full") -> Cotangents:
    """Each signal has the correlation of the cotangent with the other one."""
    a, v = _signal(a), _signal(v)
    shorter = min(np.shape(a)[0], np.shape(v)[0])
    g = _full(g, {"full": 0, "same": (shorter - 1) // 2, "valid": shorter - 1}[_name(mode)], a, v)
    return np.correlate(g, conjugated(v), "valid"), np.correlate(g, conjugated(a), "valid")


def of_correlate(g: Any, out: Any, a: Any, v: Any, mode: Any = "valid") -> Cotangents:
    """A correlation is a convolution with the conjugate from its end."""
    a, v = _signal(a), _signal(v)
    longer = min(np.shape(a)[0], np.shape(v)[0])
    is_swapped = np.shape(v)[0] > np.shape(a)[0]
    start = {"full": 0, "same": longer // 2 if is_swapped else (longer - 1) // 2, "valid": longer - 1}[_name(mode)]
    g = _full(g, start, a, v)
    by_a = np.correlate(g, np.flip(v, 0), "valid")
    by_v = np.flip(np.correlate(g, conjugated(a), "valid"), 0)
    return by_a, conjugated(by_v)


def _signal(value: Any) -> Any:
    """A signal as an array: it may be a number, or a list of them."""
    return np.stack(value) if isinstance(value, list | tuple) else np.atleast_1d(value)


def _name(mode: Any) -> str:
    return ("valid", "same", "full")[mode] if isinstance(mode, int) else mode


def _full(g: Any, start: Any, a: Any, v: Any) -> Any:
    """The cotangent as that of mode 'full', of which a mode takes a part from `start` on."""
    return np.pad(g, (start, np.shape(a)[0] + np.shape(v)[0] - 1 - start - np.shape(g)[0]))


def of_interp(
    g: Any, out: Any, x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Cotangents:
    """By `x` the slope of the piece that it is in; by the heights of the two points how near x is to each; by their
    places minus the slope times that. Beside the points: the given number, or the height of the outermost."""
    order = None
    x, xp, fp = widened(x), widened(np.atleast_1d(xp)), widened(np.atleast_1d(fp))
    like_xp, like_fp = xp, fp
    if period is not None:  # one point more on each side, a period away
        left = right = None
        x, xp = x % period, xp % period
        order = np.argsort(xp + 0.0)  # of floats, as NumPy has it: equal ones may come in another order
        order = np.concatenate([order[-1:], order, order[:1]])
        turns = np.pad(np.zeros_like(like_xp), 1, constant_values=(-1, 1))
        xp, fp = xp[order] + turns * period, fp[order]
    last = np.shape(xp)[0] - 1
    start = np.clip(np.searchsorted(xp, x, side="right") - 1, 0, max(last - 1, 0))
    end = np.minimum(start + 1, last)
    is_left, is_right = np.less(x, xp[0]), np.greater(x, xp[-1])
    width = np.where(start == end, 1, xp[end] - xp[start])
    slope = np.where(is_left | is_right, 0, (fp[end] - fp[start]) / width)
    near = np.clip((x - xp[start]) / width, 0, 1)
    outer = {"left": (left, is_left), "right": (right, is_right)}
    found = {name: unbroadcast(np.where(there, g, 0), v) for name, (v, there) in outer.items() if v is not None}
    by_heights = np.where((is_left & (left is not None)) | (is_right & (right is not None)), 0, g)
    ends = ((start, 1 - near), (end, near))
    by_fp = sum([scattered(by_heights * share, fp, place) for place, share in ends])
    by_xp = sum([scattered(-g * slope * share, fp, place) for place, share in ends])
    if order is not None:
        by_fp, by_xp = scattered(by_fp, like_fp, order), scattered(by_xp, like_xp, order)
    return g * slope, by_xp, by_fp, found


def of_unwrap(g: Any, out: Any, p: Any, discont: Any = None, axis: Any = -1, period: Any = 2 * np.pi) -> Cotangents:
    """Whole periods are added: their number changes in steps."""
    turns = np.rint((out - p) / period)
    return g, {"period": np.sum(g * turns), "discont": None}
