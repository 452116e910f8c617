"""Samples and their spread: calls timed in turns, and measurements made in processes of their own."""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from timeit import Timer
from typing import Any

from benchmarks import ROOT

SAMPLE_SECONDS = 1e-3
FEWEST_SAMPLES = 9
MOST_SAMPLES = 60
BUDGET_SECONDS = 1.5

#: Everything is measured on the CPU, and peers keep their notices to themselves. Modules are compiled once, as ever.
ENVIRONMENT = {
    "CUDA_VISIBLE_DEVICES": "",
    "JAX_PLATFORMS": "cpu",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_ENABLE_ONEDNN_OPTS": "0",
}


@dataclass(frozen=True, slots=True)
class Spread:
    """Lower quartile, median and upper quartile of some samples."""

    lower: float
    median: float
    upper: float
    samples: int

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """The spread of the values, of which there must be at least one."""
        found = sorted(values)
        if len(found) == 1:
            return cls(found[0], found[0], found[0], 1)
        lower, median, upper = statistics.quantiles(found, n=4, method="inclusive")
        return cls(lower, median, upper, len(found))

    def times(self, factor: float) -> Spread:
        """The same in another unit."""
        return Spread(self.lower * factor, self.median * factor, self.upper * factor, self.samples)


def in_turns(timers: Sequence[Timer]) -> list[list[float]]:
    """Seconds of one call, sample by sample, for each of the timers.

    They take turns, so that a disturbance of the machine disturbs all alike: sample n of one was taken beside sample n
    of the others. A sample repeats the call until it takes a millisecond. The garbage collector rests meanwhile.
    """
    once = [min(timer.repeat(3, 1)) for timer in timers]
    numbers = [max(1, math.ceil(SAMPLE_SECONDS / seconds)) for seconds in once]
    for timer, number in zip(timers, numbers, strict=True):
        timer.timeit(number)
    turn = sum(number * seconds for number, seconds in zip(numbers, once, strict=True))
    samples: list[list[float]] = [[] for _ in timers]
    for n in range(min(MOST_SAMPLES, max(FEWEST_SAMPLES, int(BUDGET_SECONDS / turn)))):
        for i in range(len(timers))[:: -1 if n % 2 else 1]:
            samples[i].append(timers[i].timeit(numbers[i]) / numbers[i])
    return samples


def in_fresh_process(module: str, *arguments: str, timeout: float = 600) -> Any:
    """The last line that `python -m module arguments…` prints, from JSON.

    Raises RuntimeError with its error output if it fails; it may take `timeout` seconds.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env={**kept, **ENVIRONMENT},
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    if done.returncode:
        raise RuntimeError(f"{module} {' '.join(arguments)} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])
