"""Tasks beside eager NumPy and beside a copy of as many bytes: `python -m benchmarks.full.beside ENGINE`."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from timeit import Timer
from typing import Any

import numpy as np

from benchmarks.engines import EVERYONE, Engine, installed, load
from benchmarks.full.tasks import TASKS, Task
from benchmarks.measure import Spread, in_fresh_process, in_turns


@dataclass(frozen=True, slots=True)
class Beside:
    """Seconds of one call, of eager NumPy's beside it, their ratio, and how much of the speed of copying the arguments
    and the result it comes to, sample by sample."""

    engine: Spread
    eager: Spread
    ratio: Spread
    of_copying: Spread


def beside_numpy() -> dict[str, dict[str, Beside | None]]:
    """Task → engine → its times; None for an engine that is not installed or has no such functions."""
    found: dict[str, dict[str, Beside | None]] = {name: dict.fromkeys(EVERYONE) for name in TASKS}
    for name in installed(EVERYONE):
        for task, samples in in_fresh_process("benchmarks.full.beside", name, timeout=3600).items():
            found[task][name] = None if samples is None else _beside(*samples)
    return found


def _beside(own: list[float], eager: list[float], copying: list[float]) -> Beside:
    ratio = Spread.of([a / b for a, b in zip(own, eager, strict=True)])
    return Beside(
        Spread.of(own), Spread.of(eager), ratio, Spread.of([b / a for a, b in zip(own, copying, strict=True)])
    )


def _measure(name: str, keys: list[str]) -> dict[str, list[list[float]] | None]:
    eager, engine = load("numpy"), load(name)
    found: dict[str, list[list[float]] | None] = {}
    for key in keys or TASKS:
        task = TASKS[key]
        arrays = task.arrays()
        try:
            own, size = _timer(engine, task, arrays)
        except Exception as error:  # a peer need not have all functions
            if name.startswith("tracefn"):
                raise
            print(f"{name}, {key}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
            found[key] = None
            continue
        bytes_to_copy = np.zeros(max(1, size // 2), np.uint8)
        timers = [own, _timer(eager, task, arrays)[0], Timer(bytes_to_copy.copy)]
        found[key] = in_turns(timers)
    return found


def _timer(engine: Engine, task: Task, arrays: tuple[Any, Any]) -> tuple[Timer, int]:
    """Times the function on the engine's own arrays, and the bytes that must be read and written; checks first that it
    computes what NumPy computes."""
    function = engine.trace(task.make(engine.xp))
    x, y = map(engine.array, arrays)
    expected = task.make(np)(*arrays)
    engine.settle(lambda: function(x, y))
    np.testing.assert_allclose(np.asarray(function(x, y)), expected, rtol=1e-3 if task.dtype == "float32" else 1e-8)
    moved = sum(a.nbytes for a in arrays) + expected.nbytes
    return Timer(f"function(x, y){engine.wait}", globals={"function": function, "x": x, "y": y}), moved


if __name__ == "__main__":
    print(json.dumps(_measure(sys.argv[1], sys.argv[2:])))
