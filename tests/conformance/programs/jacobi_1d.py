"""Jacobi's three-point stencil on a line, written into the two arrays that are passed."""

import numpy as np

SIZES = 8, 30, 120


def jacobi_1d(steps, A, B):
    for _ in range(1, steps):
        B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = 0.33333 * (B[:-2] + B[1:-1] + B[2:])


def arguments(size, rng):
    return 6, rng.random(size), np.zeros(size)
