"""The abelian sandpile: grains topple until every site has fewer than four."""

import numpy as np

SIZES = 4, 12


def sandpile(grid):
    topplings = 0
    while np.any(grid >= 4):
        topple = grid // 4
        topplings += topple.sum()
        grid -= 4 * topple
        grid[1:, :] += topple[:-1, :]
        grid[:-1, :] += topple[1:, :]
        grid[:, 1:] += topple[:, :-1]
        grid[:, :-1] += topple[:, 1:]
    return topplings


def arguments(size, rng):
    return (rng.integers(0, 9, (size, size)),)
