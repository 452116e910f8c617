"""The tasks of the engines, written once for every array module; each function takes two arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.workloads import Make, thousand_ops, two_ops

SIZES = (10**3, 10**4, 10**5, 10**6, 10**7)
LENGTHS = (3, 10, 30)
DTYPES = ("float32", "float64")


def chains(count: int) -> str:
    """The group of chains of so many operations."""
    return f"Chains of {count} operations"


def chain_key(count: int, dtype: str, size: int) -> str:
    return f"chain_{count}_{dtype}_{size}"


@dataclass(frozen=True, slots=True)
class Task:
    """A function on two arrays of these shapes and this dtype. `group` is where it is reported."""

    group: str
    title: str
    make: Make
    shapes: tuple[tuple[int, ...], tuple[int, ...]]
    dtype: str = "float32"

    def arrays(self) -> tuple[Any, Any]:
        """The two arrays: between 0 and 1, always the same."""
        random = np.random.default_rng(0)
        return tuple(random.random(shape).astype(self.dtype) for shape in self.shapes)


STEPS = ("h * w", "h + 1.0", "xp.tanh(h)", "h * h", "h - x", "-h", "xp.exp(h)", "h / 2.0", "h + 3.0", "xp.sqrt(h)")


def chain(count: int) -> Make:
    """So many elementwise operations in a chain, one a line."""
    lines = [f"    h = {STEPS[k % len(STEPS)]}" for k in range(count)]
    source = "\n".join(["def chained(x, w):", "    h = x", *lines, "    return h"])

    def make(xp: Any) -> Callable[..., Any]:
        names: dict[str, Any] = {"xp": xp}
        exec(source, names)
        function: Callable[..., Any] = names["chained"]
        return function

    return make


def total(xp: Any) -> Callable[..., Any]:
    return lambda x, y: xp.sum(x * y + 1.0)


def by_rows(xp: Any) -> Callable[..., Any]:
    return lambda x, y: xp.sum(x * y, axis=1)


def by_columns(xp: Any) -> Callable[..., Any]:
    return lambda x, y: xp.sum(x * y, axis=0)


def softmax(xp: Any) -> Callable[..., Any]:
    def rows(x: Any, y: Any) -> Any:
        e = xp.exp(x - xp.amax(x, axis=1, keepdims=True)) * y
        return e / xp.sum(e, axis=1, keepdims=True)

    return rows


def stencil_2d(xp: Any) -> Callable[..., Any]:
    def five_points(x: Any, y: Any) -> Any:
        around = x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]
        return x[1:-1, 1:-1] * 0.5 + around * 0.125 + y

    return five_points


def stencil_3d(xp: Any) -> Callable[..., Any]:
    def seven_points(x: Any, y: Any) -> Any:
        first = x[:-2, 1:-1, 1:-1] + x[2:, 1:-1, 1:-1]
        second = x[1:-1, :-2, 1:-1] + x[1:-1, 2:, 1:-1]
        third = x[1:-1, 1:-1, :-2] + x[1:-1, 1:-1, 2:]
        return x[1:-1, 1:-1, 1:-1] * 0.4 + (first + second + third) * 0.1 + y

    return seven_points


def mlp_step(xp: Any) -> Callable[..., Any]:
    def step(x: Any, w: Any) -> Any:
        hidden = xp.tanh(x @ w * 0.01)
        return xp.tanh(hidden @ w * 0.01) * 2.0 - 1.0

    return step


def rnn_steps(xp: Any) -> Callable[..., Any]:
    def steps(x: Any, w: Any) -> Any:
        h = x
        for _ in [None] * 20:  # over a list: a loop over a range would stay one in the graph
            h = xp.tanh(h @ w * 0.1 + x)
        return h

    return steps


def product(xp: Any) -> Callable[..., Any]:
    return lambda x, y: x @ y + 1.0


def _vectors(size: int) -> tuple[tuple[int], tuple[int]]:
    return (size,), (size,)


def _matrices(rows: int, columns: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return (rows, columns), (rows, columns)


CALLS, REDUCTIONS, STENCILS = "Call overhead", "Reductions and softmax", "Stencils"
SMALL, NETWORKS, PRODUCTS = "Many small operations", "Steps of networks", "Products of matrices"

TASKS: dict[str, Task] = {
    "two_ops": Task(CALLS, "`(x + y) * 2`, 4 elements", two_ops, _vectors(4), "float64"),
    **{
        chain_key(count, dtype, size): Task(
            chains(count), f"{size:,} elements, {dtype}", chain(count), _vectors(size), dtype
        )
        for count in LENGTHS
        for dtype in DTYPES
        for size in SIZES
    },
    "total": Task(REDUCTIONS, "sum of 1,000,000", total, _vectors(10**6)),
    "rows": Task(REDUCTIONS, "sums of rows, 1000 × 1000", by_rows, _matrices(1000, 1000)),
    "columns": Task(REDUCTIONS, "sums of columns, 1000 × 1000", by_columns, _matrices(1000, 1000)),
    "softmax": Task(REDUCTIONS, "softmax of rows, 1000 × 1000", softmax, _matrices(1000, 1000)),
    "stencil_2d": Task(STENCILS, "2D, 1000 × 1000", stencil_2d, ((1002, 1002), (1000, 1000))),
    "stencil_3d": Task(STENCILS, "3D, 100 × 100 × 100", stencil_3d, ((102, 102, 102), (100, 100, 100))),
    "small_ops": Task(SMALL, "1000 operations, 16 elements", thousand_ops, _vectors(16), "float64"),
    "mlp": Task(NETWORKS, "two layers of 256, 64 rows", mlp_step, ((64, 256), (256, 256))),
    "rnn": Task(NETWORKS, "20 steps of an RNN of 128, 16 rows", rnn_steps, ((16, 128), (128, 128))),
    "product": Task(PRODUCTS, "1000 × 1000", product, _matrices(1000, 1000)),
}
