"""Derivatives of arrays made of others: of nested lists, and of numbers at even distances.

An evenly spaced number is a mean of the two ends, whose weights are known.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .elementwise import of_i0
from .movement.scatter import counting


def array(g: Any, out: Any, object: Any, dtype: Any = None, **options: Any) -> tuple[Any, ...]:
    for _ in range(np.ndim(g) - _depth(object)):  # as `ndmin` asked for
        g = g[0]
    return (_nested(g, object),)


def _depth(value: Any) -> int:
    return 1 + _depth(value[0]) if isinstance(value, list | tuple) and value else np.ndim(value)


def _nested(g: Any, value: Any) -> Any:
    return [_nested(g[i], part) for i, part in enumerate(value)] if isinstance(value, list | tuple) else g


def kaiser(g: Any, out: Any, M: Any, beta: Any) -> tuple[Any, ...]:
    """Of `i0(beta * s) / i0(beta)`, where s goes from 0 to 1 and back."""
    numbers, half = counting(np.shape(g)[0], g), (np.shape(g)[0] - 1) / 2
    s = np.sqrt(1 - ((numbers - half) / np.maximum(half, 0.5)) ** 2)
    whole = np.i0(beta)
    slope = s * of_i0(None, beta * s) / whole - out * of_i0(None, beta) / whole
    return None, np.sum(g * slope)


def frequencies(g: Any, out: Any, n: Any, d: Any = 1.0, device: Any = None) -> tuple[Any, ...]:
    return None, {"d": -np.sum(g * out) / d}


def full(g: Any, out: Any, shape: Any, fill_value: Any, **options: Any) -> tuple[Any, ...]:
    return None, g


def arange(g: Any, out: Any, start_or_stop: Any, stop: Any = None, step: Any = 1, **options: Any) -> tuple[Any, ...]:
    by_step = np.sum(g * counting(np.shape(g)[0], g))
    return None if stop is None else np.sum(g), {"stop": None, "step": by_step}


def linspace(g: Any, out: Any, start: Any, stop: Any, num: Any = 50, endpoint: Any = True, retstep: Any = False,
             axis: int = 0, **options: Any) -> tuple[Any, ...]:  # fmt: skip
    g, step = g if retstep else (g, None)
    samples, by_start, by_stop = out[0] if retstep else out, 0, 0
    if g is not None:
        weight = _weights(samples, endpoint, axis)
        by_start, by_stop = np.sum(g * (1 - weight), axis), np.sum(g * weight, axis)
    if step is not None:
        by_step = step / (np.shape(samples)[axis] - bool(endpoint))
        by_start, by_stop = by_start - by_step, by_stop + by_step
    return by_start, by_stop


def logspace(g: Any, out: Any, start: Any, stop: Any, num: Any = 50, endpoint: Any = True, base: Any = 10.0,
             dtype: Any = None, axis: int = 0) -> tuple[Any, ...]:  # fmt: skip
    weight = _weights(out, endpoint, axis)
    first, last, wide = (_beside(end, out, axis) for end in (start, stop, base))
    exponent = first * (1 - weight) + last * weight
    each = g * out * np.log(wide)
    by_base = np.sum(g * exponent * np.power(wide, exponent - 1), axis)
    return np.sum(each * (1 - weight), axis), np.sum(each * weight, axis), {"base": by_base}


def _beside(end: Any, samples: Any, axis: int) -> Any:
    """An end as it is broadcast against the numbers along an axis."""
    missing = np.ndim(samples) - 1 - np.ndim(end)
    return np.expand_dims(np.reshape(end, (*[1] * missing, *np.shape(end))), axis)


def geomspace(g: Any, out: Any, start: Any, stop: Any, num: Any = 50, endpoint: Any = True, dtype: Any = None,
              axis: int = 0) -> tuple[Any, ...]:  # fmt: skip
    weight, each = _weights(out, endpoint, axis), g * out
    return np.sum(each * (1 - weight), axis) / start, np.sum(each * weight, axis) / stop


def _weights(samples: Any, endpoint: Any, axis: int) -> Any:
    """The weight of the second end in each of the numbers along an axis."""
    count = np.shape(samples)[axis]
    steps = max(count - 1, 1) if endpoint else count
    return np.reshape(counting(count, samples) / steps, (-1, *[1] * (np.ndim(samples) - 1 - axis % np.ndim(samples))))
