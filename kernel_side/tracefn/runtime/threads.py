"""Shares a kernel's elements out among threads."""

from __future__ import annotations

import array
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np

from ..config import thread_count

MIN_SHARE = 1 << 16
"""A thread is not woken for fewer elements."""


MAX_THREADS = 64


def share_out(
    run: Callable[[Any], int],
    lengths: list[int],
    arrays: Sequence[np.ndarray[Any, Any]],
    strides: list[list[int]],
    scalars: list[int],
    with_strides: bool,
) -> int:
    """Runs a kernel on parts of its first axis at the same time, and returns all flags that were raised.

    The parts are cut along the axis alone, so that each element is computed as it would be by one thread.
    """
    total = int(np.prod(lengths))
    if not total:
        return 0
    axis = next((a for a, n in enumerate(lengths) if n > 1), 0) if with_strides else 0
    parts = max(1, min(thread_count(), total // MIN_SHARE, lengths[axis]))
    addresses = [a.__array_interface__["data"][0] for a in arrays]
    bounds = [lengths[axis] * k // parts for k in range(parts + 1)]

    def part(k: int) -> int:
        words = [*lengths]
        words[axis] = bounds[k + 1] - bounds[k]
        for address, own in zip(addresses, strides, strict=True):
            words.append(address + bounds[k] * own[axis])
            if with_strides:
                words += own
        frame = array.array("q", [*words, *scalars])
        return run(frame.buffer_info()[0])

    if parts == 1:
        return part(0)
    others = [_pool().submit(part, k) for k in range(1, parts)]
    flags = part(0)
    for other in others:
        flags |= other.result()
    return flags


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(MAX_THREADS, "tracefn kernel")
