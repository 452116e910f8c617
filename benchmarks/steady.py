"""Calls of traced functions beside eager NumPy: `python -m benchmarks.steady ENGINE` in a process of its own."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from timeit import Timer

import numpy as np

from benchmarks.engines import TRACERS, Engine, installed, load
from benchmarks.measure import Spread, in_fresh_process, in_turns
from benchmarks.workloads import WORKLOADS, Workload


@dataclass(frozen=True, slots=True)
class Steady:
    """Seconds of one call, of eager NumPy's beside it, and their ratio, sample by sample."""

    engine: Spread
    eager: Spread
    ratio: Spread


def steady_calls() -> dict[str, dict[str, Steady | None]]:
    """Workload → engine → its times; None for an engine that is not installed."""
    found: dict[str, dict[str, Steady | None]] = {name: dict.fromkeys(TRACERS) for name in WORKLOADS}
    for name in installed():
        for workload, (own, eager) in in_fresh_process("benchmarks.steady", name).items():
            ratios = [a / b for a, b in zip(own, eager, strict=True)]
            found[workload][name] = Steady(Spread.of(own), Spread.of(eager), Spread.of(ratios))
    return found


def _measure(name: str) -> dict[str, list[list[float]]]:
    eager, engine = load("numpy"), load(name)
    return {key: in_turns([_timer(engine, w), _timer(eager, w)]) for key, w in WORKLOADS.items()}


def _timer(engine: Engine, workload: Workload) -> Timer:
    """Times the traced function on the engine's own arrays; checks first that its results are NumPy's."""
    arrays = workload.arrays()
    function = engine.trace(workload.make(engine.xp))
    x, y = map(engine.array, arrays)
    expected = workload.make(np)(*arrays)
    engine.settle(lambda: function(x, y))
    np.testing.assert_allclose(np.asarray(function(x, y)), expected, rtol=1e-5)
    return Timer(f"function(x, y){engine.wait}", globals={"function": function, "x": x, "y": y})


if __name__ == "__main__":
    print(json.dumps(_measure(sys.argv[1])))
