"""Code that asks what it was given: `isinstance` with abstract classes, `hasattr`, `is True`, `*args` of decorators."""

import functools
from collections.abc import Iterable, Sized

import numpy as np


class Angles:
    """As libraries take an angle, a list of angles, or an array of them."""

    def __init__(self):
        self.kinds = []

    def radians(self, value, unit="rad"):
        if not isinstance(value, Iterable):
            self.kinds.append("number")
            return np.deg2rad(value) if unit == "deg" else value
        self.kinds.append("vector" if isinstance(value, Sized) else "iterator")
        return self.radians_of_each(np.asarray(value, dtype=float), unit)

    def radians_of_each(self, values, unit):
        return np.array([self.radians(v, unit) for v in values])

    def length(self, value):
        return len(value) if hasattr(value, "__len__") else 1

    def described(self, value):
        flag = bool(np.sum(value) > 1)
        return hasattr(value, "shape"), hasattr(flag, "dtype"), callable(value), hasattr(value, "__call__")


def drive_angles():
    angles = Angles()
    for value in (1.5, np.float64(0.5), [10.0, 20.0], np.arange(3.0)):
        for unit in ("rad", "deg"):
            yield angles.radians(value, unit)
        yield angles.length(value), angles.length(np.asarray(value).sum())
        yield angles.described(value)


class Clusters:
    """Density clustering, with flags that are compared by identity."""

    def __init__(self, points, reach):
        self.points, self.reach = points, reach
        self.search = self.near
        self.clusters, self.noise = [], []

    def near(self, i):
        return [j for j in range(len(self.points)) if j != i and abs(self.points[i] - self.points[j]) <= self.reach]

    def expand(self, i):
        self.visited[i] = True
        found = self.search(i)
        if len(found) < 2:
            return None
        cluster = [i]
        self.taken[i] = True
        for j in found:
            if self.visited[j] is False:
                self.visited[j] = True
                more = self.search(j)
                if len(more) >= 2:
                    found += [k for k in more if (k in found) is False and k != i]
            if self.taken[j] is False:
                cluster.append(j)
                self.taken[j] = True
        return cluster

    def process(self):
        self.visited = [False] * len(self.points)
        self.taken = [False] * len(self.points)
        for i in range(len(self.points)):
            if self.visited[i] is False:
                cluster = self.expand(i)
                if cluster is not None:
                    self.clusters.append(cluster)
        for i in range(len(self.points)):
            if self.taken[i] is False:
                self.noise.append(i)
        return self.clusters


def drive_clusters():
    for points in ([1.0, 1.1, 1.2, 5.0, 5.1, 5.2, 9.0], [1.0, 2.0, 2.1, 2.2]):
        for reach in (0.3, 1.0):
            found = Clusters(points, reach)
            yield found.process()
            yield found.process()


def counted(function):
    """A decorator that keeps what its function was given."""
    calls = []

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        calls.append((len(args), sorted(kwargs)))
        return function(*args, **kwargs)

    wrapper.calls = calls
    return wrapper


@counted
def power(x, n=2, *, scale=1.0):
    return scale * x**n


def in_floats(function):
    @functools.wraps(function)
    def wrapper(self, *args, **kwargs):
        return np.asarray(function(*args, **kwargs), dtype=self.dtype)

    return wrapper


class Backend:
    dtype = np.float32
    zeros = in_floats(np.zeros)
    ones = in_floats(np.ones)
    linspace = in_floats(np.linspace)


def drive_decorated_by_others():
    for x in (np.float64(2), np.arange(3.0), np.float64(2)):
        yield power(x), power(x, 3), power(x, n=3), power(x=x, scale=2.0), power(x, scale=3.0)
    yield power.calls
    backend = Backend()
    for n in (2, 3, 2, 3):
        yield backend.zeros((n, n)), backend.ones(n), backend.linspace(0, 1, n), backend.ones((n, 2))
    yield drive_decorated_by_others.__code__.co_argcount, power.__code__.co_varnames
