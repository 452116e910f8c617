"""Connected components of a grid: labels spread to their neighbours until none changes."""

import numpy as np

SIZES = 5, 12


def connected_components(grid):
    labels = np.zeros(grid.shape, dtype=int)
    labels[grid] = np.arange(1, grid.sum() + 1)
    while True:
        padded = np.pad(labels, 1)
        best = np.maximum.reduce(
            [padded[1:-1, 1:-1], padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:]]
        )
        best[~grid] = 0
        if np.array_equal(best, labels):
            return labels
        labels = best


def arguments(size, rng):
    return (rng.random((size, size + 1)) > 0.5,)
