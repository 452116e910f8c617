"""Runs a kernel that reduces on arrays large enough for several threads."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..codegen.native import FOLDS, Kernel, empty, more_words
from ..ir.graph import Node
from ..ir.types import Kind
from .threads import dense_frame, share_out, share_out_frames

LEAVES = 64
"""Limit of the parts that threads reduce where there are few results. Parts are combined in a fixed order, so that
results do not depend on the number of threads."""

FEW = 128
"""With fewer columns than this it is their rows that are shared out."""

FLAGGED = 1


def reduced(
    kernel: Kernel, run: Callable[[Any], int], arrays: list[Any], shape: tuple[int, ...], scalars: list[int]
) -> tuple[int, list[Any]]:
    """The flags that were raised, and the results, of C-contiguous arrays that are not empty."""
    lengths = [math.prod([shape[a] for a in group]) for group in kernel.axes]
    made = [empty(kernel.lengths_of(n, list(shape), 1), n.type.dtype, kernel.layouts.get(n)) for n in kernel.results]
    count, total = math.prod([shape[a] for a in kernel.reduced]), math.prod(shape)
    first = next(k for k, group in enumerate(kernel.axes) if group[0] in kernel.reduced)
    is_by_columns = kernel.is_by_columns

    def more(count: int, row: int) -> list[int]:
        values = {"count": count, "whole": lengths[0], "row": row}
        return [values[name] for name in more_words(kernel)]

    least = kernel.worth_sharing // 2
    leaves = max(1, min(total // least, LEAVES, lengths[first]))
    if any(FOLDS[r.rule].gives_position or r.is_partial for r in kernel.reductions.values()):
        leaves = 1  # the extrema themselves, and how many elements there were, are nowhere to be compared
    if leaves == 1 or first > is_by_columns or (first and lengths[0] >= FEW):
        frame = dense_frame([*arrays, *made], [*more(count, 0), *scalars])
        flags = share_out(run, 0, lengths, frame, least) if first else share_out_frames(run, [frame(0, lengths)])
    else:
        bounds = [lengths[first] * k // leaves for k in range(leaves + 1)]
        parts = [_parts(leaves, m) if n in kernel.reductions else m for n, m in _pairs(kernel, made)]
        frames = []
        for k in range(leaves):
            own = [p[k, ...] if n in kernel.reductions else p for n, p in _pairs(kernel, parts)]
            frame = dense_frame([*arrays, *own], [*more(1, bounds[k]), *scalars])
            own_lengths = [*lengths[:first], bounds[k + 1] - bounds[k], *lengths[first + 1 :]]
            frames.append(frame(0 if is_by_columns else bounds[k], own_lengths))
        flags = share_out_frames(run, frames)
        for node, whole, part in zip(kernel.results, made, parts, strict=True):
            if node in kernel.reductions:
                try:
                    with np.errstate(all="raise"):
                        whole[...] = _combined(kernel, node, part, count)
                except FloatingPointError:
                    flags |= FLAGGED
    return flags, [m if n.type.kind is Kind.ARRAY else m[()] for n, m in _pairs(kernel, made)]


def _parts(count: int, whole: Any) -> Any:
    """Room for as many results of the layout of one."""
    found = np.empty((count, whole.size), whole.dtype)
    strides = (whole.size * whole.itemsize, *whole.strides)
    return np.lib.stride_tricks.as_strided(found, (count, *whole.shape), strides)


def _pairs(kernel: Kernel, values: list[Any]) -> list[tuple[Node, Any]]:
    return list(zip(kernel.results, values, strict=True))


def _combined(kernel: Kernel, node: Node, parts: Any, count: int) -> Any:
    """The result of a reduction, from those of its leaves. Raises FloatingPointError where NumPy may have to warn."""
    along = np.ascontiguousarray(np.moveaxis(parts, 0, -1))  # where NumPy adds up in pairs
    found = kernel.reductions[node]
    value = FOLDS[found.rule].ufunc.reduce(along, axis=-1, dtype=node.type.dtype)
    return value / node.type.dtype.type(count) if found.is_mean else value
