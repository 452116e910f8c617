"""Classes, closures, containers, and whatever else functions are made of."""

import dataclasses
from functools import partial, reduce, wraps

import numpy as np

from .table import table

A = np.arange(6.0)
PROGRAMS, prog = table()


class Base:
    def __init__(self, k):
        self.k = k
        self.__secret = 2.0
        self.hist = []

    def scale(self, x):
        return x * self.k

    @property
    def gain(self):
        return self.k * 2

    def __call__(self, x):
        if x.sum() > 0:
            return self.scale(x)
        return x * self.__secret


class Derived(Base):
    def scale(self, x):
        if x[0] > 1:
            return super().scale(x) + 1
        else:
            y = super().scale(x)
            return y - 1


D = Derived(3.0)


@prog((np.ones(2),), (np.full(2, 2.0),), (-np.ones(2),))
def classes(x):
    return D(x) + D.gain


def deco(f):
    @wraps(f)
    def w(*a, **k):
        r = f(*a, **k)
        return r if r > 0 else -r

    return w


@deco
def decorated(x):
    if x > 2:
        return x
    return x - 10


@prog((np.float64(1),), (np.float64(3),))
def usedeco(x):
    return decorated(x)


OPS = {"a": lambda x: x if x > 0 else -x, "b": lambda x: x * 2 if x > 1 else x}


@prog((np.float64(1), "a"), (np.float64(-3), "a"))
def dispatch(x, k):
    return OPS[k](x) + sum(f(x) for f in OPS.values())


@prog((np.float64(1),), (np.float64(-3),))
def part(x):
    return partial(clampit, lo=-1.0)(x) + reduce(lambda a, b: a + b, [x, x, 1.0])


def clampit(x, lo=0.0, hi=2.0):
    if x < lo:
        return lo
    elif x > hi:
        return hi
    return x


G = 0


@prog((np.float64(1),), (np.float64(-3),))
def clampt(x):
    return clampit(x, np.float64(0))


def gen(n):
    for i in range(n):
        yield i * 2


@prog((np.float64(1),))
def usegen(x):
    s = x
    for g in gen(3):
        s = s + g
    return s


@prog((np.float64(1),), (np.float64(10),))
def tern(x):
    return "small" if x < 5 else "small"


@prog((np.float64(1),), (np.float64(10),))
def chain(x):
    return 1 if 0 < x < 5 else 2 if x < 20 else 3


@prog(
    (np.arange(4.0),),
)
def star(x):
    a, *b = x
    (c, d), e = (x[0], x[1]), x[2]
    if a > 0:
        b = [v * 2 for v in b]
    else:
        b = [v * 3 for v in b]
    return a, b, c + d + e


@prog((np.float64(3),))
def wal(x):
    while (y := x / 2) > 0.1:
        x = y
    if (z := x * 2) > 0:
        x = z
    return x


@prog((np.arange(40.0),), (np.arange(40.0) - 20,))
def evens(x):
    ys = []
    for v in x:
        if v % 2 == 0:
            ys.append(v)
    return ys


@prog((np.arange(40.0),), (np.arange(40.0) - 20,))
def popper(x):
    st = []
    for v in x:
        st.append(v)
        if len(st) > 3:
            st.pop()
    return len(st), st[-1], np.array(st)


@prog((np.arange(5), np.int64(3)), (np.arange(5), np.int64(9)), (np.arange(5), np.int64(0)))
def bisect(x, t):
    lo, hi = 0, len(x) - 1
    while lo <= hi:
        mid = (lo + hi) // 2
        if x[mid] == t:
            return mid
        if x[mid] < t:
            lo = mid + 1
        else:
            hi = mid - 1
    return -1


@prog((np.float64(5),), (np.float64(-5),))
def retnone(x):
    if x > 0:
        print("", end="")
    return None


@prog((np.float64(5), 3), (np.float64(-5), 3))
def defaults(x, n, *rest, k=2, **kw):
    for i in range(n):
        if x > i:
            x = x - k
    return x


@dataclasses.dataclass
class St:
    v: object
    n: int = 0


@prog((np.float64(5),), (np.float64(50),))
def dstate(x):
    s = St(x)
    while s.v > 1:
        s.v = s.v / 2
        s.n += 1
    return s.v, s.n


@prog((np.float64(5),), (np.float64(50),))
def dictstate(x):
    s = {"v": x, "n": 0}
    while s["v"] > 1:
        s["v"] = s["v"] / 2
        s["n"] += 1
    return s


@prog(
    (np.ones((3, 3)),),
)
def floyd(d):
    d = d.copy()
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
    return d


@prog(
    (np.random.default_rng(0).random((6, 6)),),
)
def lu(a):
    a = a.copy()
    n = len(a)
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            a[i, k + 1 :] -= a[i, k] * a[k, k + 1 :]
    return a


@prog((np.int64(5),), (np.int64(0),))
def fact(n):
    r = np.int64(1)
    while n > 1:
        r *= n
        n -= 1
    return r


@prog((5,))
def factrec(n):
    return 1 if n <= 1 else n * factrec(n - 1)


@prog((np.float64(0.3), np.float64(0.2)))
def mandel(cr, ci):
    zr = zi = 0.0
    n = 0
    while zr * zr + zi * zi < 4 and n < 50:
        zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
        n += 1
    return n


@prog(
    (np.array([3, 1, 2]),),
)
def srt(x):
    x = [v for v in x]
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            if x[j] < x[i]:
                x[i], x[j] = x[j], x[i]
    return np.array(x)


@prog((np.float64(1), np.int64(2)), (np.float64(1), np.int64(0)))
def lstidx(x, i):
    ws = [np.float64(1.0), np.float64(5.0), np.float64(7.0)]
    return x * ws[i]


@prog((np.float64(4),), (np.float64(-4),))
def delv(x):
    y = x
    if x > 0:
        z = y * 2
        del y
        return z
    return y


@prog((np.arange(3.0), np.arange(3.0)))
def matchstruct(a, b):
    match (a, b):
        case (x, y):
            return x + y


@prog((np.float64(2),))
def nested_def(x):
    def f(y):
        if y > 1:

            def g(z):
                return z * 3 if z > 5 else z

            return g(y * 4)
        return y

    return f(x)


@prog((np.float64(2),), (np.float64(-2),))
def boolret(x):
    return x > 0 and x < 5, not x > 0, x > 0 or x < -1


@prog(
    (np.arange(3.0),),
)
def any_gen(x):
    return (x > 1).any()


@prog(
    (np.arange(12.0).reshape(3, 4),),
)
def rowsum(m):
    tot = []
    for row in m:
        s = 0
        for v in row:
            s += v
        tot.append(s)
    return tot


@prog((np.float64(10),), (np.float64(0.5),))
def nestedbreak(x):
    c = 0
    for i in range(50):
        for j in range(40):
            if x < j:
                break
            c += 1
        else:
            continue
        if c > 100:
            break
        x = x - 1
    return c, i, x


@prog((np.float64(2),))
def withctx(x):
    with np.errstate(all="ignore"):
        if x > 1:
            y = x / 0.5
        else:
            y = x
    return y
