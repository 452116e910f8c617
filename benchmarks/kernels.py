"""Native code by itself: the time to compile a kernel, its speed against that of memory, and its memory."""

from __future__ import annotations

import os
import time
import tracemalloc
from dataclasses import dataclass
from timeit import Timer
from typing import Any

import numpy as np
import tracefn
from tracefn.codegen.machine import engine
from tracefn.runtime.native_program import NativeProgram

from benchmarks.measure import Spread, in_turns
from benchmarks.workloads import chain

ELEMENTS = 10_000_000
TIMES = 9


@dataclass(frozen=True, slots=True)
class Kernels:
    """`compiling`: operations → seconds. `bandwidth`: time of a chain of additions and multiplications, divided by that
    of copying as many bytes. `memory`: peak of memory of such a chain, divided by that of its arguments and result."""

    compiling: dict[int, Spread]
    bandwidth: Spread
    memory: Spread


def kernels() -> Kernels:
    """Measures all three."""
    return Kernels({count: _compiling(count) for count in (10, 100)}, _bandwidth(), _memory())


def _compiling(count: int) -> Spread:
    x = np.linspace(0, 1, 16)
    graph = tracefn.function(chain(count), jit="off").get_concrete_function(x, x).graph
    NativeProgram(graph, "warm")
    os.environ["TRACEFN_CACHE"] = "off"
    found = []
    for _ in range(TIMES):
        engine._KNOWN.clear()  # else the code of the time before is taken
        begin = time.perf_counter()
        NativeProgram(graph, "kernel")
        found.append(time.perf_counter() - begin)
    return Spread.of(found)


def _arithmetic(x: Any, y: Any) -> Any:
    for _ in [None] * 5:
        x = x * 0.5 + y
    return x


def _bandwidth() -> Spread:
    """Copying reads and writes two arrays; the chain reads two and writes one: three halves of the bytes."""
    x, y = np.random.default_rng(0).random((2, ELEMENTS))
    traced = tracefn.function(_arithmetic, jit="now")
    traced(x, y)
    own, copying = in_turns([Timer(lambda: traced(x, y)), Timer(lambda: x.copy())])
    return Spread.of([a / (b * 1.5) for a, b in zip(own, copying, strict=True)])


def _memory() -> Spread:
    x, y = np.random.default_rng(0).random((2, ELEMENTS // 10))
    traced = tracefn.function(_arithmetic, jit="now")
    traced(x, y)
    tracemalloc.start()
    traced(x, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    ratio = (peak + 2 * x.nbytes) / (3 * x.nbytes)
    return Spread(ratio, ratio, ratio, 1)
