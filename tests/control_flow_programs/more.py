"""Datasets, nested state, early exits, assignments inside expressions."""

import numpy as np
from tracefn.data import Dataset

from .table import table

A = np.arange(6.0)
PROGRAMS, prog = table()


DS = Dataset.from_tensor_slices((np.arange(5.0), np.arange(5)))


@prog((np.float64(1),))
def ds1(w):
    for x, y in DS:
        if y == 3:
            break
        w = w + x * y
    return w


@prog((np.float64(1),))
def ds2(w):
    n = 0
    for x, y in DS.batch(2):
        w = w + x.sum()
        n += len(x)
    else:
        w = w * 2
    return w, n


@prog((np.float64(1),))
def ds3(w):
    ys = []
    for i, e in enumerate(Dataset.range(4)):
        ys.append(e * w)
    return np.array(ys)


@prog((np.float64(1),))
def ds4(w):
    for d in Dataset.from_tensor_slices({"a": np.arange(3.0), "b": np.ones((3, 2))}):
        if d["a"] > 0:
            w = w + d["b"].sum()
    return w


@prog((np.float64(1),))
def ds5(w):
    for e in Dataset.range(10).repeat():
        w = w + e
        if w > 100:
            return w
    return w


class Net:
    def __init__(self):
        self.w = {"a": np.ones(3), "b": [np.zeros(3), np.ones(3)]}
        self.steps = 0


NET = Net()


@prog((np.arange(3.0),))
def nested_state(x):
    n = Net()
    for i in range(40):
        if x.sum() > i:
            n.w["a"] = n.w["a"] + x
            n.w["b"][0] = n.w["b"][0] + i
    return n.w["a"], n.w["b"]


@prog((np.arange(3.0),))
def whileelse(x):
    k = 0
    while x[k] < 1:
        k += 1
        if k == 2:
            break
    else:
        k = 100
    return k


@prog((np.float64(1),), (np.float64(-1),))
def trystage(x):
    try:
        if x > 0:
            y = x * 2
        else:
            y = x * 3
    except ValueError:
        y = 0.0
    return y


@prog((np.float64(1),))
def fmt(x):
    return f"{x.dtype} {x.shape}"


@prog((np.arange(4),))
def looptuple(x):
    a, b = 0, 1
    for v in x:
        a, b = b, a + v
    return a, b


@prog((np.arange(50),))
def looptuple50(x):
    a, b = 0, 1
    for v in x:
        a, b = b, a + v
    return a, b


@prog((np.arange(50.0),))
def early50(x):
    for i, v in enumerate(x):
        if v > 20:
            return i, v
    return -1, 0.0


@prog((np.arange(5.0),))
def acc2(x):
    hist = []
    while x.sum() > 0.1:
        x = x / 2
        hist.append(x)
    return hist, len(hist)


@prog((np.arange(5.0),))
def acc3(x):
    hist = {"l": [], "m": []}
    for i in range(3):
        hist["l"].append(x.sum())
    return hist


@prog((np.arange(50.0),))
def cumulative(x):
    y = np.empty_like(x)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = y[i - 1] + x[i]
    return y


@prog((np.arange(50.0).reshape(5, 10),))
def life(b):
    n = np.zeros_like(b)
    n[1:-1, 1:-1] = b[:-2, 1:-1] + b[2:, 1:-1]
    n[n > 20] = 0
    return n


@prog((np.float64(2), np.float64(3)))
def minmax(a, b):
    return min(a, b), max(a, b, 2.5), max([a, b]), sorted([1, 2])


@prog((np.float64(2.7),))
def rounding(a):
    return int(a), round(1.5), abs(a), divmod(a, 1), a // 1


@prog((np.arange(3.0),))
def isin(x):
    return x is None, isinstance(x, np.ndarray), x is not None


@prog((np.float64(3),))
def compl(x):
    s = 0
    for i in range(5):
        if i == 2:
            continue
        for j in range(5):
            if j > i:
                break
            if x > i * j:
                s += i * j
            else:
                s -= 1
    return s


@prog((np.arange(3.0),), (None,), traces=2)
def nonearg(x=None):
    if x is None:
        return 1
    return x * 2


@prog((np.int64(4),), (np.int64(0),))
def pascal(n):
    row = [1.0]
    for i in range(n):
        row.append(row[-1] * 2)
    return row


@prog((np.float64(0.5), np.int64(7)))
def logistic(x, n):
    xs = np.zeros(10)
    for i in range(n):
        x = 3.5 * x * (1 - x)
        xs[i] = x
    return xs


@prog((np.array([1.0, 2.0, 3.0]),))
def lambdas(x):
    fs = [lambda v: v * 2, lambda v: v if v.sum() > 0 else -v]
    for f in fs:
        x = f(x)
    return list(map(lambda v: v + 1, x)), [f(x) for f in fs]


@prog((np.float64(1.0),), (np.float64(5.0),))
def walruscond(x):
    if (y := x * 2) > 5 and (z := y + 1) > 0:
        return y + z
    return y


@prog((np.float64(1.0),), (np.float64(5.0),))
def w2(x):
    r = (a := x * 2) if x > 2 else (a := x * 3)
    while not ((b := a / 2) < 1 or (c := b * 2) < 0.5):
        a = b
    return r, a, b


@prog((1.0,), (5.0,), traces=2)
def w3(x):
    if x > 2 or (k := x + 1) > 1:
        return x
    return k
