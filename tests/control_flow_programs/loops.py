"""Numbers and arrays: branches and loops of all kinds."""

import numpy as np
import tracefn

from .table import table

A = np.arange(6.0)
PROGRAMS, prog = table()


@prog((np.int64(30),), (np.int64(2),))
def sieve(n):
    is_prime = np.ones(100, bool)
    is_prime[:2] = False
    i = 2
    while i * i < n:
        if is_prime[i]:
            for j in range(i * i, n, i):
                is_prime[j] = False
        i += 1
    return is_prime


@prog(
    (10,),
)
def fib_table(n):
    t = np.zeros(n)
    t[0] = 0
    t[1] = 1
    for i in range(2, n):
        t[i] = t[i - 1] + t[i - 2]
    return t


@prog(
    (np.int64(10),),
)
def fib(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@prog(
    (A, np.float64(3)),
)
def cumul(x, lim):
    out = []
    tot = 0.0
    for v in x:
        tot += v
        out.append(tot)
        if tot > lim:
            break
    return np.array(out), len(out), out[-1]


@prog((np.arange(50.0), np.float64(30)), (np.arange(50.0), np.float64(1e9)))
def cumul50(x, lim):
    out = []
    tot = 0.0
    for v in x:
        tot += v
        out.append(tot)
        if tot > lim:
            break
    return np.array(out), len(out), out[-1]


class Cell:
    def __init__(self):
        self.h = np.zeros(3)
        self.n = 0

    def step(self, x):
        self.h = np.tanh(self.h + x)
        return self.h


@prog((np.ones((4, 3)),), (np.ones((4, 3)),))
def rnn(xs):
    cell = Cell()
    ys = []
    for x in xs:
        ys.append(cell.step(x))
    return np.stack(ys), cell.h


@prog(
    (np.ones((40, 3)),),
)
def rnn40(xs):
    cell = Cell()
    ys = []
    for x in xs:
        ys.append(cell.step(x))
    return np.stack(ys), cell.h


@prog((np.array([3.0, 1.0, 2.0, 5.0, 4.0]),))
def bubble(x):
    x = x.copy()
    n = len(x)
    for i in range(n):
        for j in range(n - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
    return x


@prog((np.int64(12), np.int64(18)), (np.int64(7), np.int64(0)))
def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


@prog((np.float64(2),), (np.float64(-1),))
def sq(x):
    if x < 0:
        raise ValueError(f"negative input {x}")
    return x**0.5


@prog((np.float64(2),), (np.float64(-1),))
def asrt(x):
    assert x > 0, "need positive"
    return x * 2


@prog((np.int64(1),), (np.int64(2),), (np.int64(7),), (np.int64(-7),))
def mt(n):
    match n:
        case 1:
            r = 10.0
        case 2 | 3:
            r = 20.0
        case k if k < 0:
            r = 30.0
        case _:
            r = 40.0
    return r


@prog((np.int64(1),), (np.int64(5),))
def inn(n):
    return 1 if n in (1, 2, 3) else 0


@prog((A, np.float64(3)), (A, np.float64(9)))
def inarr(x, v):
    if v in x:
        return x * 2
    return x


@prog((np.array([1.0, -2.0, 3.0]),))
def mx(x):
    m = x[0]
    for v in x[1:]:
        m = max(m, v)
    return m, min(x), sum(x), any(x > 2), all(x > 2), abs(x[1])


@prog((np.int64(15),))
def fizz(n):
    for i in range(n):
        if i % 15 == 0:
            tracefn.print("FizzBuzz")
        elif i % 3 == 0:
            tracefn.print("Fizz")
    return n


@prog((np.float64(2.0),), (np.float64(-2.0),))
def intfloat(x):
    y = 1 if x > 0 else 2.5
    return y * x


@prog((np.float64(2.0),), (np.float64(-2.0),))
def flt(x):
    return float(x), int(x), bool(x)


@prog((np.arange(5.0), np.arange(5.0) * 2))
def zipped(a, b):
    s = 0.0
    for i, (x, y) in enumerate(zip(a, b)):
        s += i * x * y
    for r in reversed(a):
        s = s / 2 + r
    return s


@prog((np.arange(50.0), np.arange(50.0) * 2))
def zipped50(a, b):
    s = 0.0
    for i, (x, y) in enumerate(zip(a, b), 3):
        s += i * x * y
    for r in reversed(a):
        s = s / 2 + r
    return s


@prog((np.int64(3),), (np.int64(0),))
def lastvar(n):
    for i in range(n):
        y = i * 2
    return y + i


@prog((np.int64(20), np.int64(3)), (np.int64(2), np.int64(9)))
def forelse(n, k):
    for i in range(n):
        if i == k:
            found = i
            break
    else:
        found = -1
    return found


@prog(
    (np.eye(3), np.float64(2)),
)
def dct(x, s):
    d = {"a": x, "n": 0}
    if s > 1:
        d["a"] = d["a"] * 2
        d["n"] += 1
    return d


@prog((np.arange(6.0).reshape(2, 3),))
def mat(x):
    out = np.zeros((2, 3))
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            if x[i, j] % 2 == 0:
                out[i, j] = x[i, j]
            else:
                out[i, j] = -x[i, j]
    return out


@prog((np.int64(100),))
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@prog(
    (np.float64(2),),
)
def newton(a):
    x = a
    while True:
        nx = 0.5 * (x + a / x)
        if abs(nx - x) < 1e-12:
            return nx
        x = nx


@prog(
    (np.arange(5.0),),
)
def comp(x):
    return [v * 2 for v in x if True], {k: v for k, v in zip("abcde", x)}, [i * v for i, v in enumerate(x)]


@prog((np.float64(3.0),), (np.float64(-3.0),))
def tryf(x):
    try:
        if x > 0:
            y = x
        else:
            y = -x
    except ZeroDivisionError:
        y = 0.0
    finally:
        z = 1
    return y + z


@prog((np.float64(3.0),), (np.float64(-3.0),))
def nl(x):
    c = 0

    def inc():
        nonlocal c
        c += 1
        return c

    if x > 0:
        inc()
        inc()
    return c, x


@prog((3, np.float64(2.0)))
def rec(n, x):
    return x if n == 0 else rec(n - 1, x * x if x < 10 else x)
