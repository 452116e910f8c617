"""A confidence interval of a mean by drawing samples from the data again and again."""

import numpy as np

SIZES = 5, 30


def bootstrap(data, seed, n=200):
    rng = np.random.default_rng(seed)
    means = np.empty(n)
    for i in range(n):
        sample = rng.choice(data, size=len(data), replace=True)
        means[i] = sample.mean()
    return np.percentile(means, [2.5, 97.5]), means.std(ddof=1)


def arguments(size, rng):
    return rng.random(size), 7
