"""The largest eigenvalues by power iteration and deflation."""

import numpy as np

SIZES = 4, 20


def dominant(A, tol, max_iter):
    v = np.ones(A.shape[0])
    v /= np.linalg.norm(v)
    value = 0.0
    for i in range(max_iter):
        w = A @ v
        new_value = v @ w
        v = w / np.linalg.norm(w)
        if abs(new_value - value) < tol:
            break
        value = new_value
    return new_value, v


def power_iteration(A, count, tol=1e-9, max_iter=200):
    A = A.copy()
    values = np.empty(count)
    vectors = np.empty((count, A.shape[0]))
    for k in range(count):
        values[k], vectors[k] = dominant(A, tol, max_iter)
        A -= values[k] * np.outer(vectors[k], vectors[k])
    return values, vectors


def arguments(size, rng):
    B = rng.random((size, size))
    return B @ B.T, 2
