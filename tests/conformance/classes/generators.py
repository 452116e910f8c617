"""Generator functions over arrays, and what uses them."""

import numpy as np


class Statistics:
    def __init__(self):
        self.windows = 0
        self.total = 0.0

    def sliding(self, x, n):
        for start in range(len(x) - n + 1):
            self.windows += 1
            yield x[start : start + n]

    def smooth(self, x, n=2):
        return np.array([window.mean() for window in self.sliding(x, n)])

    def largest(self, x):
        best = None
        for window in self.sliding(x, 3):
            self.total += window.sum()
            if best is None or window.sum() > best.sum():
                best = window
        return best


def pairs(items):
    previous = None
    for item in items:
        if previous is not None:
            yield previous, item
        previous = item


def lengths(points):
    return [np.hypot(*(b - a)) for a, b in pairs(points)]


def drive_generator_functions():
    stats = Statistics()
    for n in (4, 6, 4, 6):
        x = np.sin(np.arange(float(n)))
        yield stats.smooth(x)
        yield stats.largest(x)
    yield stats.windows, stats.total
    yield list(stats.sliding(np.arange(3.0), 2))
    yield lengths(np.arange(8.0).reshape(4, 2) ** 2)
