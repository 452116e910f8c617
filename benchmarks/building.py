"""The cost of building native code: `python -m benchmarks.building WHAT [NAME]` in a process of its own, cold.

`ten NAME`: seconds of the first ten calls of a program, traced and eager. `stall`: the longest time in seconds for
which a thread that does nothing but look at the clock stands still while 100 operations are built, beyond the longest
without. `nodes COUNT`: processor time of building the kernels of COUNT unrolled nodes, in seconds a node.
`threads`: eager calls a second of 8 threads that call 8 functions, over those of traced ones while all are built.
`later`: seconds of the first call of a function of 1,000 nodes in a later process, beyond those of a later call. `warm
NAME`: the time of a call over NumPy's, of a program that is BLAS's, and whether it was built.
"""

from __future__ import annotations

import copy
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from timeit import Timer
from typing import Any

import numpy as np
import tracefn
from tracefn.runtime import tiers, worker

from benchmarks.measure import Spread, in_fresh_process, in_turns
from benchmarks.programs import SIZES, arguments_of
from benchmarks.short_programs import PROGRAMS
from benchmarks.workloads import chain

CALLS = 10
COUNTS = (100, 1000, 10_000)
PROCESSES = 5
SECONDS = 2.0
THREADS = 8
OF_BLAS = ("covariance", "regression", "components")
SHORT = {function.__name__: (function, arguments) for function, arguments in PROGRAMS.items()}


@dataclass(frozen=True, slots=True)
class Building:
    """`first_calls` are ratios to NumPy by program, with NumPy's seconds; `nodes` seconds of a processor for a node by
    the number of nodes; `of_blas` ratios to NumPy by program; the others are as above."""

    first_calls: dict[str, tuple[float, float]]
    stall: Spread
    nodes: dict[int, Spread]
    threads: Spread
    later: Spread
    of_blas: dict[str, Spread]


def building() -> Building:
    """Measures all of it, where a process builds."""
    kept = {name: os.environ.get(name) for name in ("TRACEFN_CACHE", "TRACEFN_COMPILER", "TRACEFN_KEEP_TRACES")}
    os.environ["TRACEFN_CACHE"], os.environ["TRACEFN_COMPILER"] = "off", "process"
    try:
        calls = {name: in_fresh_process("benchmarks.building", "ten", name) for name in (*SIZES, *SHORT)}
        found = Building(
            {name: (traced / eager, eager) for name, (traced, eager) in calls.items()},
            Spread.of([in_fresh_process("benchmarks.building", "stall") for _ in range(PROCESSES)]),
            {n: Spread.of([in_fresh_process("benchmarks.building", "nodes", str(n))]) for n in COUNTS},
            Spread.of([in_fresh_process("benchmarks.building", "threads") for _ in range(PROCESSES)]),
            _later_processes(),
            {name: Spread.of(in_fresh_process("benchmarks.building", "warm", name)) for name in OF_BLAS},
        )
    finally:
        for name, value in kept.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
    return found


def _later_processes() -> Spread:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRACEFN_CACHE"], os.environ["TRACEFN_KEEP_TRACES"] = folder, "1"
        in_fresh_process("benchmarks.building", "later")  # builds
        return Spread.of([in_fresh_process("benchmarks.building", "later") for _ in range(PROCESSES)])


def _ten(name: str) -> tuple[float, float]:
    if name in SHORT:
        function, arguments = SHORT[name]
    else:
        function, arguments = arguments_of(name, SIZES[name])
    with np.errstate(all="ignore"):
        function(*copy.deepcopy(arguments))  # libraries are loaded, and memory is there
        eager = _calls(function, arguments)
        return _calls(tracefn.function(function), arguments), eager


def _calls(function: Callable[..., Any], arguments: Any) -> float:
    given = [copy.deepcopy(arguments) for _ in range(CALLS)]
    began = time.perf_counter()
    for each in given:
        function(*each)
    return time.perf_counter() - began


def _stall() -> float:
    x = np.linspace(0, 1, 16)
    concrete = tracefn.function(chain(100), jit="off").get_concrete_function(x, x)
    tiers.native_later(concrete._execution)
    began = time.perf_counter()
    with_it = _longest(lambda: concrete.plan == "native")
    until = time.perf_counter() + (time.perf_counter() - began)
    return max(0.0, with_it - _longest(lambda: time.perf_counter() > until))


def _longest(is_over: Callable[[], bool]) -> float:
    """The longest time between two looks at the clock."""
    longest, last = 0.0, time.perf_counter()
    while not is_over():
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    return longest


def _nodes(count: str) -> float:
    from tracefn.runtime import native_program  # which a process that builds nothing does without

    def unrolled(x: Any, v: Any, rounds: int) -> Any:
        for _ in range(rounds):
            v = v - 0.01 * (np.sin(x) + 0.1 * v)
            x = x + 0.01 * v
        return x, v

    x = np.linspace(0, 1, 100)
    warm = tracefn.function(unrolled, autograph=False, jit="off").get_concrete_function(x, x, 3).graph
    native_program.NativeProgram(warm, "warm")
    function = tracefn.function(unrolled, autograph=False, jit="off")
    graph = function.get_concrete_function(x, x + 1, int(count) // 7).graph
    began = time.process_time()
    native_program.NativeProgram(graph, "unrolled")
    return (time.process_time() - began) / len(graph.nodes)


def _threads() -> float:
    def functions(make: Callable[..., Any]) -> list[Any]:
        return [make(lambda x, k=k: np.tanh(x * k) + np.sqrt(x).sum() * x) for k in range(1, THREADS + 1)]

    def rate(called: list[Any]) -> float:
        x, counts, until = np.linspace(0, 1, 5000), [0] * THREADS, time.perf_counter() + SECONDS

        def call(k: int) -> None:
            while time.perf_counter() < until:
                called[k](x)
                counts[k] += 1

        threads = [threading.Thread(target=call, args=(k,)) for k in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sum(counts) / SECONDS

    eager = rate(functions(lambda f: f))
    return eager / rate(functions(tracefn.function))


def _later() -> float:
    x = np.linspace(0, 1, 1000)
    function = tracefn.function(chain(1000), jit="auto")
    began = time.perf_counter()
    function(x, x)
    first = time.perf_counter() - began
    for _ in range(2 * tiers.OFTEN):
        function(x, x)
    worker.wait_until_built()
    began = time.perf_counter()
    function(x, x)
    return first - (time.perf_counter() - began)


def _warm(name: str) -> list[float]:
    function, arguments = SHORT[name]
    traced = tracefn.function(function)
    for _ in range(2 * tiers.OFTEN):
        traced(*arguments)
    worker.wait_until_built()
    assert traced.concrete_functions[0].plan == "numpy"
    own, eager = in_turns([Timer(lambda: traced(*arguments)), Timer(lambda: function(*arguments))])
    return [a / b for a, b in zip(own, eager, strict=True)]


MEASURES: dict[str, Callable[..., Any]] = {
    "ten": _ten,
    "stall": _stall,
    "nodes": _nodes,
    "threads": _threads,
    "later": _later,
    "warm": _warm,
}

if __name__ == "__main__":
    print(json.dumps(MEASURES[sys.argv[1]](*sys.argv[2:])))
