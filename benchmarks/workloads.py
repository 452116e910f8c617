"""The functions of the benchmarks, written once for every array module."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Make = Callable[[Any], Callable[..., Any]]


def ten_ops(xp: Any) -> Callable[..., Any]:
    """Ten elementwise operations in a chain."""

    def chain(x: Any, w: Any) -> Any:
        h = x * w
        h = h + 1.0
        h = xp.tanh(h)
        h = h * h
        h = h - x
        h = xp.exp(-h)
        h = h / 2.0
        return xp.sqrt(h + 3.0)

    return chain


def two_ops(xp: Any) -> Callable[..., Any]:
    """The smallest thing worth tracing."""
    return lambda x, y: (x + y) * 2


def thousand_ops(xp: Any) -> Callable[..., Any]:
    """A thousand operations, so small that calling them is all that costs."""

    def unrolled(x: Any, w: Any) -> Any:
        for _ in [None] * 500:  # over a list: a loop over a range would stay one in the graph
            x = x * w + w
        return x

    return unrolled


def chain(count: int) -> Callable[..., Any]:
    """So many elementwise operations, a multiple of ten, one after the other."""

    def chained(x: Any, y: Any) -> Any:
        for _ in [None] * (count // 10):
            h = np.tanh(x * y + 1.0)
            h = np.exp(-(h * h - x))
            x = np.sqrt(h / 2.0 + 3.0)
        return x

    return chained


@dataclass(frozen=True, slots=True)
class Workload:
    """One function on two arrays of `size` elements."""

    title: str
    make: Make
    size: int
    dtype: str

    def arrays(self) -> tuple[Any, Any]:
        """The two arrays: between 0 and 1, always the same."""
        random = np.random.default_rng(0)
        return tuple(random.random(self.size).astype(self.dtype) for _ in range(2))


CACHED_CALL = "cached_call"
SMALL_OPS = "small_ops"

WORKLOADS: dict[str, Workload] = {
    CACHED_CALL: Workload("`(x + y) * 2`, 4 elements, float64", two_ops, 4, "float64"),
    SMALL_OPS: Workload("1000 operations, 16 elements, float64", thousand_ops, 16, "float64"),
    **{
        f"ten_ops_{dtype}_{size}": Workload(f"10 operations, {size:,} elements, {dtype}", ten_ops, size, dtype)
        for dtype in ("float32", "float64")
        for size in (10**3, 10**4, 10**5, 10**6)
    },
}
