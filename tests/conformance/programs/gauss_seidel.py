"""Gauss-Seidel on a square: each point uses the new values to its left and above."""

SIZES = 5, 12


def gauss_seidel(steps, A):
    N = A.shape[0]
    for t in range(steps):
        for i in range(1, N - 1):
            A[i, 1:-1] += A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:]
            A[i, 1:-1] += A[i, 2:] + A[i + 1, :-2] + A[i + 1, 1:-1] + A[i + 1, 2:]
            for j in range(1, N - 1):
                A[i, j] += A[i, j - 1]
                A[i, j] /= 9.0


def arguments(size, rng):
    return 2, rng.random((size, size))
