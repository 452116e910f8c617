"""Cooley and Tukey's FFT, by recursion on even and odd samples."""

import numpy as np

SIZES = 4, 64


def fft_recursive(x):
    n = x.shape[0]
    if n == 1:
        return x.astype(complex)
    even = fft_recursive(x[::2])
    odd = fft_recursive(x[1::2])
    factor = np.exp(-2j * np.pi * np.arange(n) / n)
    return np.concatenate([even + factor[: n // 2] * odd, even + factor[n // 2 :] * odd])


def arguments(size, rng):
    return (rng.standard_normal(size),)
