"""The edit distance of two sequences, with two rows."""

import numpy as np

SIZES = 4, 12


def levenshtein(a, b):
    previous = np.arange(len(b) + 1)
    current = np.zeros_like(previous)
    for i in range(len(a)):
        current[0] = i + 1
        for j in range(len(b)):
            cost = 0 if a[i] == b[j] else 1
            current[j + 1] = min(previous[j + 1] + 1, current[j] + 1, previous[j] + cost)
        previous, current = current, previous
    return previous[-1]


def arguments(size, rng):
    return rng.integers(0, 5, size), rng.integers(0, 5, size + 1)
