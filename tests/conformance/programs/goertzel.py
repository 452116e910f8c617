"""One bin of a Fourier transform by Goertzel's recurrence, with Python's `math`."""

import math

SIZES = 10, 80


def goertzel(x, k):
    n = len(x)
    w = 2 * math.pi * k / n
    coeff = 2 * math.cos(w)
    s1 = s2 = 0.0
    for sample in x:
        s0 = sample + coeff * s1 - s2
        s2, s1 = s1, s0
    return math.sqrt(s1 * s1 + s2 * s2 - coeff * s1 * s2)


def arguments(size, rng):
    return rng.standard_normal(size), 3
