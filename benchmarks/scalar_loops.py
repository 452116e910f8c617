"""Loops over numbers and array elements as machine code, beside Numba: `python -m benchmarks.scalar_loops` for JAX's.

Numba compiles the same functions, unchanged; JAX has its own idiom, and those with a bar alone.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from timeit import Timer
from typing import Any

import numpy as np
import tracefn

from benchmarks.loops import logistic
from benchmarks.measure import Spread, in_fresh_process, in_turns

STEPS = 10_000
SUM, LOGISTIC = f"sum with a branch, {STEPS:,} steps", f"logistic map with a branch, {STEPS:,} steps"


def sum_with_branch(n: Any) -> Any:
    s = 0
    for i in range(n):
        if i % 2 == 0:
            s += i
        else:
            s -= 1
    return s


def collatz_longest(limit: Any) -> Any:
    longest = 0
    for start in range(1, limit):
        n = start
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        if steps > longest:
            longest = steps
    return longest


def lu(A: Any) -> Any:
    A = A.copy()
    n = len(A)
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]
    return A


def shortest_paths(D: Any) -> Any:
    D = D.copy()
    n = len(D)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if D[i, k] + D[k, j] < D[i, j]:
                    D[i, j] = D[i, k] + D[k, j]
    return D


def edit_distance(a: Any, b: Any) -> Any:
    D = np.zeros((len(a) + 1, len(b) + 1), np.int64)
    for i in range(len(a) + 1):
        D[i, 0] = i
    for j in range(len(b) + 1):
        D[0, j] = j
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            same = D[i - 1, j - 1] + (a[i - 1] != b[j - 1])
            D[i, j] = min(same, D[i - 1, j] + 1, D[i, j - 1] + 1)
    return D[len(a), len(b)]


def _loops() -> dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]:
    random = np.random.default_rng(0)
    matrix = random.random((60, 60)) + 60 * np.eye(60)
    letters = random.integers(0, 4, (2, 200))
    return {
        SUM: (sum_with_branch, (np.int64(STEPS),)),
        LOGISTIC: (logistic, (np.float64(0.3), np.int64(STEPS))),
        "longest Collatz sequence below 1000": (collatz_longest, (np.int64(1000),)),
        "LU, 60 × 60": (lu, (matrix,)),
        "Floyd–Warshall, 60 × 60": (shortest_paths, (matrix,)),
        "edit distance, 200 × 200": (edit_distance, tuple(letters)),
    }


@dataclass(frozen=True, slots=True)
class ScalarLoop:
    """Seconds of a call: of the native program, of Numba's beside it with their ratio, and of JAX's in a process of its
    own. None for an engine that is not installed or has no such loop."""

    own: Spread
    numba: Spread | None
    ratio: Spread | None
    jax: Spread | None


def scalar_loops() -> dict[str, ScalarLoop]:
    """Loop → its times. Results are compared with NumPy's first."""
    there = importlib.util.find_spec("jax") is not None
    jax = in_fresh_process("benchmarks.scalar_loops") if there else {}
    found = {title: _beside_numba(*loop) for title, loop in _loops().items()}
    return {t: replace(loop, jax=Spread.of(jax[t]) if t in jax else None) for t, loop in found.items()}


def _beside_numba(function: Callable[..., Any], arguments: tuple[Any, ...]) -> ScalarLoop:
    engines = [tracefn.function(function, jit="now")]
    if importlib.util.find_spec("numba"):
        import numba

        engines.append(numba.njit(function))
    expected = function(*arguments)
    for engine in engines:
        np.testing.assert_allclose(engine(*arguments), expected, rtol=1e-10)
    own, *others = in_turns([Timer("f(*a)", globals={"f": engine, "a": arguments}) for engine in engines])
    if not others:
        return ScalarLoop(Spread.of(own), None, None, None)
    ratio = Spread.of([a / b for a, b in zip(own, others[0], strict=True)])
    return ScalarLoop(Spread.of(own), Spread.of(others[0]), ratio, None)


def _jax() -> dict[str, list[float]]:
    """Samples of loops in JAX's idiom."""
    import jax
    from jax import lax

    jax.config.update("jax_enable_x64", True)

    def add(i: Any, s: Any) -> Any:
        return s + jax.numpy.where(i % 2 == 0, i, -1)

    def step(_: Any, state: Any) -> Any:
        x, total = state
        above = x > 0.5
        x = jax.numpy.where(above, 3.7, 3.6) * x * (1 - x)
        return x, total + jax.numpy.where(above, x, 0.0)

    x, n = jax.numpy.asarray(0.3), jax.numpy.asarray(STEPS)
    summed = jax.jit(lambda n: lax.fori_loop(0, n, add, 0))
    mapped = jax.jit(lambda x, n: lax.fori_loop(0, n, step, (x, 0.0))[1])
    np.testing.assert_array_equal(summed(n), sum_with_branch(STEPS))
    np.testing.assert_allclose(mapped(x, n), logistic(np.float64(0.3), STEPS), rtol=1e-10)
    timers = [Timer(lambda: summed(n).block_until_ready()), Timer(lambda: mapped(x, n).block_until_ready())]
    return dict(zip((SUM, LOGISTIC), in_turns(timers), strict=True))


if __name__ == "__main__":
    print(json.dumps(_jax()))
