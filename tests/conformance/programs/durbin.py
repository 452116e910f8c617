"""Durbin's recursion for the Yule-Walker equations."""

import numpy as np

SIZES = 4, 20, 100


def durbin(r):
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


def arguments(size, rng):
    return (0.5 ** np.arange(1, size + 1) * (1 + 0.01 * rng.random(size)),)
