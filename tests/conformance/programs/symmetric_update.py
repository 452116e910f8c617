"""Symmetric rank-2k update and triangular product, row by row on slices that grow."""

SIZES = 4, 14


def symmetric_update(alpha, beta, C, A, B):
    n = C.shape[0]
    for i in range(n):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += A[: i + 1, k] * alpha * B[i, k] + B[: i + 1, k] * alpha * A[i, k]
    for i in range(n):
        for j in range(A.shape[1]):
            B[i, j] += A[i + 1 :, i % A.shape[1]] @ B[i + 1 :, j]
    B *= alpha


def arguments(size, rng):
    return 1.5, 1.2, rng.random((size, size)), rng.random((size, 5)), rng.random((size, 5))
