"""Functions with loops and branches, as people write them: those that run, and one of 50 lines to be rewritten."""

from __future__ import annotations

from typing import Any

import numpy as np


def tanh_loop(x: Any, n: Any) -> Any:
    for _ in range(n):
        x = np.tanh(x) * 0.5 + 0.1
    return x


def collatz(n: Any) -> Any:
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def logistic(x: Any, n: Any) -> Any:
    total = 0.0
    for _ in range(n):
        if x > 0.5:
            x = 3.7 * x * (1 - x)
            total = total + x
        else:
            x = 3.6 * x * (1 - x)
    return total


def twenty_operations(x: Any, n: Any) -> Any:
    y, z = x + 1.0, x - 1.0
    for _ in range(n):
        a = x * 0.9 + y * 0.1
        b = y * 0.8 - z * 0.2
        c = z * 0.7 + x * 0.3
        d = a * b - c
        x, y, z = a - d * 0.01, b + d * 0.02, c * 0.99 + a * 0.001
    return x + y + z


def nested_with_breaks(x: Any, n: Any) -> Any:
    count = 0
    for i in range(n):
        for j in range(n):
            if i * j > x:
                break
            count += 1
    return count


def halvings(x: Any) -> Any:
    found = []
    while x > 1e-200:
        found.append(x)
        x = x / 2
    return np.array(found)


def running_sum(x: Any) -> Any:
    y = np.zeros(x.shape)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = y[i - 1] + x[i]
    return y


#: Title → the function and its arguments, NumPy scalars and arrays as they come out of arrays.
LOOPS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "for: tanh of 10 elements, 1000 rounds": (tanh_loop, (np.ones(10), np.int64(1000))),
    "while: collatz from 27": (collatz, (np.int64(27),)),
    "for with if: logistic map, 1000 rounds": (logistic, (np.float64(0.3), np.int64(1000))),
    "for: 20 scalar operations, 1000 rounds": (twenty_operations, (np.float64(0.3), np.int64(1000))),
    "for in for with break": (nested_with_breaks, (np.int64(300), np.int64(100))),
    "while: a list grows, 665 rounds": (halvings, (np.float64(1.0),)),
    "for: item writes, 10,000 rounds": (running_sum, (np.ones(10_000),)),
}


def fifty_lines(x: Any, n: Any) -> Any:
    total = 0.0
    for _ in range(n):
        if x[0] > 0:
            total = total + x[0] * 1
        else:
            total = total - 1
        if x[1] > 1:
            total = total + x[1] * 2
        else:
            total = total - 2
        if x[2] > 2:
            total = total + x[2] * 3
        else:
            total = total - 3
        if x[0] > 3:
            total = total + x[0] * 4
        else:
            total = total - 4
        if x[1] > 4:
            total = total + x[1] * 5
        else:
            total = total - 5
        if x[2] > 5:
            total = total + x[2] * 6
        else:
            total = total - 6
        if x[0] > 6:
            total = total + x[0] * 7
        else:
            total = total - 7
        if x[1] > 7:
            total = total + x[1] * 8
        else:
            total = total - 8
        if x[2] > 8:
            total = total + x[2] * 9
        else:
            total = total - 9
        while total > 1000:
            total = total / 2
            if total < 10:
                break
        for value in x:
            total = total + value
            if value > 100:
                continue
            total = total * 0.5
    total = total / 50
    return total
