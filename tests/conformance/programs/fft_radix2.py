"""An FFT in place: bits reversed, then butterflies on slices."""

import numpy as np

SIZES = 3, 6


def fft_radix2(x):
    n = len(x)
    bits = n.bit_length() - 1
    order = np.zeros(n, dtype=int)
    for i in range(n):
        order[i] = int(format(i, f"0{bits}b")[::-1], 2)
    x[:] = x[order]
    width = 1
    while width < n:
        w = np.exp(-1j * np.pi * np.arange(width) / width)
        for start in range(0, n, 2 * width):
            upper = x[start : start + width].copy()
            lower = w * x[start + width : start + 2 * width]
            x[start : start + width] = upper + lower
            x[start + width : start + 2 * width] = upper - lower
        width *= 2


def arguments(size, rng):
    return (rng.standard_normal(2**size) + 1j * rng.standard_normal(2**size),)
