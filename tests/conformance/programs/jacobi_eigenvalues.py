"""Eigenvalues of a symmetric matrix by Jacobi's rotations of pairs of rows and columns."""

import numpy as np

SIZES = 2, 3


def jacobi_eigenvalues(a):
    a = a.copy()
    n = a.shape[0]
    v = np.eye(n)
    for sweep in range(30):
        off = np.sqrt(np.sum(np.tril(a, -1) ** 2))
        if off < 1e-12:
            break
        for p in range(n - 1):
            for q in range(p + 1, n):
                if abs(a[p, q]) > 1e-14:
                    theta = (a[q, q] - a[p, p]) / (2 * a[p, q])
                    t = np.sign(theta) / (abs(theta) + np.sqrt(theta**2 + 1)) if theta != 0 else 1.0
                    c = 1 / np.sqrt(t**2 + 1)
                    s = t * c
                    rotation = np.array([[c, s], [-s, c]])
                    a[:, [p, q]] = a[:, [p, q]] @ rotation
                    a[[p, q], :] = rotation.T @ a[[p, q], :]
                    v[:, [p, q]] = v[:, [p, q]] @ rotation
    return np.sort(np.diag(a)), v


def arguments(size, rng):
    a = rng.random((size, size))
    return (a @ a.T + np.eye(size),)
