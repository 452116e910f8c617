"""Pooling: the largest element of each window, and the mean, one axis after the other."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .windows import Padding, Sizes, each, padded


def max_pool(x: Any, window: Sizes, stride: Sizes | None = None, padding: Padding = 0) -> Any:
    """The largest element of each window of the axes behind the first two, batch and channels.

    `x` has shape (batch, channels, *lengths), of any number of lengths; `window` is a number or one for each of them,
    and so is `stride`, which is that of the window where it is None. The result has the dtype of `x` and the lengths
    (length + pads - window) // stride + 1. What is padded never counts. Where several elements are the largest, they
    share the gradient.

    >>> max_pool(np.arange(16.0).reshape(1, 1, 4, 4), 2)
    array([[[[ 5.,  7.],
             [13., 15.]]]])
    """
    dtype = np.result_type(x)
    least = -np.inf if dtype.kind == "f" else np.iinfo(dtype).min if dtype.kind in "iu" else False
    return _pooled(np.maximum, x, window, stride, padding, least)[0]


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
    total, sizes = _pooled(np.add, x, window, stride, padding, 0)
    if count_include_pad:
        return total / math.prod(sizes)
    ones = np.ones_like(x[:1, :1])
    return total / _pooled(np.add, ones, window, stride, padding, 0)[0]


def _pooled(
    combine: Callable[[Any, Any], Any],
    x: Any,
    window: Sizes,
    stride: Sizes | None,
    padding: Padding,
    fill: Any,
) -> tuple[Any, Sequence[int]]:
    """The elements of each window combined, and the lengths of the window."""
    axes = np.ndim(x) - 2
    if axes < 1:
        raise ValueError(f"x has {axes + 2} axes; batch, channels and one axis more are needed")
    sizes = each(window, axes, "window")
    strides = sizes if stride is None else each(stride, axes, "stride")
    x = padded(x, padding, sizes, strides, fill)
    for axis, (size, step) in enumerate(zip(sizes, strides, strict=True), 2):
        count = (np.shape(x)[axis] - size) // step + 1
        before = (slice(None),) * axis
        parts = [x[(*before, slice(i, i + (count - 1) * step + 1, step))] for i in range(size)]
        x = functools.reduce(combine, parts)
    return x, sizes
