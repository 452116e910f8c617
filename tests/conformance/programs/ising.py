"""Ising spins on a torus: Metropolis on a checkerboard, the random numbers given."""

import numpy as np

SIZES = 4, 16


def neighbours(s):
    return np.roll(s, 1, 0) + np.roll(s, -1, 0) + np.roll(s, 1, 1) + np.roll(s, -1, 1)


def ising(spins, uniform, beta):
    i, j = np.indices(spins.shape)
    magnetisation = []
    for sweep in range(len(uniform)):
        for colour in (0, 1):
            dE = 2 * spins * neighbours(spins)
            flip = ((i + j) % 2 == colour) & (uniform[sweep] < np.exp(-beta * dE))
            spins[flip] *= -1
        magnetisation.append(spins.mean())
    energy = -0.5 * np.sum(spins * neighbours(spins))
    return np.asarray(magnetisation), energy


def arguments(size, rng):
    return rng.choice([-1, 1], (size, size)), rng.random((4, size, size)), 0.44
