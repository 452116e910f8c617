"""Principal components by `eigh` of the covariance and by the SVD of the data."""

import numpy as np

SIZES = (8, 3), (50, 6)


def pca(X, k):
    X = X - X.mean(axis=0)
    C = np.cov(X, rowvar=False)
    values, vectors = np.linalg.eigh(C)
    order = np.argsort(values)[::-1]
    values = values[order]
    components = vectors[:, order][:, :k]
    U, S, Vt = np.linalg.svd(X, full_matrices=False)
    signs = np.sign(U[np.argmax(np.abs(U), axis=0), range(U.shape[1])])
    Vt *= signs[:, np.newaxis]
    explained = S**2 / (X.shape[0] - 1)
    return X @ components, values[:k] / values.sum(), Vt[:k], explained[:k]


def arguments(size, rng):
    return rng.standard_normal(size) @ np.diag(np.arange(1.0, size[1] + 1)), 2
