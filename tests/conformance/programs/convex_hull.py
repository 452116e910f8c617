"""The convex hull of points by Andrew's monotone chain."""

import numpy as np

SIZES = 5, 14


def convex_hull(points):
    order = np.lexsort((points[:, 1], points[:, 0]))
    p = points[order]
    hull = np.zeros((2 * len(p), 2))
    k = 0
    for i in range(len(p)):
        while (
            k >= 2
            and (hull[k - 1, 0] - hull[k - 2, 0]) * (p[i, 1] - hull[k - 2, 1])
            - (hull[k - 1, 1] - hull[k - 2, 1]) * (p[i, 0] - hull[k - 2, 0])
            <= 0
        ):
            k -= 1
        hull[k] = p[i]
        k += 1
    lower = k
    for i in range(len(p) - 2, -1, -1):
        while (
            k > lower
            and (hull[k - 1, 0] - hull[k - 2, 0]) * (p[i, 1] - hull[k - 2, 1])
            - (hull[k - 1, 1] - hull[k - 2, 1]) * (p[i, 0] - hull[k - 2, 0])
            <= 0
        ):
            k -= 1
        hull[k] = p[i]
        k += 1
    return hull[: k - 1]


def arguments(size, rng):
    return (rng.random((size, 2)),)
