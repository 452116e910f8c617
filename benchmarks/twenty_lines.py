"""A function of 20 lines with an if in a loop, and a smaller loop to be traced before it, as each engine wants them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.loops import tanh_loop

Function = Callable[[Any, Any], Any]


def python_lines(x: Any, n: Any) -> Any:
    total = 0.0
    count = 0
    largest = x[0]
    for i in range(n):
        values = np.tanh(x * i)
        found = values.sum()
        if found > 1:
            total = total + found
            count = count + 1
        elif found < -1:
            total = total - found
        else:
            total = total + 0.5
        if values[0] > largest:
            largest = values[0]
        x = x * 0.99
    mean = total / (count + 1)
    distance = largest - mean
    return distance, largest, x


def _numpy() -> tuple[Function, Function]:
    return tanh_loop, python_lines


def _jax() -> tuple[Function, Function]:
    import jax.numpy as jnp
    from jax import lax

    def smaller(x: Any, n: Any) -> Any:
        return lax.fori_loop(0, n, lambda _, x: jnp.tanh(x) * 0.5 + 0.1, x)

    def lines(x: Any, n: Any) -> Any:
        def body(i: Any, state: Any) -> Any:
            x, total, count, largest = state
            values = jnp.tanh(x * i)
            found = values.sum()
            total, count = lax.cond(
                found > 1,
                lambda: (total + found, count + 1),
                lambda: (lax.cond(found < -1, lambda: total - found, lambda: total + 0.5), count),
            )
            largest = lax.cond(values[0] > largest, lambda: values[0], lambda: largest)
            return x * 0.99, total, count, largest

        x, total, count, largest = lax.fori_loop(0, n, body, (x, jnp.zeros(()), 0, x[0]))
        mean = total / (count + 1)
        distance = largest - mean
        return distance, largest, x

    return smaller, lines


def _tensorflow() -> tuple[Function, Function]:
    import tensorflow as tf

    def smaller(x: Any, n: Any) -> Any:
        for _ in tf.range(n):
            x = tf.tanh(x) * 0.5 + 0.1
        return x

    def lines(x: Any, n: Any) -> Any:
        total = tf.constant(0.0, x.dtype)
        count = 0
        largest = x[0]
        for i in tf.range(n):
            values = tf.tanh(x * tf.cast(i, x.dtype))
            found = tf.reduce_sum(values)
            if found > 1:
                total = total + found
                count = count + 1
            elif found < -1:
                total = total - found
            else:
                total = total + 0.5
            if values[0] > largest:
                largest = values[0]
            x = x * 0.99
        mean = total / tf.cast(count + 1, x.dtype)
        distance = largest - mean
        return distance, largest, x

    return smaller, lines


#: Engine → makes the smaller loop and the 20 lines. Both take an array and the number of rounds, an integer array.
IDIOMS: dict[str, Callable[[], tuple[Function, Function]]] = {
    "tracefn": _numpy,
    "jax": _jax,
    "tensorflow": _tensorflow,
}
