"""Run-length coding and decoding, and the longest run by a plain loop."""

import numpy as np

SIZES = 6, 60


def encode(x):
    starts = np.flatnonzero(np.diff(x)) + 1
    starts = np.concatenate(([0], starts))
    lengths = np.diff(np.append(starts, len(x)))
    return x[starts], lengths


def run_lengths(x):
    values, lengths = encode(x)
    longest = run = 1
    for i in range(1, len(x)):
        if x[i] == x[i - 1]:
            run += 1
            if run > longest:
                longest = run
        else:
            run = 1
    return values, lengths, np.repeat(values, lengths), longest


def arguments(size, rng):
    return (rng.integers(0, 2, size),)
