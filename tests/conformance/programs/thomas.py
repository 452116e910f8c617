"""Tridiagonal systems by Thomas's algorithm, in heat conduction by Crank and Nicolson."""

import numpy as np

SIZES = 4, 40


def solve(a, b, c, d):
    n = len(d)
    cp = np.zeros(n - 1)
    dp = np.zeros(n)
    cp[0] = c[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, n - 1):
        cp[i] = c[i] / (b[i] - a[i - 1] * cp[i - 1])
    for i in range(1, n):
        dp[i] = (d[i] - a[i - 1] * dp[i - 1]) / (b[i] - a[i - 1] * cp[i - 1])
    x = np.zeros(n)
    x[-1] = dp[-1]
    for i in range(n - 2, -1, -1):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return x


def thomas(u, r, steps):
    n = len(u)
    for _ in range(steps):
        rhs = (2 - 2 * r) * u
        rhs[1:] += r * u[:-1]
        rhs[:-1] += r * u[1:]
        u = solve(-r * np.ones(n - 1), (2 + 2 * r) * np.ones(n), -r * np.ones(n - 1), rhs)
    return u


def arguments(size, rng):
    return rng.random(size), 0.4, 2
