"""Shares a kernel's elements out among threads."""

from __future__ import annotations

import array
import ctypes
import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np

from ..codegen.machine import abi
from ..config import thread_count

MAX_THREADS = 64


Frame = Callable[[int, list[int]], list[int]]
"""The words of a frame, given the first index of the axis that is shared out, and the lengths of a part."""


def dense_frame(arrays: Sequence[np.ndarray[Any, Any]], scalars: list[int]) -> Frame:
    """Frames of the kernel for C-contiguous arguments (`codegen.native.nest`)."""
    words = [*map(_address, arrays), *scalars]
    return lambda start, lengths: [start, *lengths, *words]


def strided_frame(arrays: Sequence[np.ndarray[Any, Any]], axis: int, scalars: list[int]) -> Frame:
    """Frames of the kernel for any memory. Arrays of fewer axes have them at the end of the frame's."""

    def frame(start: int, lengths: list[int]) -> list[int]:
        words = list(lengths)
        for value in arrays:
            strides = [0] * (len(lengths) - value.ndim) + list(value.strides)
            words += [_address(value) + start * strides[axis], *strides]
        return words + scalars

    return frame


def _address(value: np.ndarray[Any, Any]) -> int:
    """Where the elements of an array are: its attributes take microseconds to say so."""
    return ctypes.c_int64.from_address(id(value) + abi.DATA).value


def share_out(run: Callable[[Any], int], axis: int, lengths: list[int], frame: Frame, least: int) -> int:
    """Runs a kernel on parts of one of its axes at the same time, and returns all flags that were raised. A thread is
    not woken for less than `least` elements.

    Each element is computed as it would be by one thread.
    """
    total = math.prod(lengths)
    if not total:
        return 0
    parts = min(total // least, lengths[axis])
    parts = min(thread_count(), parts) if parts > 1 else 1
    bounds = [lengths[axis] * k // parts for k in range(parts + 1)]

    def part(k: int) -> int:
        own = [*lengths[:axis], bounds[k + 1] - bounds[k], *lengths[axis + 1 :]]
        words = array.array("q", frame(bounds[k], own))
        return run(words.buffer_info()[0])

    return _together(part, parts)


def share_out_frames(run: Callable[[Any], int], frames: Sequence[list[int]]) -> int:
    """Runs a kernel on frames, some of them at the same time, and returns all flags that were raised."""
    parts = min(thread_count(), len(frames))

    def part(k: int) -> int:
        flags = 0
        for frame in frames[len(frames) * k // parts : len(frames) * (k + 1) // parts]:
            words = array.array("q", frame)
            flags |= run(words.buffer_info()[0])
        return flags

    return _together(part, parts)


def _together(part: Callable[[int], int], parts: int) -> int:
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
