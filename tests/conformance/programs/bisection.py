"""Roots by bisection: of one function, and of many at once with masks."""

import numpy as np

SIZES = 3, 50


def f(x, c):
    return x**3 + x - c


def one_root(a, b, c, tol):
    fa = f(a, c)
    while (b - a) / 2 > tol:
        m = (a + b) / 2
        fm = f(m, c)
        if fm == 0:
            return m
        if np.sign(fm) == np.sign(fa):
            a, fa = m, fm
        else:
            b = m
    return (a + b) / 2


def bisection(c, tol=1e-6):
    a = np.zeros_like(c)
    b = np.full_like(c, 10.0)
    for _ in range(60):
        m = 0.5 * (a + b)
        left = f(a, c) * f(m, c) <= 0
        b[left] = m[left]
        a[~left] = m[~left]
        if np.all(b - a < tol):
            break
    return 0.5 * (a + b), one_root(0.0, 10.0, c[0], tol)


def arguments(size, rng):
    return (rng.uniform(1, 50, size),)
