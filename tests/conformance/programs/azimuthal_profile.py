"""Mean brightness of an image in rings around a centre."""

import numpy as np

SIZES = 9, 40


def azimuthal_profile(image, centre, bins):
    y, x = np.indices(image.shape)
    r = np.hypot(x - centre[0], y - centre[1])
    edges = np.linspace(0, r.max(), bins + 1)
    profile = np.zeros(bins)
    for i in range(bins):
        ring = (r >= edges[i]) & (r < edges[i + 1])
        if ring.any():
            profile[i] = image[ring].mean()
    return 0.5 * (edges[1:] + edges[:-1]), profile


def arguments(size, rng):
    return rng.random((size, size)), (size / 2, size / 2), 6
