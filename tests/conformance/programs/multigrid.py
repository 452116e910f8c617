"""A V-cycle of multigrid for a Poisson equation on a line, which calls itself on coarser grids."""

import numpy as np

SIZES = 17, 65


def multigrid(u, f, levels):
    h = 1 / (len(u) - 1)
    for _ in range(3):
        u[1:-1] = 0.5 * (u[:-2] + u[2:] + h * h * f[1:-1])
    if levels > 1 and len(u) > 3:
        r = np.zeros_like(u)
        r[1:-1] = f[1:-1] - (2 * u[1:-1] - u[:-2] - u[2:]) / h**2
        coarse = r[::2].copy()
        e = multigrid(np.zeros(len(coarse)), coarse, levels - 1)
        u[::2] += e
        u[1::2] += 0.5 * (e[:-1] + e[1:])
    for _ in range(3):
        u[1:-1] = 0.5 * (u[:-2] + u[2:] + h * h * f[1:-1])
    return u


def arguments(size, rng):
    return np.zeros(size), rng.random(size), 4
