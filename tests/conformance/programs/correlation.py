"""The correlation matrix by a loop over columns; the data are standardised in place."""

import numpy as np

SIZES = (6, 4), (40, 12)


def correlation(data):
    N, M = data.shape
    mean = np.mean(data, axis=0)
    stddev = np.std(data, axis=0)
    stddev[stddev <= 0.1] = 1.0
    data -= mean
    data /= np.sqrt(float(N)) * stddev
    corr = np.eye(M, dtype=data.dtype)
    for i in range(M - 1):
        corr[i + 1 : M, i] = corr[i, i + 1 : M] = data[:, i] @ data[:, i + 1 : M]
    return corr


def arguments(size, rng):
    return (rng.random(size),)
