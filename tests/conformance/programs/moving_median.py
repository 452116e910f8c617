"""Outliers replaced by the median of a window around them."""

import numpy as np

SIZES = 12, 60


def moving_median(x, k):
    windows = np.lib.stride_tricks.sliding_window_view(x, k)
    med = np.median(windows, axis=-1)
    outliers = np.abs(x[k // 2 : -(k // 2)] - med) > 3 * windows.std(axis=-1)
    cleaned = x.copy()
    cleaned[k // 2 : -(k // 2)][outliers] = med[outliers]
    return cleaned, outliers.sum()


def arguments(size, rng):
    return rng.standard_normal(size) ** 3, 5
