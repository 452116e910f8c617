"""Distances in a graph by breadth-first search, with an array as the queue."""

import numpy as np

SIZES = 5, 12


def breadth_first_search(adjacency, start):
    n = len(adjacency)
    distance = -np.ones(n, dtype=int)
    distance[start] = 0
    queue = np.zeros(n, dtype=int)
    queue[0] = start
    head, tail = 0, 1
    while head < tail:
        u = queue[head]
        head += 1
        for v in np.arange(n):
            if adjacency[u, v] and distance[v] < 0:
                distance[v] = distance[u] + 1
                queue[tail] = v
                tail += 1
    return distance


def arguments(size, rng):
    return rng.random((size, size)) > 0.7, 0
