"""Prim's minimum spanning tree of a dense graph."""

import numpy as np

SIZES = 4, 8


def minimum_spanning_tree(weights):
    n = len(weights)
    in_tree = np.zeros(n, dtype=bool)
    key = np.full(n, np.inf)
    parent = -np.ones(n, dtype=int)
    key[0] = 0
    for _ in range(n):
        u = np.argmin(np.where(in_tree, np.inf, key))
        in_tree[u] = True
        for v in range(n):
            if weights[u, v] > 0 and not in_tree[v] and weights[u, v] < key[v]:
                key[v] = weights[u, v]
                parent[v] = u
    return parent, key.sum()


def arguments(size, rng):
    weights = np.triu(rng.integers(0, 9, (size, size)), 1).astype(float)
    return (weights + weights.T,)
