"""Integrals of sampled functions: trapezoids, Simpson's rule, Romberg's table."""

import numpy as np

SIZES = 8, 64


def trapezoid(y, dx):
    return dx * (0.5 * y[0] + y[1:-1].sum() + 0.5 * y[-1])


def simpson(y, dx):
    total = y[0] + y[-1]
    total += 4 * np.sum(y[1:-1:2]) + 2 * np.sum(y[2:-1:2])
    return total * dx / 3


def romberg(y, dx):
    levels = int(np.log2(len(y) - 1)) + 1
    R = np.zeros((levels, levels))
    for i in range(levels):
        step = 2 ** (levels - 1 - i)
        R[i, 0] = trapezoid(y[::step], step * dx) if len(y[::step]) > 2 else step * dx * (y[0] + y[-1]) / 2
        for j in range(1, i + 1):
            R[i, j] = R[i, j - 1] + (R[i, j - 1] - R[i - 1, j - 1]) / (4**j - 1)
    return R[-1, -1]


def quadrature(a, b, n, scale):
    x = np.linspace(a, b, n + 1)
    y = np.exp(-scale * x**2) * np.cos(x)
    dx = (b - a) / n
    return trapezoid(y, dx), simpson(y, dx), romberg(y, dx)


def arguments(size, rng):
    return 0.0, 2.0, size, rng.random(3)[:1]
