"""Lloyd's k-means: centres are moved until they stay."""

import numpy as np

SIZES = 12, 200


def k_means(X, k, max_iterations=20):
    centres = X[:k].copy()
    labels = np.zeros(len(X), dtype=int)
    for _ in range(max_iterations):
        distances = np.linalg.norm(X[:, None, :] - centres[None, :, :], axis=2)
        labels = distances.argmin(axis=1)
        new = centres.copy()
        for j in range(k):
            if np.any(labels == j):
                new[j] = X[labels == j].mean(axis=0)
        if np.allclose(new, centres):
            break
        centres = new
    inertia = ((X - centres[labels]) ** 2).sum()
    return centres, labels, inertia


def arguments(size, rng):
    X = np.vstack([rng.normal(c, 0.4, (size // 3, 2)) for c in ((0, 0), (4, 1), (1, 5))])
    return rng.permutation(X), 3
