"""An image resized by bilinear interpolation."""

import numpy as np

SIZES = 4, 30


def bilinear_resize(image, height, width):
    h, w = image.shape[:2]
    y = np.linspace(0, h - 1, height)
    x = np.linspace(0, w - 1, width)
    y0 = np.floor(y).astype(int)
    x0 = np.floor(x).astype(int)
    y1 = np.minimum(y0 + 1, h - 1)
    x1 = np.minimum(x0 + 1, w - 1)
    wy = (y - y0)[:, None, None]
    wx = (x - x0)[None, :, None]
    top = image[y0][:, x0] * (1 - wx) + image[y0][:, x1] * wx
    bottom = image[y1][:, x0] * (1 - wx) + image[y1][:, x1] * wx
    return np.clip(np.rint(top * (1 - wy) + bottom * wy), 0, 255).astype(np.uint8)


def arguments(size, rng):
    return rng.integers(0, 256, (size, size + 1, 3)).astype(np.uint8), 2 * size - 1, size + 3
