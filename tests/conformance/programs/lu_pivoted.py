"""Gaussian elimination with partial pivoting: rows are swapped, factors kept below the diagonal, the order returned."""

import numpy as np

SIZES = 4, 15


def lu_pivoted(A):
    n = A.shape[0]
    order = np.arange(n)
    sign = 1
    for k in range(n - 1):
        p = k + np.argmax(np.abs(A[k:, k]))
        if p != k:
            A[[k, p]] = A[[p, k]]
            order[[k, p]] = order[[p, k]]
            sign = -sign
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])
    return order, sign * np.prod(np.diag(A))


def arguments(size, rng):
    return (rng.standard_normal((size, size)),)
