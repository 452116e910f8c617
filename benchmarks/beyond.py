"""The cost of a cached call beyond another: one that runs eagerly over eager code, one with state over one without.

`python -m benchmarks.beyond` prints it from a process of its own.
"""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from timeit import Timer
from typing import Any

import numpy as np

from benchmarks.measure import Spread, in_fresh_process, in_turns


@dataclass(frozen=True, slots=True)
class Beyond:
    """Seconds of one call beyond the other, sample by sample: `eager`, `eager_method` and `state`."""

    eager: Spread
    eager_method: Spread
    state: Spread


def beyond() -> Beyond:
    """Measures it in a fresh process."""
    return Beyond(**{name: Spread.of(samples) for name, samples in in_fresh_process("benchmarks.beyond").items()})


def _refused(x: Any, y: Any) -> Any:
    """A short function that cannot be traced."""
    x.setflags(write=True)
    return y


class _Refused:
    def run(self, x: Any) -> Any:
        x.setflags(write=True)
        return x


class _Counting:
    def __init__(self) -> None:
        self.n = 0

    def step(self, x: Any) -> Any:
        self.n += 1
        return x * self.n


class _Plain:
    def __init__(self) -> None:
        self.n = 3

    def step(self, x: Any) -> Any:
        return x * self.n


def _measure() -> dict[str, list[float]]:
    import tracefn

    warnings.simplefilter("ignore", tracefn.errors.FallbackWarning)
    x = np.ones(4)
    traced: Any = type("Traced", (_Refused,), {"run": tracefn.function(_Refused.run)})
    counting: Any = type("Counting", (_Counting,), {"step": tracefn.function(_Counting.step)})
    plain: Any = type("Plain", (_Plain,), {"step": tracefn.function(_Plain.step)})
    return {
        "eager": _beyond("f(x, x)", x, tracefn.function(_refused), _refused),
        "eager_method": _beyond("f.run(x)", x, traced(), _Refused()),
        "state": _beyond("f.step(x)", x, counting(), plain()),
    }


def _beyond(code: str, x: Any, own: Any, other: Any) -> list[float]:
    from tracefn.runtime.worker import wait_until_built

    timers = [Timer(code, globals={"f": f, "x": x}) for f in (own, other)]
    for timer in timers:
        timer.timeit(5000)
    wait_until_built()
    for timer in timers:
        timer.timeit(5000)
    first, second = in_turns(timers)
    return [a - b for a, b in zip(first, second, strict=True)]


if __name__ == "__main__":
    print(json.dumps(_measure()))
