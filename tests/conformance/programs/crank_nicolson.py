"""The heat equation by Crank and Nicolson: a tridiagonal system in each step."""

import numpy as np

SIZES = 6, 12


def crank_nicolson(u, n, r):
    m = len(u)
    lower, diag, upper = -r / 2 * np.ones(m - 1), (1 + r) * np.ones(m), -r / 2 * np.ones(m - 1)
    for _ in range(n):
        d = u.copy()
        d[1:-1] += r / 2 * (u[2:] - 2 * u[1:-1] + u[:-2])
        c = np.zeros(m - 1)
        c[0] = upper[0] / diag[0]
        d[0] /= diag[0]
        for i in range(1, m):
            w = diag[i] - lower[i - 1] * c[i - 1]
            if i < m - 1:
                c[i] = upper[i] / w
            d[i] = (d[i] - lower[i - 1] * d[i - 1]) / w
        u[-1] = d[-1]
        for i in range(m - 2, -1, -1):
            u[i] = d[i] - c[i] * u[i + 1]
    return u


def arguments(size, rng):
    return rng.random(size), 5, 0.4
