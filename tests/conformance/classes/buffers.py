"""Python's own buffers, and generators that see what else happens, in attributes of objects."""

import itertools
from array import array

import numpy as np


class Sketch:
    """A count-min sketch over an `array.array`, with a bitmap of what was added."""

    def __init__(self, width, depth):
        self.width, self.depth = width, depth
        self.bins = array("i", [0] * (width * depth))
        self.seen = bytearray(width)
        self.view = memoryview(self.seen)
        self.added = 0

    def places(self, key):
        return [(key * 7919 + k * 104729) % self.width + k * self.width for k in range(self.depth)]

    def add(self, key, n=1):
        places = self.places(key)
        values = [self.bins[place] + n for place in places]
        for place, value in zip(places, values, strict=True):
            self.bins[place] = value
        self.seen[key % self.width] |= 1
        self.added += n
        return min(sorted(values))

    def count(self, key):
        return min(self.bins[place] for place in self.places(key))

    def total(self, x):
        return x * sum(self.bins) + np.frombuffer(self.seen, dtype=np.uint8).sum()

    def forget(self, key):
        self.view[key % self.width] = 0
        for place in self.places(key):
            self.bins[place] -= 1
        return self.seen.count(1)

    def halved(self):
        kept = array("i", [0] * len(self.bins))
        for i, v in enumerate(self.bins):
            kept[i] = v // 2
        self.bins = kept
        return kept[0]


def drive_sketch():
    sketch = Sketch(5, 2)
    for key in (1, 2, 1, 7, 1):
        yield sketch.add(key, 2)
        yield sketch.count(key)
        yield sketch.total(np.float64(2))
    yield sketch.forget(1)
    yield sketch.forget(1)
    yield sketch.halved(), sketch.halved()
    yield sketch.total(np.float64(1))


def primes(n):
    sieve = bytearray([1]) * (n + 1)
    for k in range(2, n):
        if sieve[k]:
            sieve[k * k :: k] = bytes(len(sieve[k * k :: k]))
    return [k for k in range(2, n) if sieve[k]]


def drive_primes():
    for n in (10, 20, 10, 30, 20, 2, 3, 10):
        yield primes(n)


def batches(x, size):
    for start in range(0, len(x), size):
        yield x[start : start + size]


def over(items):
    yield from items
    while True:
        yield items[-1]


class Feed:
    """Generators that read and change the object that holds them."""

    def __init__(self):
        self.n, self.log, self.data = 0, [], [1.0, 2.0]
        self._numbers = self._make()
        self._mapped = map(self._count, itertools.count())
        self._pairs = zip(self._make(), itertools.count(), strict=False)
        self._batches = batches(np.arange(24.0).reshape(12, 2), 2)
        self._walk = over(self.data)

    def _count(self, value):
        self.n += 1
        return value + self.n

    def _make(self):
        while True:
            self.n += 1
            self.log.append(self.n)
            yield self.n * 1.0

    def one(self, x):
        self.n += 1
        return x + next(self._numbers)

    def two(self, x):
        return [next(self._numbers) for _ in range(2)], x

    def sent(self, x):
        return self._numbers.send(None) + x

    def mapped(self, x):
        return next(self._mapped) + x

    def paired(self, x):
        return next(self._pairs), x

    def batch(self, x):
        return next(self._batches).sum() * x

    def walked(self, x):
        self.data.append(x)
        return next(self._walk), len(self.data)

    def until(self, x):
        for value in self._numbers:
            if value > x:
                break
        return value


def drive_feed():
    feed = Feed()
    for k in range(4):
        for method in (feed.one, feed.two, feed.sent, feed.mapped, feed.paired, feed.batch, feed.walked, feed.until):
            yield method(np.float64(k))


def roots(a, b, c):
    found = []
    d = b * b - 4 * a * c
    if d > 0:
        found = [(-b + np.sqrt(d)) / (2 * a), (-b - np.sqrt(d)) / (2 * a)]
    elif d == 0:
        found = [-b / (2 * a)]
    return found


def crossings(ray, circle):
    """Where a ray from a point enters and leaves a circle."""
    origin, direction = ray
    away = origin - circle[:2]
    hits = []
    for t in roots(direction @ direction, 2 * direction @ away, away @ away - circle[2] ** 2):
        if t >= 0:
            hits.append(origin + t * direction)
    return hits


def drive_crossings():
    circle = np.array([2.0, 0.0, 1.0])
    for y in (0.0, 1.0, 2.0, 0.5):
        yield crossings(np.array([[0.0, y], [1.0, 0.0]]), circle)
        yield crossings(np.array([[2.0, y], [1.0, 0.0]]), circle)
