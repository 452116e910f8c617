"""A digital filter as its difference equation says, term by term."""

import numpy as np

SIZES = 5, 40


def digital_filter(b, a, x):
    y = np.zeros_like(x)
    for n in range(len(x)):
        for k in range(len(b)):
            if n - k >= 0:
                y[n] += b[k] * x[n - k]
        for k in range(1, len(a)):
            if n - k >= 0:
                y[n] -= a[k] * y[n - k]
    return y


def arguments(size, rng):
    return np.array([0.2, 0.3, 0.2]), np.array([1.0, -0.5, 0.1]), rng.random(size)
