"""Where a window that slides over the last axes of an array stands: strides, dilation, and padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Sizes = int | Sequence[int]
Padding = int | str | Sequence[int] | Sequence[tuple[int, int]]


def each(value: Any, axes: int, what: str) -> tuple[Any, ...]:
    """One value for each spatial axis: `value` itself for all, or those of a sequence.

    Raises ValueError where their number is another.
    """
    if isinstance(value, int):
        return (value,) * axes
    values = tuple(value)
    if len(values) != axes:
        raise ValueError(f"{what} has {len(values)} values for {axes} spatial axes: {value!r}")
    return values


def padded(
    x: Any,
    padding: Padding,
    spans: Sequence[int],
    strides: Sequence[int],
    fill: float = 0,
) -> Any:
    """`x` with elements `fill` around its last axes, one axis for each of `spans`, the lengths of the window.

    `padding` is a number for both ends of each axis, one for each axis, a pair for each, 'valid' (none), or 'same': as
    many as give `ceil(length / stride)` windows, the odd one at the end.
    """
    axes = len(spans)
    if padding == "valid":
        return x
    if padding == "same":
        lengths = np.shape(x)[-axes:]
        pairs = [_same(n, span, stride) for n, span, stride in zip(lengths, spans, strides, strict=True)]
    elif isinstance(padding, str):
        raise ValueError(f"padding is 'same', 'valid' or numbers, not {padding!r}")
    else:
        pairs = [(p, p) if isinstance(p, int) else tuple(p) for p in each(padding, axes, "padding")]
    if all(type(n) is int and n == 0 for pair in pairs for n in pair):
        return x
    return np.pad(x, [(0, 0)] * (np.ndim(x) - axes) + pairs, constant_values=fill)


def _same(length: Any, span: int, stride: int) -> tuple[Any, Any]:
    rest = length % stride if stride > 1 else 0
    total = max(span - (rest or stride), 0)
    return total // 2, total - total // 2


def spans_of(sizes: Sequence[int], dilations: Sequence[int]) -> tuple[int, ...]:
    """The lengths of windows of `sizes` elements that lie `dilations` apart."""
    return tuple(d * (k - 1) + 1 for k, d in zip(sizes, dilations, strict=True))
