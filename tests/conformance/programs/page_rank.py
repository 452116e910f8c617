"""PageRank by power iteration until the ranks change no more."""

import numpy as np

SIZES = 5, 30


def page_rank(links, damping=0.85, tolerance=1e-8):
    n = links.shape[0]
    M = links / np.maximum(links.sum(axis=0), 1)
    M[:, links.sum(axis=0) == 0] = 1 / n
    rank = np.ones(n) / n
    change = 1.0
    iterations = 0
    while change > tolerance:
        new = (1 - damping) / n + damping * (M @ rank)
        change = np.abs(new - rank).sum()
        rank = new
        iterations += 1
    return rank, iterations


def arguments(size, rng):
    return ((rng.random((size, size)) < 0.3).astype(float),)
