"""The most frequent of some words, however they are capitalised and padded."""

import numpy as np

SIZES = 6, 30


def word_counts(words):
    lower = np.char.lower(np.char.strip(words))
    lengths = np.char.str_len(lower)
    unique, counts = np.unique(lower, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return unique[order][:3], counts[order][:3], lengths.mean()


def arguments(size, rng):
    return (np.array([" The", "cat ", "the", "dog", "THE", "Cat"])[rng.integers(0, 6, size)],)
