"""The cost of native code beside the work: `python -m benchmarks.background WHAT` in a process of its own.

`later`: seconds from the end of the first trace until native code is in use, where an earlier process has built it.
`stall`: the longest time in seconds for which the main thread, which does nothing but look at the clock, stands still
while a kernel of 100 operations is built in the background.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import tracefn
from tracefn.runtime import tiers, worker

from benchmarks.measure import Spread, in_fresh_process
from benchmarks.workloads import chain, ten_ops

PROCESSES = 9


@dataclass(frozen=True, slots=True)
class Background:
    """Seconds. `later`: from the first trace of a later process to native code. `stall`: see above."""

    later: Spread
    stall: Spread


def background() -> Background:
    """Measures both."""
    before = os.environ.get("TRACEFN_CACHE")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRACEFN_CACHE"] = folder
        try:
            in_fresh_process("benchmarks.background", "later")  # builds
            later = [in_fresh_process("benchmarks.background", "later") for _ in range(PROCESSES)]
            os.environ["TRACEFN_CACHE"] = "off"
            stall = [in_fresh_process("benchmarks.background", "stall") for _ in range(PROCESSES)]
        finally:
            del os.environ["TRACEFN_CACHE"]
            if before is not None:
                os.environ["TRACEFN_CACHE"] = before
    return Background(Spread.of(later), Spread.of(stall))


def _later() -> float:
    x = np.linspace(0, 1, 16, dtype=np.float32)
    with tracefn.events.record() as events:
        tracefn.function(ten_ops(np), jit="now")(x, x)
    traced = next(e.time_ns for e in events if e.type == "trace.finished")
    ready = next(e.time_ns for e in events if e.type == "plan.ready" and e.plan == "native")
    worker.wait_until_built()
    return (ready - traced) * 1e-9


def _stall() -> float:
    x = np.linspace(0, 1, 16)
    concrete = tracefn.function(chain(100), jit="off").get_concrete_function(x, x)
    tiers.native_later(concrete._execution)
    longest, last = 0.0, time.perf_counter()
    while concrete.plan != "native":
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    return longest


MEASURES: dict[str, Any] = {"later": _later, "stall": _stall}

if __name__ == "__main__":
    print(json.dumps(MEASURES[sys.argv[1]]()))
