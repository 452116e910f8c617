"""Objects whose classes use what Python has: descriptors, `__getattr__`, operators, dispatch, registries, slots."""

from collections import Counter, OrderedDict
from functools import partial, singledispatch

import numpy as np


def _raised(call):
    """What a call raises, in words."""
    try:
        return call()
    except Exception as error:
        return type(error).__name__, str(error)


class Typed:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __init__(self, kind, low=None):
        self.kind, self.low, self.changes = (kind, low, 0)

    def __get__(self, obj, owner=None):
        if obj is None:
            return self
        return getattr(obj, self.name, None)

    def __set__(self, obj, value):
        if not isinstance(value, self.kind):
            raise TypeError(f"{self.name[1:]} must be {self.kind.__name__}, not {type(value).__name__}")
        if self.low is not None and np.any(value < self.low):
            raise ValueError(f"{self.name[1:]} too low")
        self.changes += 1
        setattr(obj, self.name, value)


class Body:
    mass = Typed(float, low=0.0)
    position = Typed(np.ndarray)
    velocity = Typed(np.ndarray)

    def __init__(self, mass, position):
        self.mass, self.position = (mass, position)
        self.velocity = np.zeros_like(position)

    def kick(self, force, dt):
        self.velocity = self.velocity + force / self.mass * dt
        self.position = self.position + self.velocity * dt
        return self.position

    def burn(self, amount):
        old = self.mass
        self.mass = self.mass - amount
        return old - self.mass


body = Body(2.0, np.zeros(2))


def drive_descriptors():
    yield body.kick(np.array([1.0, 0.0]), 0.1)
    yield (body.kick(np.array([1, 0]), 0.1), Body.mass.changes)
    yield (body.burn(0.5), body.mass)
    yield (body.burn(np.float64(0.5)), type(body.mass))
    yield _raised(lambda: body.burn(10.0))
    yield (body.mass, Body.position.changes)
    yield body.kick(1.0, 0.1)
    body.position = np.zeros(3)
    yield _raised(lambda: body.kick(np.ones(2), 0.1))
    body.velocity = np.zeros(3)
    yield body.kick(2.0, 0.1)
    yield (body.burn(1), type(body.mass))
    yield _raised(lambda: (body.burn(np.float32(0.25)), type(body.mass)))
    yield [Body.mass.changes, Body.position.changes, Body.velocity.changes]


class Config:
    defaults = {"lr": 0.1, "decay": 0.9, "steps": 3}

    def __init__(self, **kw):
        self.__dict__["values"] = dict(kw)
        self.__dict__["reads"] = Counter()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self.reads[name] += 1
        try:
            return self.values[name]
        except KeyError:
            if name in type(self).defaults:
                return type(self).defaults[name]
            raise AttributeError(f"no setting {name!r}") from None

    def __setattr__(self, name, value):
        self.values[name] = value

    def __delattr__(self, name):
        del self.values[name]


class Trainer:
    def __init__(self, config):
        self.c = config
        self.w = np.zeros(2)

    def fit(self, X, y):
        for _ in range(self.c.steps):
            g = X.T @ (X @ self.w - y) / len(y)
            self.w -= self.c.lr * g
            self.c.lr = self.c.lr * self.c.decay
        return self.w.copy()

    def missing(self):
        return self.c.nothing

    def maybe(self, name, default):
        return (getattr(self.c, name, default), hasattr(self.c, name))


t = Trainer(Config(lr=0.5))


X = np.array([[1.0, 2], [3, 4], [5, 6]])


y = np.array([1.0, 2, 3])


def drive_configuration():
    yield t.fit(X, y)
    yield (t.fit(X, y), t.c.lr)
    yield _raised(lambda: t.missing())
    yield (t.maybe("momentum", 0.0), t.maybe("steps", 0))
    Config.defaults["steps"] = 1
    yield t.fit(X, y)
    t.c.momentum = 0.3
    yield t.maybe("momentum", 0.0)
    del t.c.lr
    yield t.fit(X, y)
    t.c.steps = 2
    yield t.fit(X[:2], y[:2])
    t.c.lr = np.float32(0.01)
    yield (t.fit(X, y), type(t.c.lr))
    yield dict(t.c.reads)
    t.w = np.zeros(2, int)
    yield _raised(lambda: t.fit(X, y))
    yield (t.w, t.c.values)


class Matrix:
    __array_priority__ = 100

    def __init__(self, data):
        self.data = np.array(data, float)

    @classmethod
    def eye(cls, n):
        return cls(np.eye(n))

    @staticmethod
    def _raw(o):
        return o.data if isinstance(o, Matrix) else o

    def __add__(self, o):
        return type(self)(self.data + self._raw(o))

    __radd__ = __add__

    def __sub__(self, o):
        return self + (-1 * o if isinstance(o, Matrix) else -o)

    def __rsub__(self, o):
        return type(self)(o - self.data)

    def __mul__(self, o):
        return type(self)(self.data * self._raw(o))

    def __rmul__(self, o):
        return self * o

    def __matmul__(self, o):
        return type(self)(self.data @ self._raw(o))

    def __pow__(self, n):
        if n == 0:
            return self.eye(len(self.data))
        if n < 0:
            return self.inv() ** (-n)
        h = self ** (n // 2)
        return h @ h @ self if n % 2 else h @ h

    def __neg__(self):
        return self * -1

    def __getitem__(self, k):
        return self.data[k]

    def __setitem__(self, k, v):
        self.data[k] = v

    def __eq__(self, o):
        return np.array_equal(self.data, self._raw(o))

    def __len__(self):
        return len(self.data)

    def __iter__(self):
        return iter(self.data)

    def __contains__(self, v):
        return bool((self.data == v).any())

    def __abs__(self):
        return float(np.sqrt((self.data**2).sum()))

    def __invert__(self):
        return type(self)(self.data.T)

    def __call__(self, v):
        return self.data @ v

    def __format__(self, spec):
        return ";".join(" ".join(format(v, spec or ".1f") for v in row) for row in self.data)

    def __divmod__(self, o):
        return (type(self)(self.data // o), type(self)(self.data % o))

    def __round__(self, n=0):
        return type(self)(np.round(self.data, n))

    def __iadd__(self, o):
        self.data += self._raw(o)
        return self

    def __imatmul__(self, o):
        self.data = self.data @ self._raw(o)
        return self

    def inv(self):
        d = np.linalg.det(self.data)
        if abs(d) < 1e-12:
            raise ValueError("singular")
        return type(self)(np.linalg.inv(self.data))


def poly(A, coeffs):
    out = A * 0
    for k, c in enumerate(coeffs):
        out += c * A**k
    return out


def mix(A, B, v):
    return ((A @ B - ~A)(v), abs(A - B), v @ A.data, 2 - A, f"{A:.2f}|{B}")


A, B = (Matrix([[1, 2], [3, 4]]), Matrix.eye(2))


def drive_matrix():
    global A, B
    yield poly(A, [1.0, 2.0, 0.5]).data
    yield mix(A, B, np.array([1.0, -1]))
    yield ((A ** (-2)).data, (A**5).data)
    A[0, 0] = 1.5
    yield (A[0], A == B, A == A.data, 3.0 in A, 9 in A)
    yield poly(Matrix([[1, 1], [1, 1]]), [1]) ** (-1)
    A += B
    A @= B
    yield (A.data, len(A), [float(x.sum()) for x in A])
    q, m = divmod(A, 2)
    yield (q.data, m.data, round(A * 0.333, 1).data)
    yield ((A + 1).data, (1 + A).data, np.float64(2) * A, (np.ones((2, 2)) * A).data)
    yield _raised(lambda: A @ Matrix(np.ones((3, 1))))
    B = Matrix(np.ones((2, 3)))
    yield mix(A, A, np.ones(2))
    yield _raised(lambda: A + "x")
    A.data = A.data.astype(np.float32)
    yield (poly(A, np.array([1, 2])).data.dtype, mix(A, ~A, np.ones(2, np.float32)))
    yield _raised(lambda: A < B)


class Ring:
    def __init__(self, n, dtype=float):
        self.buf = np.zeros(n, dtype)
        self.head = 0
        self.full = False

    def __len__(self):
        return len(self.buf) if self.full else self.head

    def write(self, data):
        data = np.asarray(data)
        n = len(self.buf)
        if len(data) >= n:
            self.buf[:] = data[-n:]
            self.head, self.full = (0, True)
            return self
        end = self.head + len(data)
        if end <= n:
            self.buf[self.head : end] = data
        else:
            k = n - self.head
            self.buf[self.head :] = data[:k]
            self.buf[: end - n] = data[k:]
        self.full = self.full or end >= n
        self.head = end % n
        return self

    def read(self):
        if not self.full:
            return self.buf[: self.head].copy()
        return np.concatenate((self.buf[self.head :], self.buf[: self.head]))

    def __getitem__(self, i):
        if isinstance(i, slice):
            return self.read()[i]
        if not -len(self) <= i < len(self):
            raise IndexError(i)
        return self.read()[i]

    def __iter__(self):
        yield from self.read()

    def mean(self):
        return sum(self) / len(self)


q = Ring(5)


def drive_ring():
    yield q.write([1, 2]).read()
    yield q.mean()
    yield (q.write(np.arange(4.0)).read(), q.head, q.full)
    yield (q[0], q[-1], q[1:3])
    yield _raised(lambda: q[5])
    yield q.write(np.arange(10)).read()
    yield (list(q), len(q), q.mean())
    yield q.write(np.array([0.5], np.float32)).read()
    q.buf = np.zeros(3, np.int16)
    q.head = 0
    q.full = False
    yield _raised(lambda: q.mean())
    yield (q.write([1.7, 2.2]).read(), q.mean())
    yield q.write([70000]).read()
    yield q.write([1j]).read()
    yield _raised(lambda: q.write("ab"))
    yield q.write([]).read()


class LRU:
    def __init__(self, size):
        self.size, self.data, self.hits, self.misses = (size, OrderedDict(), 0, 0)

    def __contains__(self, k):
        return k in self.data

    def __getitem__(self, k):
        try:
            v = self.data[k]
        except KeyError:
            self.misses += 1
            raise
        self.data.move_to_end(k)
        self.hits += 1
        return v

    def __setitem__(self, k, v):
        if k in self.data:
            self.data.move_to_end(k)
        self.data[k] = v
        while len(self.data) > self.size:
            old, _ = self.data.popitem(last=False)

    def __len__(self):
        return len(self.data)

    def compute(self, k, x):
        if k in self:
            return self[k]
        self[k] = np.cumsum(x) * k
        return self[k]

    def lookup(self, k, default=None):
        try:
            return self[k]
        except KeyError as e:
            return (default, e.args)


c = LRU(2)


def drive_cached_rows():
    yield c.compute(1, np.ones(3))
    yield c.compute(2, np.ones(3))
    yield c.compute(1, np.ones(3) * 5)
    yield (c.compute(3, np.ones(2)), list(c.data))
    yield (c.lookup(2), c.lookup(9, np.zeros(1)))
    yield _raised(lambda: c[7])
    c[7] = np.eye(2)
    yield (c[7], len(c), 7 in c)
    c.size = 1
    yield c.compute(10, np.arange(3))
    yield (len(c), c.hits, c.misses)
    c.data.clear()
    yield c.compute(10, np.arange(4))
    yield c.compute(np.int64(10), np.arange(4.0))


@singledispatch
def describe(x):
    raise TypeError(f"cannot describe {type(x).__name__}")


@describe.register
def _(x: int):
    return ("int", x + 1)


@describe.register(float)
def _f(x):
    return ("float", x / 2)


@describe.register(np.ndarray)
def _a(x):
    return (x.dtype.name, x.sum())


@describe.register(list)
@describe.register(tuple)
def _l(x):
    return [describe(i) for i in x]


def report(*items, **named):
    out = [describe(i) for i in items]
    for k, v in sorted(named.items()):
        out.append((k, describe(v)))
    return out


power = partial(np.power, 2.0)


scale = partial(lambda k, x, *, shift=0: k * x + shift, 3)


def apply(x):
    return (power(x), scale(x), scale(x, shift=1))


def drive_reports():
    global scale
    yield describe(np.arange(3))
    yield report(1, 2.0, np.ones(2), [1, (2.5,)], z=np.zeros(1), a=3)
    yield _raised(lambda: report({}))
    yield report(True, np.float64(3))
    yield _raised(lambda: report(np.float32(3)))
    yield apply(np.arange(3.0))
    scale = partial(scale, shift=np.ones(3))
    yield apply(np.arange(3.0))
    yield report(*np.arange(2.0))
    describe.register(dict, lambda d: sorted(d))
    yield report({}, {"k": 1})
    yield report(np.arange(4).reshape(2, 2), b=[np.ones(1)] * 2)
