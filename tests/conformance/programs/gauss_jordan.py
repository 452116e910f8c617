"""The inverse of a matrix by Gauss–Jordan elimination with pivoting."""

import numpy as np

SIZES = 3, 6


def gauss_jordan(a):
    a = a.astype(float)
    n = len(a)
    m = np.hstack([a, np.eye(n)])
    for col in range(n):
        pivot = col + np.argmax(np.abs(m[col:, col]))
        if m[pivot, col] == 0:
            raise ValueError("matrix is singular")
        m[[col, pivot]] = m[[pivot, col]]
        m[col] /= m[col, col]
        for row in range(n):
            if row != col:
                m[row] -= m[row, col] * m[col]
    return m[:, n:]


def arguments(size, rng):
    return (rng.standard_normal((size, size)),)
