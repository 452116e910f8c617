"""Otsu's threshold of an image, and the image cut at it."""

import numpy as np

SIZES = 6, 20


def otsu_threshold(image):
    hist, edges = np.histogram(image, bins=16, range=(0, 256))
    total = image.size
    best, threshold = 0.0, 0
    sum_all = 0.0
    for t in range(16):
        sum_all += t * hist[t]
    w_b, sum_b = 0, 0.0
    for t in range(16):
        w_b += hist[t]
        if w_b == 0:
            continue
        w_f = total - w_b
        if w_f == 0:
            break
        sum_b += t * hist[t]
        m_b = sum_b / w_b
        m_f = (sum_all - sum_b) / w_f
        between = w_b * w_f * (m_b - m_f) ** 2
        if between > best:
            best = between
            threshold = t
    return threshold, image > edges[threshold + 1]


def arguments(size, rng):
    return (rng.random((size, size)) * 255,)
