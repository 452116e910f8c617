"""Derivatives of joining and splitting arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .scatter import as_given, at_axis, or_zeros


def cut(g: Any, lengths: Sequence[Any], axis: int) -> list[Any]:
    """The parts of an array, one after another along an axis."""
    parts, start = [], 0
    for length in lengths:
        parts.append(g[at_axis(axis, slice(start, start + length))])
        start = start + length
    return parts


def concatenate(g: Any, out: Any, arrays: Any, axis: Any = 0, **kwargs: Any) -> tuple[Any, ...]:
    if axis is None:
        parts = cut(g, [np.size(a) for a in arrays], 0)
        return (as_given(arrays, [np.reshape(p, np.shape(a)) for p, a in zip(parts, arrays, strict=True)]),)
    axis = axis % np.ndim(arrays[0])
    return (as_given(arrays, cut(g, [np.shape(a)[axis] for a in arrays], axis)),)


def stack(g: Any, out: Any, arrays: Any, axis: int = 0, **kwargs: Any) -> tuple[Any, ...]:
    axis = axis % np.ndim(g)
    return (as_given(arrays, [g[at_axis(axis, i)] for i in range(len(arrays))]),)


def _of_stack(shape_of: Callable[[tuple[Any, ...]], tuple[Any, ...]], axis: int) -> Callable[..., Any]:
    """The rule of a function that gives each array the shape `shape_of(shape)`, and joins them."""

    def rule(g: Any, out: Any, tup: Any, **kwargs: Any) -> tuple[Any, ...]:
        shapes = [shape_of(np.shape(a)) for a in tup]
        along = min(axis, len(shapes[0]) - 1)
        parts = cut(g, [shape[along] for shape in shapes], along)
        return (as_given(tup, [np.reshape(p, np.shape(a)) for p, a in zip(parts, tup, strict=True)]),)

    return rule


hstack = _of_stack(lambda shape: shape or (1,), 1)
vstack = _of_stack(lambda shape: (1,) * (2 - len(shape)) + shape, 0)
dstack = _of_stack(lambda shape: (*((1,) * (2 - len(shape)) + shape), 1) if len(shape) < 3 else shape, 2)
column_stack = _of_stack(lambda shape: (*shape, 1, 1)[:2] if len(shape) < 2 else shape, 1)


def append(g: Any, out: Any, arr: Any, values: Any, axis: Any = None) -> tuple[Any, ...]:
    return tuple(concatenate(g, out, [arr, values], axis)[0])


def block(g: Any, out: Any, arrays: Any) -> tuple[Any, ...]:
    depth = _depth(arrays)
    return (_blocks(g, arrays, -depth, max(depth, np.ndim(g))),)


def _depth(arrays: Any) -> int:
    return 1 + _depth(arrays[0]) if isinstance(arrays, list) else 0


def _blocks(g: Any, arrays: Any, axis: int, ndim: int) -> Any:
    """The cotangents of nested lists that are joined along `axis`, and inside along the axes behind it."""
    if not isinstance(arrays, list):
        return np.reshape(g, np.shape(arrays))
    parts = cut(g, [_length(part, axis, ndim) for part in arrays], axis % ndim)
    return [_blocks(p, part, axis + 1, ndim) for p, part in zip(parts, arrays, strict=True)]


def _length(part: Any, axis: int, ndim: int) -> Any:
    """The length of a nested list along an axis that it is not joined along."""
    while isinstance(part, list):
        part = part[0]
    shape = np.shape(part)
    return ((1,) * (ndim - len(shape)) + shape)[axis]


def split(g: Any, out: Any, ary: Any, indices_or_sections: Any, axis: int = 0) -> tuple[Any, ...]:
    return _joined(g, ary, indices_or_sections, axis), None


def hsplit(g: Any, out: Any, ary: Any, indices_or_sections: Any) -> tuple[Any, ...]:
    return _joined(g, ary, indices_or_sections, 0 if np.ndim(ary) == 1 else 1), None


def dsplit(g: Any, out: Any, ary: Any, indices_or_sections: Any) -> tuple[Any, ...]:
    return _joined(g, ary, indices_or_sections, 2), None


def _joined(g: Any, ary: Any, indices_or_sections: Any, axis: int) -> Any:
    """The cotangent of an array from those of its parts, which overlap where the indices do not grow."""
    if np.ndim(indices_or_sections) == 0:
        parts = [or_zeros(p, like) for p, like in zip(g, np.array_split(ary, indices_or_sections, axis), strict=True)]
        return np.concatenate(parts, axis)
    made = np.zeros_like(ary)
    bounds = [None, *indices_or_sections, None]
    for part, start, stop in zip(g, bounds, bounds[1:], strict=False):
        if part is not None:
            made[at_axis(axis % np.ndim(ary), slice(start, stop))] += part
    return made


def unstack(g: Any, out: Any, x: Any, axis: int = 0) -> tuple[Any, ...]:
    like = np.zeros_like(np.moveaxis(x, axis, 0)[0])
    return (np.stack([or_zeros(p, like) for p in g], axis),)
