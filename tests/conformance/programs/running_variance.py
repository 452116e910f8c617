"""Mean and standard deviation in one pass over the data, by Welford's recurrence."""

import math

SIZES = 2, 50


def running_variance(xs):
    n, mean, m2 = 0, 0.0, 0.0
    for x in xs:
        n += 1
        delta = x - mean
        mean += delta / n
        m2 += delta * (x - mean)
    if n < 2:
        return mean, float("nan")
    return mean, math.sqrt(m2 / (n - 1))


def arguments(size, rng):
    return (rng.standard_normal(size),)
