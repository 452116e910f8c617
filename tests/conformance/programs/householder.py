"""QR by Householder's reflections, and a least squares solution from it."""

import numpy as np

SIZES = (5, 3), (15, 8)


def householder(A, b):
    m, n = A.shape
    R = A.copy()
    Q = np.eye(m)
    for k in range(n):
        x = R[k:, k]
        v = x.copy()
        v[0] += np.copysign(np.linalg.norm(x), x[0])
        v /= np.linalg.norm(v)
        R[k:, k:] -= 2 * np.outer(v, v @ R[k:, k:])
        Q[:, k:] -= 2 * np.outer(Q[:, k:] @ v, v)
    y = Q.T @ b
    x = np.zeros(n)
    for i in reversed(range(n)):
        x[i] = (y[i] - R[i, i + 1 : n] @ x[i + 1 :]) / R[i, i]
    return Q, np.triu(R), x


def arguments(size, rng):
    return rng.standard_normal(size), rng.standard_normal(size[0])
