"""LU decomposition without pivoting, in place."""

import numpy as np

SIZES = 4, 15


def lu(A):
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]


def arguments(size, rng):
    return (rng.random((size, size)) + size * np.eye(size),)
