"""Waves on a string: three time levels that change places."""

import numpy as np

SIZES = 8, 100


def wave_equation(u0, c, steps):
    r2 = c**2
    u_prev = u0.copy()
    u = np.zeros_like(u0)
    u_next = np.zeros_like(u0)
    u[1:-1] = u_prev[1:-1] + 0.5 * r2 * (u_prev[2:] - 2 * u_prev[1:-1] + u_prev[:-2])
    energies = []
    for n in range(steps):
        u_next[1:-1] = 2 * u[1:-1] - u_prev[1:-1] + r2 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u_next[0] = u_next[-1] = 0
        u_prev, u, u_next = u, u_next, u_prev
        energies.append(np.sum((u - u_prev) ** 2))
    return u, np.array(energies)


def arguments(size, rng):
    u0 = rng.random(size)
    u0[0] = u0[-1] = 0
    return u0, 0.8, 6
