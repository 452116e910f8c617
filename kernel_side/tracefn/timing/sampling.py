"""Repeated timing of calls side by side: interleaved, warm, without garbage collection."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NamedTuple

import numpy as np

from tracefn.records import dataclass
from tracefn.timing.arguments import Call

# A sample is long enough that the clock's own cost (tens of ns) does not matter.
SAMPLE_NS = 200_000
BUDGET_NS = 400_000_000
FEWEST_SAMPLES = 7
MOST_SAMPLES = 100
WARM_UP_NS = 10_000_000
FEWEST_WARM_UPS = 2


@dataclass(frozen=True, slots=True)
class Quartiles:
    """The time of one call in ns: lower quartile, median and upper quartile.

    They are those of `samples` samples of `calls` calls each.

    >>> from tracefn.timing import Quartiles
    >>> Quartiles(1.0, 2.0, 4.0, samples=9, calls=100).as_tuple()
    (1.0, 2.0, 4.0)
    """

    lower: float
    median: float
    upper: float
    samples: int
    calls: int

    def as_tuple(self) -> tuple[float, float, float]:
        """(lower, median, upper)."""
        return self.lower, self.median, self.upper


@dataclass(frozen=True, slots=True)
class Timed:
    """A callable to time. `prepare` gives its arguments, outside the timed section.

    With `reuse` they are prepared once and serve all calls; without, each call gets its own, and a sample is one call.
    `finish` is called at the end of each sample, within the time (it waits for a device that works on its own).
    A sample is taken `within` a context of its own.
    """

    run: Callable[..., Any]
    prepare: Callable[[], Call]
    reuse: bool
    finish: Callable[[], None]
    within: Callable[[], AbstractContextManager[None]] = nullcontext

    def sample(self, calls: int, prepared: Call) -> int:
        """The duration of `calls` calls, in ns."""
        run, (args, kwargs) = self.run, prepared
        with self.within():
            begin = time.perf_counter_ns()
            for _ in range(calls):
                run(*args, **kwargs)
            self.finish()
            return time.perf_counter_ns() - begin


class Samples(NamedTuple):
    """The times of samples of as many `calls` each, in ns, turn by turn."""

    times: list[int]
    calls: int

    @property
    def quartiles(self) -> Quartiles:
        """Those of one call."""
        return quartiles(*self)

    def faster_than(self, other: Samples) -> float:
        """The part of the turns in which a call took less time than one of the other. What disturbs a turn disturbs
        both, so that this tells them apart where their quartiles overlap."""
        pairs = zip(self.times, other.times, strict=True)
        wins = [(mine / self.calls < theirs / other.calls) for mine, theirs in pairs]
        return sum(wins) / len(wins)


APART = 0.75
"""The part of the turns in which a call is faster that is more than chance."""


def are_apart(speedup: float, faster: float) -> bool:
    """Whether a graph is faster, or slower, in enough turns, and by the medians as well."""
    return (speedup > 1 and faster >= APART) or (speedup < 1 and faster <= 1 - APART)


def measure(timed: Sequence[Timed]) -> list[Quartiles]:
    """Time each of `timed`: the quartiles of `take_turns`."""
    return [samples.quartiles for samples in take_turns(timed)]


def take_turns(timed: Sequence[Timed]) -> list[Samples]:
    """Time each of `timed`, taking turns, so that a disturbance of the machine disturbs all of them alike."""
    with no_garbage_collection():
        once = [_warm_up(each) for each in timed]
        prepared = [each.prepare() for each in timed]
        calls = [max(1, math.ceil(SAMPLE_NS / ns)) if each.reuse else 1 for each, ns in zip(timed, once, strict=True)]
        round_ns = sum(number * ns for number, ns in zip(calls, once, strict=True))
        rounds = min(MOST_SAMPLES, max(FEWEST_SAMPLES, int(BUDGET_NS / round_ns)))
        times: list[list[int]] = [[] for _ in timed]
        for turn in range(rounds):
            # Every other round in the opposite order: neither always runs in the other's warm cache.
            for n in range(len(timed))[:: -1 if turn % 2 else 1]:
                if not timed[n].reuse:
                    prepared[n] = timed[n].prepare()
                times[n].append(timed[n].sample(calls[n], prepared[n]))
    return [Samples(*found) for found in zip(times, calls, strict=True)]


def _warm_up(timed: Timed) -> float:
    """Run until the time is steady; the shortest time of one call in ns."""
    shortest = math.inf
    spent = 0
    warm_ups = 0
    while warm_ups < FEWEST_WARM_UPS or (spent < WARM_UP_NS and warm_ups < MOST_SAMPLES):
        ns = timed.sample(1, timed.prepare())
        shortest = min(shortest, ns)
        spent += ns
        warm_ups += 1
    return max(1.0, shortest)


def quartiles(samples: Sequence[float], calls: int = 1) -> Quartiles:
    """Those of samples of as many calls each."""
    lower, median, upper = (float(q) / calls for q in np.percentile(samples, (25, 50, 75)))
    return Quartiles(lower, median, upper, len(samples), calls)


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """While the block runs, Python does not look for cycles of objects."""
    enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
