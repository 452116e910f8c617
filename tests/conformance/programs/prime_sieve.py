"""Eratosthenes's sieve, multiples crossed out by slices with a step."""

import numpy as np

SIZES = 30, 500


def prime_sieve(n):
    sieve = np.ones(n + 1, dtype=bool)
    sieve[:2] = False
    for p in range(2, int(n**0.5) + 1):
        if sieve[p]:
            sieve[p * p :: p] = False
    return np.nonzero(sieve)[0]


def arguments(size, rng):
    return (size,)
