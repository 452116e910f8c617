"""Waves in shallow water: two pairs of buffers that are swapped in each step."""

import numpy as np

SIZES = 8, 30


def shallow_water(h, u, steps):
    new_h, new_u = np.empty_like(h), np.empty_like(u)
    for _ in range(steps):
        new_h[1:-1] = 0.5 * (h[2:] + h[:-2]) - 0.1 * (u[2:] - u[:-2])
        new_u[1:-1] = 0.5 * (u[2:] + u[:-2]) - 0.1 * (h[2:] - h[:-2])
        new_h[0], new_h[-1] = new_h[1], new_h[-2]
        new_u[0], new_u[-1] = 0, 0
        h, new_h = new_h, h
        u, new_u = new_u, u
    return h, u


def arguments(size, rng):
    return 1 + rng.random(size), np.zeros(size), np.int64(7)
