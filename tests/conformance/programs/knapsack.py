"""The 0/1 knapsack, a row of the table at a time by slices."""

import numpy as np

SIZES = 4, 15


def knapsack(weights, values, capacity):
    best = np.zeros(capacity + 1)
    taken = np.zeros((len(weights), capacity + 1), dtype=bool)
    for i in range(len(weights)):
        w = weights[i]
        candidate = best[: capacity + 1 - w] + values[i]
        better = candidate > best[w:]
        taken[i, w:] = better
        best[w:] = np.maximum(best[w:], candidate)
    chosen = np.zeros(len(weights), dtype=bool)
    room = capacity
    for i in reversed(range(len(weights))):
        if taken[i, room]:
            chosen[i] = True
            room -= weights[i]
    return best[-1], chosen


def arguments(size, rng):
    return rng.integers(1, 8, size), rng.random(size), 3 * size
