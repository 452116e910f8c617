"""Results that are kept: `functools.lru_cache` and `cache` on functions and methods, cached properties."""

import functools
import random

import numpy as np


@functools.lru_cache(maxsize=4)
def twiddles(n):
    return np.exp(-2j * np.pi * np.arange(n) / n)


@functools.cache
def binomial(n, k):
    return 1 if k in (0, n) else binomial(n - 1, k) + binomial(n - 1, k - 1)


def transform(x):
    return np.array([(x * twiddles(len(x)) ** k).sum() for k in range(len(x))]) + binomial(len(x), 2)


def drawn(n, seed):
    """Numbers that a seed gives; the generator is left as it was."""
    state = random.getstate()
    random.seed(seed)
    numbers = [random.uniform(-1, 1) for _ in range(n)]
    random.setstate(state)
    return numbers


class Corner:
    def __init__(self, at, seed):
        self.at = at
        self.gradient = drawn(1, seed + at)

    def weight(self, x):
        return self.gradient[0] * (x - self.at)


class Noise:
    def __init__(self, seed, octaves):
        self.seed, self.octaves = seed, octaves
        self.made = 0

    @functools.lru_cache(maxsize=2)
    def corner(self, at):
        self.made += 1
        return Corner(at, self.seed)

    def value(self, x):
        x = x * self.octaves
        left = int(x)
        t = x - left
        smooth = t * t * (3 - 2 * t)
        a, b = self.corner(left).weight(x), self.corner(left + 1).weight(x)
        return a + smooth * (b - a)

    @functools.cached_property
    def scale(self):
        self.made += 10
        return np.ones(2) * self.octaves

    def scaled(self, x):
        return self.scale * x

    def hits(self):
        return Noise.corner.cache_info().hits


def drive_kept_results():
    for n in (3, 4, 3, 5, 4, 3):
        yield transform(np.arange(float(n)))
    twiddles(3)[0] = 5.0
    yield transform(np.arange(3.0))
    twiddles.cache_clear()
    yield transform(np.arange(3.0))


def drive_noise():
    Noise.corner.cache_clear()
    noise = Noise(3, 2.0)
    for x in (0.1, 0.3, 0.9, 0.1, 1.6, 0.2):
        yield noise.value(x), noise.made
        yield noise.scaled(np.float64(x))
    yield noise.hits()
    noise.octaves = 3.0
    del noise.scale
    Noise.corner.cache_clear()
    yield noise.value(0.7), noise.made
    yield noise.scaled(2.0)
    yield noise.hits()
