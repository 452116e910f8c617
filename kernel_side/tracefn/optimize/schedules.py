"""Learning rates that change: functions of the number of the step, from 0 on, in NumPy's operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Schedule = Callable[[Any], Any]
Rate = float | Schedule


def linear(first: float, last: float, steps: int) -> Schedule:
    """From `first` to `last` in equal steps, and `last` from then on.

    >>> rate = linear(1.0, 0.0, 4)
    >>> [float(rate(step)) for step in (0, 1, 4, 9)]
    [1.0, 0.75, 0.0, 0.0]
    """
    return lambda step: first + (last - first) * _made(step, steps)


def _made(step: Any, steps: int) -> Any:
    """The fraction of the steps that are done, 1 where the schedule has no steps."""
    return np.minimum(step / steps, 1.0) if steps else 1.0


def exponential_decay(first: float, factor: float, steps: int, staircase: bool = False) -> Schedule:
    """`first * factor ** (step / steps)`; with `staircase` the exponent is a whole number, rounded down.

    >>> rate = exponential_decay(1.0, 0.5, 10)
    >>> [float(rate(step)) for step in (0, 10, 20)]
    [1.0, 0.5, 0.25]
    """
    if staircase:
        return lambda step: first * np.power(factor, np.floor(step / steps))
    return lambda step: first * np.power(factor, step / steps)


def cosine_decay(first: float, steps: int, last: float = 0.0) -> Schedule:
    """From `first` to `last` along half a cosine, and `last` from then on.

    Source: I. Loshchilov, F. Hutter, SGDR: Stochastic gradient descent with warm restarts, 2017.

    >>> rate = cosine_decay(1.0, 10)
    >>> [round(float(rate(step)), 3) for step in (0, 5, 10, 11)]
    [1.0, 0.5, 0.0, 0.0]
    """
    return lambda step: last + (first - last) * 0.5 * (1 + np.cos(np.pi * _made(step, steps)))


def warmup_cosine_decay(peak: float, warmup_steps: int, steps: int, first: float = 0.0, last: float = 0.0) -> Schedule:
    """From `first` to `peak` in equal steps, then to `last` along half a cosine; `steps` counts both together.

    >>> rate = warmup_cosine_decay(1.0, 4, 12)
    >>> [round(float(rate(step)), 3) for step in (0, 2, 4, 8, 12)]
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    up, down = linear(first, peak, warmup_steps), cosine_decay(peak, steps - warmup_steps, last)
    return lambda step: np.where(step < warmup_steps, up(step), down(np.maximum(step - warmup_steps, 0)))


def piecewise_constant(boundaries: Sequence[int], values: Sequence[float]) -> Schedule:
    """The first of `values` before the first boundary, and the next one from each boundary on.

    ValueError where there are not as many boundaries as values but one.

    >>> rate = piecewise_constant([10, 20], [1.0, 0.1, 0.01])
    >>> [float(rate(step)) for step in (0, 9, 10, 25)]
    [1.0, 1.0, 0.1, 0.01]
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError(f"{len(values)} values have {len(values) - 1} boundaries between them, not {len(boundaries)}")

    def rate(step: Any) -> Any:
        found = np.asarray(values[0], float)
        for boundary, value in zip(boundaries, values[1:], strict=True):
            found = np.where(step >= boundary, value, found)
        return found[()]

    return rate
