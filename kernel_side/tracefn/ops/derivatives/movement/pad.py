"""The derivative of padding: axis by axis, the cotangents of the padding return to its sources."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..common import places, sliced, unbroadcast
from ..reduce import of_extremum
from ..sort import of_median

Cotangents = tuple[Any, ...]


def pairs_of(pad_width: Any, ndim: int) -> list[tuple[Any, Any]]:
    """A pad_width argument as one pair for each axis."""
    if isinstance(pad_width, dict):
        pairs: list[Any] = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            pairs[axis] = width if isinstance(width, tuple) else (width, width)
        pad_width = pairs
    given = np.asarray(pad_width, object)
    if given.ndim < 3 and (given.size == 1 or (given.size == 2 and given.shape != (2, 1))):
        given = given.ravel()
    return [(before, after) for before, after in np.broadcast_to(given, (ndim, 2))]


def of_pad(g: Any, out: Any, array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Cotangents:
    """The last axis was padded last: its cotangents are put back first."""
    ndim = np.ndim(array)
    pairs = pairs_of(pad_width, ndim)
    by_ends: list[Any] = []
    for axis in reversed(range(ndim)):
        before, after = pairs[axis]
        length = np.shape(array)[axis]
        if mode in _REPEATING and options.get("reflect_type", "even") == "even":
            g = folded(g, length, pairs[axis], axis, mode)
            continue
        inner = sliced(g, axis, before, before + length)
        sides = sliced(g, axis, 0, before), sliced(g, axis, before + length, None)
        if mode in ("constant", "empty"):
            by_ends.insert(0, [np.sum(side) for side in sides])
            g = inner
        elif mode in _STATISTICS:
            padded = np.pad(array, [p if i < axis else (0, 0) for i, p in enumerate(pairs)], mode, **options)
            lengths = (
                [None, None] if options.get("stat_length") is None else pairs_of(options["stat_length"], ndim)[axis]
            )
            g = inner + _of_statistic(mode, sides, padded, axis, lengths)
        else:
            given = {}
            if mode == "linear_ramp":
                by_ends.insert(0, [np.sum(g * _ramp(g, length, pairs[axis], axis, end)) for end in ((1, 0), (0, 1))])
            else:
                given = {
                    name: v if name == "reflect_type" else [pairs_of(v, ndim)[axis]] for name, v in options.items()
                }
            number = places(array, axis)
            unit = (np.expand_dims(number, 1) == number).astype(g.dtype)
            matrix = np.pad(unit, [(0, 0), (before, after)], mode, **given)
            g = np.moveaxis(np.tensordot(g, matrix, (axis, 1)), -1, axis)
    name = {"constant": "constant_values", "linear_ramp": "end_values"}.get(mode, "")
    if options.get(name) is None:
        return g, None
    return g, None, {name: _as_given(by_ends, options[name])}


_REPEATING = frozenset({"edge", "reflect", "symmetric", "wrap"})
"""The modes under which each element of the padding is one of the array's."""


def folded(g: Any, length: Any, pair: tuple[Any, Any], axis: int, mode: Any) -> Any:
    """The cotangent of an array of a `length` along an axis, around which its elements or constants were put."""
    before, after = pair
    inner = sliced(g, axis, before, before + length)
    if mode == "constant":
        return inner
    sources = np.pad(np.arange(length, like=g), (before, after), mode)
    found = np.copy(np.moveaxis(inner, axis, 0))
    for start, end in ((0, before), (before + length, None)):
        np.add.at(found, sources[start:end], np.moveaxis(sliced(g, axis, start, end), axis, 0))
    return np.moveaxis(found, 0, axis)


def _ramp(like: Any, length: Any, pair: Any, axis: int, ends: tuple[int, int]) -> Any:
    """How much of the value at an end is in each element along an axis."""
    row = np.pad(np.zeros_like(like, shape=(length,)), pair, "linear_ramp", end_values=ends)
    return np.expand_dims(row, tuple([i for i in range(np.ndim(like)) if i != axis]))


def _of_statistic(mode: str, sides: Any, padded: Any, axis: int, lengths: Any) -> Any:
    """The cotangent of an array of which a statistic of its first and of its last elements was put beside it."""
    total: Any = 0
    count = np.shape(padded)[axis]
    for side, length, is_first in zip(sides, lengths, (True, False), strict=True):
        length = count if length is None else min(length, count)
        start = 0 if is_first else count - length
        part = sliced(padded, axis, start, start + length)
        call, rule = _STATISTICS[mode]
        value = call(part, axis=axis, keepdims=True)
        by_part = rule(np.sum(side, axis=axis, keepdims=True), value, part, axis=axis, keepdims=True)[0]
        rest = [(start, count - length - start) if i == axis else (0, 0) for i in range(np.ndim(padded))]
        total = total + np.pad(by_part, rest)
    return total


_STATISTICS: dict[str, tuple[Any, Any]] = {
    "maximum": (np.max, of_extremum),
    "minimum": (np.min, of_extremum),
    "median": (np.median, of_median),
}


def _as_given(by_ends: list[Any], values: Any) -> Any:
    """The cotangents of the two ends of each axis as those of the given values."""
    found = np.reshape(np.stack([v for pair in by_ends for v in pair]), (len(by_ends), 2))
    shape = np.shape(values)
    if len(shape) == 2 and shape[1] == 1 and shape[0] in (1, 2):
        found = np.sum(found, axis=0) if shape[0] == 2 else np.sum(found)
    return np.reshape(unbroadcast(found, np.zeros(shape if np.size(values) != 1 else ())), shape)
