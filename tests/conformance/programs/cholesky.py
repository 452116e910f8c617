"""Cholesky decomposition in place, one element of the lower triangle after the other."""

import numpy as np

SIZES = 4, 16


def cholesky(A):
    A[0, 0] = np.sqrt(A[0, 0])
    for i in range(1, A.shape[0]):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])


def arguments(size, rng):
    B = rng.random((size, size))
    return (B @ B.T + size * np.eye(size),)
