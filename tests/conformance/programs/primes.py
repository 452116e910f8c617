"""Primes by trial division by the primes found so far, in a list that grows."""

import numpy as np

SIZES = (60,)


def primes(n):
    found = []
    for k in range(2, n):
        prime = True
        for p in found:
            if p * p > k:
                break
            if k % p == 0:
                prime = False
                break
        if prime:
            found.append(k)
    return np.array(found)


def arguments(size, rng):
    return (np.int64(size + rng.integers(20)),)
