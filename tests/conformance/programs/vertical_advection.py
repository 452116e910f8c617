"""Implicit vertical advection: Thomas's algorithm along the last axis of three-dimensional fields."""

import numpy as np

SIZES = (2, 3, 4), (5, 6, 12)


def vertical_advection(u, wcon, tendency, dt):
    I, J, K = u.shape
    ccol = np.ndarray((I, J, K), dtype=u.dtype)
    dcol = np.ndarray((I, J, K), dtype=u.dtype)
    for k in range(K):
        below = 0.25 * (wcon[1:, :, k] + wcon[:-1, :, k]) if k > 0 else 0.0
        above = 0.25 * (wcon[1:, :, k + 1] + wcon[:-1, :, k + 1]) if k < K - 1 else 0.0
        acol = -below
        bcol = 1.0 / dt + below - above
        rhs = u[:, :, k] / dt + tendency[:, :, k]
        if k == 0:
            divided = 1.0 / bcol
            ccol[:, :, k] = above * divided
            dcol[:, :, k] = rhs * divided
        else:
            divided = 1.0 / (bcol - ccol[:, :, k - 1] * acol)
            ccol[:, :, k] = above * divided
            dcol[:, :, k] = (rhs - dcol[:, :, k - 1] * acol) * divided
    datacol = dcol[:, :, K - 1].copy()
    tendency[:, :, K - 1] = (datacol - u[:, :, K - 1]) / dt
    for k in range(K - 2, -1, -1):
        datacol[:] = dcol[:, :, k] - ccol[:, :, k] * datacol
        tendency[:, :, k] = (datacol - u[:, :, k]) / dt


def arguments(size, rng):
    I, J, K = size
    return rng.random(size), rng.random((I + 1, J, K)), rng.random(size), 0.15
