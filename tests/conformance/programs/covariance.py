"""The covariance matrix by loops over pairs of columns."""

import numpy as np

SIZES = (5, 3), (30, 9)


def covariance(data):
    N, M = data.shape
    data = data - data.mean(axis=0)
    cov = np.zeros((M, M), dtype=data.dtype)
    for i in range(M):
        for j in range(i, M):
            total = 0.0
            for k in range(N):
                total += data[k, i] * data[k, j]
            cov[i, j] = total / (N - 1.0)
            cov[j, i] = cov[i, j]
    return cov


def arguments(size, rng):
    return (rng.random(size),)
