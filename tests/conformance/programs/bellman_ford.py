"""Shortest paths with negative weights, by Bellman and Ford: over a list of edges until nothing changes."""

import numpy as np

SIZES = 4, 6


def bellman_ford(edges, weights, n, source):
    dist = np.full(n, np.inf)
    dist[source] = 0
    for _ in range(n - 1):
        changed = False
        for (u, v), w in zip(edges, weights):
            if dist[u] + w < dist[v]:
                dist[v] = dist[u] + w
                changed = True
        if not changed:
            break
    else:
        for (u, v), w in zip(edges, weights):
            if dist[u] + w < dist[v]:
                raise ValueError("negative cycle")
    return dist


def arguments(size, rng):
    return rng.integers(0, size, (2 * size, 2)), rng.random(2 * size), size, 0
