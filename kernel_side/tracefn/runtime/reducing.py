"""Runs a kernel that reduces on arrays large enough for several threads."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..codegen.native.kernel import Kernel
from ..codegen.native.reduction import COMBINE
from ..ir.graph import Node
from ..ir.types import Kind
from .threads import dense_frame, share_out, share_out_frames

LEAF = 1 << 17
"""So many elements are reduced by one thread, where all are reduced to one. Their results are combined in a fixed
order: they do not depend on the number of threads."""

FLAGGED = 1


def reduced(
    kernel: Kernel, run: Callable[[Any], int], arrays: list[Any], shape: tuple[int, ...], scalars: list[int]
) -> tuple[int, list[Any]]:
    """The flags that were raised, and the results, of C-contiguous arrays that are not empty."""
    lengths = [math.prod([shape[a] for a in group]) for group in kernel.axes]
    made = [np.empty(kernel.lengths_of(n, list(shape), 1), n.type.dtype) for n in kernel.results]
    count, total = math.prod(shape[kernel.kept :]), math.prod(shape)
    if kernel.kept:
        flags = share_out(run, 0, lengths, dense_frame([*arrays, *made], [count, *scalars]))
    else:
        leaves = max(1, min(total // LEAF, lengths[0]))
        bounds = [lengths[0] * k // leaves for k in range(leaves + 1)]
        parts = [np.empty(leaves, n.type.dtype) if n in kernel.reductions else m for n, m in _pairs(kernel, made)]
        frames = []
        for k in range(leaves):
            own = [p[k:] if n in kernel.reductions else p for n, p in _pairs(kernel, parts)]
            frame = dense_frame([*arrays, *own], [1, *scalars])
            frames.append(frame(bounds[k], [bounds[k + 1] - bounds[k], *lengths[1:]]))
        flags = share_out_frames(run, frames, total)
        with np.errstate(all="ignore"):
            combined = [_combined(kernel, n, p, count) for n, p in _pairs(kernel, parts)]
        for whole, part, value in zip(made, parts, combined, strict=True):
            if value is not None:
                whole[...] = value
                flags |= FLAGGED if value.dtype.kind == "f" and np.isfinite(part).all() > np.isfinite(value) else 0
    return flags, [m if n.type.kind is Kind.ARRAY else m[()] for n, m in _pairs(kernel, made)]


def _pairs(kernel: Kernel, values: list[Any]) -> list[tuple[Node, Any]]:
    return list(zip(kernel.results, values, strict=True))


def _combined(kernel: Kernel, node: Node, parts: Any, count: int) -> Any:
    """The result of a reduction, from those of its leaves. None for results that are not reduced."""
    found = kernel.reductions.get(node)
    if found is None:
        return None
    value = COMBINE[found.rule].reduce(parts, dtype=node.type.dtype)
    return value / node.type.dtype.type(count) if found.is_mean else value
