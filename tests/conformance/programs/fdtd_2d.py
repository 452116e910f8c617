"""Electromagnetic waves on a staggered grid (FDTD), with a source at one side."""

import numpy as np

SIZES = 5, 24


def fdtd_2d(steps, ex, ey, hz, fict):
    for t in range(steps):
        ey[0, :] = fict[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


def arguments(size, rng):
    ex, ey, hz = (rng.random((size, size + 1)) for _ in range(3))
    return 4, ex, ey, hz, np.arange(4.0)
