"""The autocorrelation of a series, by lags and by FFT, and its first zero crossing."""

import numpy as np

SIZES = 16, 256


def by_lags(x, max_lag):
    x = x - x.mean()
    r = np.empty(max_lag)
    for lag in range(max_lag):
        r[lag] = np.dot(x[: len(x) - lag], x[lag:])
    return r / r[0]


def by_fft(x, max_lag):
    x = x - np.mean(x)
    spectrum = np.fft.rfft(x, n=2 * len(x))
    r = np.fft.irfft(spectrum * np.conj(spectrum))[:max_lag]
    return r / r[0]


def autocorrelation(x, max_lag):
    r = by_lags(x, max_lag)
    first = max_lag
    for lag in range(max_lag):
        if r[lag] < 0:
            first = lag
            break
    return r, by_fft(x, max_lag), first


def arguments(size, rng):
    return np.sin(np.arange(size)) + 0.3 * rng.standard_normal(size), size // 2
