"""Burgers's equation with an upwind scheme and a time step from the largest speed."""

import numpy as np

SIZES = 10, 80


def burgers(u, dx, nu, t_end):
    t = 0.0
    steps = 0
    un = np.empty_like(u)
    while t < t_end:
        dt = min(0.4 * dx / np.abs(u).max(), 0.4 * dx**2 / nu, t_end - t)
        un[:] = u
        u[1:-1] = (
            un[1:-1]
            - dt / dx * np.maximum(un[1:-1], 0) * (un[1:-1] - un[:-2])
            - dt / dx * np.minimum(un[1:-1], 0) * (un[2:] - un[1:-1])
            + nu * dt / dx**2 * (un[2:] - 2 * un[1:-1] + un[:-2])
        )
        u[0] = u[-2]
        u[-1] = u[1]
        t += dt
        steps += 1
    return t, steps


def arguments(size, rng):
    x = np.linspace(0, 2 * np.pi, size)
    return np.sin(x) + 0.1 * rng.random(size) + 0.5, x[1].item(), 0.05, 0.5
