"""Dijkstra's shortest paths in a dense graph, with the tree of predecessors."""

import numpy as np

SIZES = 5, 20


def dijkstra(weights, source):
    n = len(weights)
    dist = np.full(n, np.inf)
    dist[source] = 0
    previous = np.full(n, -1)
    visited = np.zeros(n, dtype=bool)
    for _ in range(n):
        u = np.argmin(np.where(visited, np.inf, dist))
        if np.isinf(dist[u]):
            break
        visited[u] = True
        alternative = dist[u] + weights[u]
        closer = ~visited & (alternative < dist)
        dist[closer] = alternative[closer]
        previous[closer] = u
    return dist, previous


def arguments(size, rng):
    weights = np.where(rng.random((size, size)) < 0.4, rng.random((size, size)), np.inf)
    return weights, 0
