"""Edges of an image by Sobel's filters, written with shifted slices."""

import numpy as np

SIZES = 6, 48


def sobel(image):
    gx = np.zeros_like(image, dtype=np.float64)
    gy = np.zeros(image.shape)
    top, bottom = image[:-2].astype(float), image[2:].astype(float)
    gy[1:-1, 1:-1] = bottom[:, :-2] + 2 * bottom[:, 1:-1] + bottom[:, 2:]
    gy[1:-1, 1:-1] -= top[:, :-2] + 2 * top[:, 1:-1] + top[:, 2:]
    left, right = image[:, :-2].astype(float), image[:, 2:].astype(float)
    gx[1:-1, 1:-1] = right[:-2] + 2 * right[1:-1] + right[2:]
    gx[1:-1, 1:-1] -= left[:-2] + 2 * left[1:-1] + left[2:]
    magnitude = np.sqrt(gx**2 + gy**2)
    if magnitude.max() > 0:
        magnitude *= 255.0 / magnitude.max()
    return magnitude.astype(np.uint8), np.arctan2(gy, gx)


def arguments(size, rng):
    return (rng.integers(0, 256, (size, size), dtype=np.uint8),)
