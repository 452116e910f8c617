"""Pooling: the largest element of each window, and the mean."""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import numpy as np

from ..gradients import custom_gradient
from .windows import Padding, Sizes, each, padded


def max_pool(x: Any, window: Sizes, stride: Sizes | None = None, padding: Padding = 0) -> Any:
    """The largest element of each window of the axes behind the first two, batch and channels.

    `x` has shape (batch, channels, *lengths), of any number of lengths; `window` is a number or one for each of them,
    and so is `stride`, which is that of the window where it is None. The result has the dtype of `x` and the lengths
    (length + pads - window) // stride + 1. Padding never counts. Where several elements are the largest, they
    share the gradient.

    >>> max_pool(np.arange(16.0).reshape(1, 1, 4, 4), 2)
    array([[[[ 5.,  7.],
             [13., 15.]]]])
    """
    sizes, strides = _checked(x, window, stride)
    dtype = np.result_type(x)
    least = -np.inf if dtype.kind == "f" else np.iinfo(dtype).min if dtype.kind in "iu" else False
    return _largest(*_parted(padded(x, padding, sizes, strides, least), sizes, strides))


def avg_pool(
    x: Any,
    window: Sizes,
    stride: Sizes | None = None,
    padding: Padding = 0,
    count_include_pad: bool = True,
) -> Any:
    """The mean of each window of the axes behind the first two; the arguments and the shape are as in `max_pool`.

    Zeros that are padded count as elements, as they do in PyTorch, unless `count_include_pad` is False.

    >>> avg_pool(np.arange(16.0).reshape(1, 1, 4, 4), 2)
    array([[[[ 2.5,  4.5],
             [10.5, 12.5]]]])
    """
    sizes, strides = _checked(x, window, stride)
    total = _sum(*_parted(padded(x, padding, sizes, strides), sizes, strides))
    if count_include_pad:
        return total / math.prod(sizes)
    ones = padded(np.ones_like(x[:1, :1]), padding, sizes, strides)
    return total / _sum(*_parted(ones, sizes, strides))


@custom_gradient
def _largest(x: Any, places: list[Any]) -> Any:
    """The largest of the parts of `x` at some places, element by element."""
    out = functools.reduce(np.maximum, [x[place] for place in places])

    def pull(g: Any) -> Any:
        share = g / sum((x[place] == out).astype(g.dtype) for place in places)
        return _put(x, places, [np.where(x[place] == out, share, 0) for place in places])

    return out, pull


@custom_gradient
def _sum(x: Any, places: list[Any]) -> Any:
    """The sum of the parts of `x` at some places, element by element."""
    out = functools.reduce(np.add, [x[place] for place in places])
    return out, lambda g: _put(x, places, [g] * len(places))


def _put(like: Any, places: list[Any], parts: list[Any]) -> Any:
    """An array with the parts at their places. Where places meet, the parts are added up."""
    made = np.zeros_like(like)
    for place, part in zip(places, parts, strict=True):
        there = made[place]
        there += part
    return made


def _parted(x: Any, sizes: tuple[int, ...], strides: tuple[int, ...]) -> tuple[Any, list[Any]]:
    """An array with the elements of `x`, and the places of the first elements of all windows in it, of the second ones,
    and so on. Windows side by side have axes of their own."""
    lengths = np.shape(x)[2:]
    counts = [(n - k) // s + 1 for n, k, s in zip(lengths, sizes, strides, strict=True)]
    if sizes == strides:
        ends = [n * k for n, k in zip(counts, sizes, strict=True)]
        if any(type(n) is not int or n != end for n, end in zip(lengths, ends, strict=True)):
            x = x[(slice(None), slice(None), *map(slice, ends))]
        blocks = itertools.chain(*zip(counts, sizes, strict=True))
        every = [slice(None)] * 3
        places = [(*every[:2], *itertools.chain(*[(every[0], i) for i in at])) for at in np.ndindex(*sizes)]
        return np.reshape(x, (*np.shape(x)[:2], *blocks)), places
    reach = [
        [slice(i, i + (n - 1) * s + 1, s) for i in range(k)] for n, k, s in zip(counts, sizes, strides, strict=True)
    ]
    return x, [(slice(None), slice(None), *at) for at in itertools.product(*reach)]


def _checked(x: Any, window: Sizes, stride: Sizes | None) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The lengths of the window, and its steps. Raises ValueError for an array without spatial axes."""
    axes = np.ndim(x) - 2
    if axes < 1:
        raise ValueError(f"x has {axes + 2} axes; batch, channels and one axis more are needed")
    sizes = each(window, axes, "window")
    return sizes, sizes if stride is None else each(stride, axes, "stride")
