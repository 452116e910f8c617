"""Whole NumPy programs beside eager NumPy, on 10 000 elements or more: time, memory, and the cost of a trace."""

from __future__ import annotations

import copy
import gc
import importlib.util
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import tracefn

from benchmarks import ROOT
from benchmarks.measure import Spread

FOLDER = ROOT / "tests" / "conformance" / "programs"
SAMPLES = 15
BUDGET_SECONDS = 3.0

SIZES: dict[str, Any] = {
    "attention": 160,
    "autocorrelation": 16384,
    "bilinear_resize": 120,
    "black_scholes": 100_000,
    "box_blur": 150,
    "cavity_flow": 121,
    "conjugate_gradient": 150,
    "correlation": (400, 60),
    "doitgen": 30,
    "fdtd_2d": 120,
    "floyd_warshall": 110,
    "game_of_life": 150,
    "gemver": 200,
    "gram_schmidt": (300, 40),
    "gray_scott": 120,
    "heat_3d": 30,
    "histogram": 20_000,
    "jacobi_1d": 20_000,
    "jacobi_2d": 120,
    "k_means": 10_000,
    "logistic_regression": 5_000,
    "mandelbrot": 120,
    "median_filter": 120,
    "mlp_training": 1_000,
    "n_body": 110,
    "page_rank": 110,
    "pca": (2_000, 10),
    "poisson_spectral": 128,
    "polynomial_fit": 10_000,
    "power_iteration": 110,
    "prime_sieve": 20_000,
    "sir_model": 10_000,
    "smoothed_particles": 110,
    "sobel": 120,
    "wave_equation": 10_000,
}


@dataclass(frozen=True, slots=True)
class Program:
    """Seconds of a call of the NumPy program and of eager NumPy's beside it, their ratio sample by sample, the same for
    the native program, the ratio of the peaks of memory, and the nodes of the trace with the microseconds that tracing
    took for each of them. `kernels` is the number of kernels in the native program."""

    traced: Spread
    eager: Spread
    ratio: Spread
    native: Spread
    native_ratio: Spread
    kernels: int
    memory: float
    nodes: int
    microseconds_per_node: float


def programs() -> dict[str, Program]:
    """Program → its measurements."""
    return {name: _measure(name, size) for name, size in SIZES.items()}


def arguments_of(name: str, size: Any) -> tuple[Callable[..., Any], Any]:
    """A program, and its arguments of this size."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name), module.arguments(size, np.random.default_rng(0))


def _measure(name: str, size: Any) -> Program:
    eager, arguments = arguments_of(name, size)
    traced, native = tracefn.function(eager, jit="off"), tracefn.function(eager, jit="now")
    with np.errstate(all="ignore"):
        trace_ns, nodes = _trace(traced, arguments)
        samples = _in_turns(traced, eager, arguments)
        native(*copy.deepcopy(arguments))
        faster = _in_turns(native, eager, arguments)
        program = native.concrete_functions[-1].native_program
        memory = _peak(traced, arguments) / _peak(eager, arguments)
    return Program(
        traced=Spread.of([a for a, _ in samples]),
        eager=Spread.of([b for _, b in samples]),
        ratio=Spread.of([a / b for a, b in samples]),
        native=Spread.of([a for a, _ in faster]),
        native_ratio=Spread.of([a / b for a, b in faster]),
        kernels=program.count(" = kernel") if program else 0,
        memory=memory,
        nodes=nodes,
        microseconds_per_node=trace_ns / 1e3 / nodes,
    )


def _trace(traced: Any, arguments: Any) -> tuple[int, int]:
    """Nanoseconds of the phase `trace` of a first call, and how many nodes were recorded."""
    with tracefn.events.record() as events:
        traced(*copy.deepcopy(arguments))
    (finished,) = [e for e in events if e.type == "trace.finished"]
    (built,) = [e for e in events if e.type == "graph.built"]
    return finished.phases["trace"], built.nodes_before


def _in_turns(first: Callable[..., Any], second: Callable[..., Any], arguments: Any) -> list[tuple[float, float]]:
    """Seconds of a call of each, both in either order: where memory is given back to the system, every other call
    has it to fetch again."""
    found = []
    began = time.perf_counter()
    while len(found) < SAMPLES and (len(found) < 3 or time.perf_counter() - began < BUDGET_SECONDS):
        a, b, c, d = (_seconds(f, arguments) for f in (first, second, second, first))
        found.append(((a + d) / 2, (b + c) / 2))
    return found


def _seconds(function: Callable[..., Any], arguments: Any) -> float:
    """Of one call on copies of the arguments, with the garbage collector at rest."""
    given = copy.deepcopy(arguments)
    gc.disable()
    began = time.perf_counter()
    function(*given)
    seconds = time.perf_counter() - began
    gc.enable()
    return seconds


def _peak(function: Callable[..., Any], arguments: Any) -> int:
    """The most bytes that a call has in use at a time."""
    given = copy.deepcopy(arguments)
    tracemalloc.start()
    function(*given)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak
