"""A sparse matrix in compressed rows times a vector, and its transpose times a vector."""

import numpy as np

SIZES = 4, 20


def sparse_product(indptr, indices, data, x):
    n = len(indptr) - 1
    y = np.zeros(n)
    z = np.zeros(n)
    for i in range(n):
        columns = indices[indptr[i] : indptr[i + 1]]
        values = data[indptr[i] : indptr[i + 1]]
        y[i] = values @ x[columns]
        for k in range(indptr[i], indptr[i + 1]):
            z[indices[k]] += data[k] * x[i]
    return y, z


def arguments(size, rng):
    indptr = np.arange(size + 1) * 3
    indptr[1:-1] += rng.integers(-1, 2, size - 1)
    return indptr, rng.integers(0, size, 3 * size), rng.random(3 * size), rng.random(size)
