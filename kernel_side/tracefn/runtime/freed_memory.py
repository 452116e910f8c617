"""Lets the C library keep the memory of arrays that are freed, for those that are made next."""

from __future__ import annotations

import contextlib
import functools

import numpy as np

LARGEST = (1 << 25) - (1 << 16)
"""glibc learns from freed blocks of up to 32 MiB (`DEFAULT_MMAP_THRESHOLD_MAX` of its malloc.c on 64-bit machines)."""


@functools.cache
def keep_freed_memory() -> None:
    """Makes and frees one large array that is never touched.

    glibc gives freed memory back to the system above 128 KiB at first, and gets it again page by page: for a kernel
    that fills its results in microseconds, that takes ten times as long as the work, and for NumPy's operations on
    arrays of 100 KiB as long. After it has freed a block of 32 MiB it keeps as much as 64 MiB (`mallopt(3)`,
    M_MMAP_THRESHOLD, "dynamic"). Other C libraries do not mind.
    """
    with contextlib.suppress(MemoryError):
        np.empty(LARGEST, np.uint8)
