"""Pi by throwing darts, two random numbers at a time."""

import numpy as np

SIZES = 10, 60


def monte_carlo_pi(seed, n):
    rng = np.random.default_rng(seed)
    inside = 0
    for _ in range(n):
        x, y = rng.random(2)
        if x * x + y * y <= 1:
            inside += 1
    return 4 * inside / n


def arguments(size, rng):
    return 1234, size
