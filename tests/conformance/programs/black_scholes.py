"""Prices of European options, with a polynomial for the normal distribution."""

import numpy as np

SIZES = 4, 1000


def normal_cdf(x):
    k = 1.0 / (1.0 + 0.2316419 * np.abs(x))
    poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi) * poly
    return np.where(x > 0, 1.0 - tail, tail)


def black_scholes(S, K, T, r, sigma, call, put):
    d1 = (np.log(S / K) + (r + 0.5 * sigma**2) * T) / (sigma * np.sqrt(T))
    d2 = d1 - sigma * np.sqrt(T)
    discounted = K * np.exp(-r * T)
    np.multiply(S, normal_cdf(d1), out=call)
    call -= discounted * normal_cdf(d2)
    put[:] = discounted * normal_cdf(-d2) - S * normal_cdf(-d1)


def arguments(size, rng):
    S, K, T = rng.uniform(10, 50, size), rng.uniform(10, 50, size), rng.uniform(1, 2, size)
    return S, K, T, 0.1, 0.2, np.empty(size), np.empty(size)
