"""Conjugate gradients for a positive definite system, stopped by the residual."""

import numpy as np

SIZES = 4, 40


def conjugate_gradient(A, b, x, max_iter=30, tol=1e-10):
    r = b - A @ x
    p = r.copy()
    rsold = r @ r
    k = 0
    while k < max_iter and np.sqrt(rsold) > tol:
        Ap = A @ p
        alpha = rsold / (p @ Ap)
        x += alpha * p
        r -= alpha * Ap
        rsnew = r @ r
        p = r + (rsnew / rsold) * p
        rsold = rsnew
        k += 1
    return x, k


def arguments(size, rng):
    M = rng.random((size, size))
    return M @ M.T + size * np.eye(size), rng.random(size), np.zeros(size)
