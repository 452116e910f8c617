"""First call and retrace of ten operations: `python -m benchmarks.first_call ENGINE` in a process of its own."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence

import numpy as np

from benchmarks.engines import TRACERS, installed, load
from benchmarks.measure import Spread, in_fresh_process
from benchmarks.workloads import ten_ops

#: Processes for each engine. The first call of a process happens once.
PROCESSES = {"tracefn": 15}
OTHERS = 5
RETRACES = 15


def first_calls(names: Sequence[str] = TRACERS) -> dict[str, tuple[Spread, Spread] | None]:
    """Engine → seconds of (the first call, one retrace); None for an engine that is not installed or cannot run."""
    there = installed(names)
    first: dict[str, list[float]] = {name: [] for name in there}
    retraces: dict[str, list[float]] = {name: [] for name in there}
    in_fresh_process("benchmarks.first_call", "tracefn")  # compiles the modules of a fresh checkout
    for turn in range(PROCESSES["tracefn"]):
        for name in there:
            if turn < PROCESSES.get(name, OTHERS):
                try:
                    once, again = in_fresh_process("benchmarks.first_call", name)
                except RuntimeError:  # an engine that compiles C++ needs a compiler
                    if name in TRACERS:
                        raise
                    continue
                first[name].append(once)
                retraces[name] += again
    return {n: (Spread.of(first[n]), Spread.of(retraces[n])) if first.get(n) else None for n in names}


def _measure(name: str) -> tuple[float, list[float]]:
    """Seconds of the first call, and of each of some calls with another length. Arrays exist, and the backend runs."""
    engine = load(name)
    arrays = [engine.array(np.linspace(0, 1, 16 + n, dtype=np.float32)) for n in range(RETRACES + 1)]
    function = engine.trace(ten_ops(engine.xp))
    seconds = []
    for array in arrays:
        begin = time.perf_counter()
        result = function(array, array)
        if engine.wait:
            result.block_until_ready()
        seconds.append(time.perf_counter() - begin)
    return seconds[0], seconds[1:]


if __name__ == "__main__":
    print(json.dumps(_measure(sys.argv[1])))
