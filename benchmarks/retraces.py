"""The cost of explaining retraces, of logging calls, and of replaying the log."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from timeit import Timer
from typing import Any

import numpy as np
import tracefn
from tracefn.errors import RetraceWarning
from tracefn.explain.policies import POLICIES
from tracefn.explain.replay import replay
from tracefn.function.guards import Now
from tracefn.function.history.call_log import CallLog
from tracefn.function.history.traces import TraceRecord, compare
from tracefn.trace.signature import CallSignature

from benchmarks.measure import Spread, in_turns

EARLIER = 100
LOGGED = 100_000


@dataclass(frozen=True, slots=True)
class Retraces:
    """The measurements; times in seconds.

    `explaining` one miss against `EARLIER` signatures as a miss does it, and `in_full` as `explain()` does; `replaying`
    `LOGGED` calls, by policy; `row_bytes` of the log; `cached_call`: how much longer a call takes in a function that
    has logged calls than in one that has not, sample by sample.
    """

    explaining: Spread
    in_full: Spread
    replaying: dict[str, Spread]
    row_bytes: Spread
    cached_call: Spread


def retraces() -> Retraces:
    """Measures it in this process."""
    explaining, in_full = in_turns([Timer(f) for f in _explaining()])
    log = _log()
    names = [policy.name for policy in POLICIES]
    replays = in_turns([Timer(lambda policy=policy: replay(log, policy, 128)) for policy in POLICIES])
    row = log.nbytes / len(log)
    return Retraces(
        Spread.of(explaining),
        Spread.of(in_full),
        {name: Spread.of(seconds) for name, seconds in zip(names, replays, strict=True)},
        Spread(row, row, row, 1),
        _cached_call(),
    )


def _model(batch: Any, n: int, rate: float) -> Any:
    return np.tanh(batch["x"]) * n + batch["y"] * rate


def _explaining() -> tuple[Callable[[], Any], Callable[[], Any]]:
    """The work of a miss to be explained, and of `explain()`, in a function with `EARLIER` traces."""
    f = tracefn.function(_model)

    def arguments(number: int) -> tuple[Any, ...]:
        return {"x": np.ones((number % 10 + 1, 3)), "y": np.ones(3)}, number, 0.1

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RetraceWarning)
        for number in range(EARLIER + 1):
            f.get_concrete_function(*arguments(number))  # a call may wait, where traces serve few
    call, values = CallSignature.of(f._bind(arguments(1000), {}))
    history = f._history

    def explain() -> Any:
        record = TraceRecord(EARLIER + 2, call, call, None, history.guards(call, Now(call, values)))
        nearest = history.nearest(record)
        return compare(nearest, call, record.guards.get(nearest.number, ()), record.number)

    last = history.records[-1]
    return explain, lambda: history.compared(last)


def _log() -> CallLog:
    """Calls with lengths, two numbers, a text and a flag, nearly all of them different."""
    log = CallLog()
    x = np.empty((1, 64), np.float32)
    for number in range(LOGGED):
        batch = {"x": np.broadcast_to(x, (number % 997 + 1, 64)), "y": np.broadcast_to(x[0, 0], number % 97 + 1)}
        arguments = {"batch": batch, "n": number % 13, "rate": 0.5 / (number % 7 + 1), "mode": "ab"[number % 2]}
        log.append(CallSignature.of(arguments)[0], number + 1, 1_000_000)
    return log


def _cached_call() -> Spread:
    """The difference that a history of `EARLIER` logged calls makes to a call that finds its trace."""
    x = np.ones(4, np.float32)
    fresh, logged = (tracefn.function(lambda x, n: (x + n) * 2) for _ in range(2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RetraceWarning)
        for number in range(EARLIER):
            logged.get_concrete_function(x, number)
            logged(x, number)
    for f in (fresh, logged):
        f(x, -1)
        f(x, -1)
    timers = [Timer("f(x, -1)", globals={"f": f, "x": x}) for f in (fresh, logged)]
    without, beyond = in_turns(timers)
    return Spread.of(b - a for a, b in zip(without, beyond, strict=True))
