"""A polynomial fitted by least squares, the outliers left out the second time."""

import numpy as np

SIZES = 10, 100


def polynomial_fit(x, y, degree):
    V = np.vander(x, degree + 1)
    coef, residuals, rank, singular = np.linalg.lstsq(V, y, rcond=None)
    error = np.abs(y - V @ coef)
    keep = error < 2 * error.std()
    coef2, *_ = np.linalg.lstsq(V[keep], y[keep], rcond=None)
    fitted = np.polyval(coef2, x)
    r2 = 1 - np.sum((y - fitted) ** 2) / np.sum((y - y.mean()) ** 2)
    return coef, coef2, rank, keep.sum(), r2


def arguments(size, rng):
    x = np.linspace(-1, 1, size)
    y = 1 - 2 * x + x**3 + 0.1 * rng.standard_normal(size)
    y[size // 3] += 3
    return x, y, 3
