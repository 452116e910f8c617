"""Escape times of the Mandelbrot set, the points still inside picked by a mask."""

import numpy as np

SIZES = 8, 40


def mandelbrot(xmin, xmax, ymin, ymax, X, Y, max_iterations, horizon=2.0):
    C = X + Y[:, None] * 1j
    N = np.zeros(C.shape, dtype=np.int64)
    Z = np.zeros(C.shape, dtype=np.complex128)
    for n in range(max_iterations):
        inside = np.less(abs(Z), horizon)
        N[inside] = n
        Z[inside] = Z[inside] ** 2 + C[inside]
    N[N == max_iterations - 1] = 0
    return Z, N


def arguments(size, rng):
    X = np.linspace(-2.0, 0.5, size) + 0.01 * rng.random()
    return -2.0, 0.5, -1.25, 1.25, X, np.linspace(-1.25, 1.25, size), 12
