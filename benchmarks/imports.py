"""The cost of `import tracefn` after `import numpy`: `python -m benchmarks.imports MODULE` in a process of its own."""

from __future__ import annotations

import importlib
import json
import sys
import time

from benchmarks.engines import TRACERS, installed
from benchmarks.measure import Spread, in_fresh_process

PROCESSES = {"tracefn": 15, "jax": 5, "tensorflow": 5}

#: Never imported before they are needed.
LATE = ("IPython", "anywidget", "cupy", "graphviz", "ipykernel", "plotly")


def imports() -> dict[str, Spread | None]:
    """Engine → seconds that its import takes beyond NumPy's; None for an engine that is not installed."""
    there = installed()
    seconds: dict[str, list[float]] = {name: [] for name in there}
    in_fresh_process("benchmarks.imports", "tracefn")  # compiles the modules of a fresh checkout
    for turn in range(max(PROCESSES.values())):
        for name in there:
            if turn < PROCESSES[name]:
                took, late = in_fresh_process("benchmarks.imports", name)
                if name == "tracefn" and late:
                    raise RuntimeError(f"import tracefn imports {', '.join(late)}, which must wait until it is needed")
                seconds[name].append(took)
    return {name: Spread.of(seconds[name]) if name in there else None for name in TRACERS}


def _measure(module: str) -> tuple[float, list[str]]:
    """Seconds of the import, and which of the late modules it brought along."""
    importlib.import_module("numpy")
    begin = time.perf_counter()
    importlib.import_module(module)
    took = time.perf_counter() - begin
    return took, [name for name in LATE if name in sys.modules]


if __name__ == "__main__":
    print(json.dumps(_measure(sys.argv[1])))
