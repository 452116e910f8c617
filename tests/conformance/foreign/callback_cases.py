"""Functions that libraries call back, and memory that libraries share: what they change is as eagerly."""

from __future__ import annotations

import collections

import joblib
import numpy as np
import pandas as pd
from PIL import Image
from scipy import integrate, interpolate, optimize, signal
from sklearn.preprocessing import FunctionTransformer

from .harness import arrays, case, matrices

TRACE = np.zeros(4)


@case(graph=False)
def cb_appends_to_self_list():
    class M:
        def __init__(self):
            self.log = []

        def cost(self, x):
            self.log.append(float(x[0]))
            return ((x - 1) ** 2).sum()

        def run(self, x0):
            r = optimize.minimize(self.cost, x0, method="Nelder-Mead", options={"maxiter": 5})
            return r.x, len(self.log)

    m = M()
    return lambda x: m.run(x), arrays(2, 2, 2), lambda: list(m.log)


@case(graph=False)
def cb_calls_helper_that_stores():
    class M:
        def __init__(self):
            self.n = 0
            self.best = np.inf

        def _note(self, v):
            self.n += 1
            if v < self.best:
                self.best = v

        def cost(self, x):
            v = ((x - 1) ** 2).sum()
            self._note(v)
            return v

        def run(self, x0):
            r = optimize.minimize(self.cost, x0, method="Nelder-Mead", options={"maxiter": 5})
            return r.x, self.n, self.best

    m = M()
    return lambda x: m.run(x), arrays(2, 2, 2), lambda: (m.n, m.best)


@case(graph=False)
def cb_writes_self_array_through_local():
    class M:
        def __init__(self):
            self.hist = np.zeros(3)

        def rhs(self, t, y):
            h = self.hist
            h[0] += 1
            h[1] = t
            return -y

        def run(self, y0):
            s = integrate.solve_ivp(self.rhs, (0, 1), y0)
            return s.y[:, -1] + self.hist[0], self.hist.sum()

    m = M()
    return lambda x: m.run(x), arrays(2, 2, 2), lambda: m.hist.copy()


@case(graph=False)
def cb_global_array_helper():
    def note(v):
        a = TRACE
        a[:-1] = a[1:]
        a[-1] = v

    def g(x):
        v = (x**2).sum()
        note(v)
        return v

    def f(x):
        r = optimize.minimize(g, x)
        return r.x.round(4) + TRACE[-1]

    TRACE[:] = 0
    return f, arrays(2, 2, 3), lambda: TRACE.copy()


@case(graph=False)
def cb_object_with_call():
    class Cost:
        def __init__(self):
            self.n = 0

        def __call__(self, x):
            self.n += 1
            return ((x - 2) ** 2).sum()

    c = Cost()

    def f(x):
        return optimize.minimize(c, x).x.round(4), c.n

    return f, arrays(2, 2, 3), lambda: c.n


@case(graph=False)
def cb_groupby_apply_self_state():
    class Seen:
        def __init__(self):
            self.groups = []

        def one(self, g):
            self.groups.append(len(g))
            return g["v"].sum()

        def run(self, df):
            return df.groupby("k").apply(self.one, include_groups=False), sum(self.groups)

    s = Seen()
    return (
        lambda df: s.run(df),
        [(pd.DataFrame({"k": list("aab"), "v": [1.0, 2.0, i]}),) for i in range(3)],
        lambda: list(s.groups),
    )


@case(graph=False)
def cb_kept_by_library_object():
    class Sim:
        def __init__(self, k):
            self.k = k
            self.solver = integrate.RK45(self.rhs, 0.0, np.array([1.0, 0.5]), 10.0, max_step=0.1)

        def rhs(self, t, y):
            return -self.k * y

        def step(self, k):
            self.k = k
            self.solver.step()
            return self.solver.t, self.solver.y

    s = Sim(1.0)
    return lambda k: s.step(k), [(1.0,), (2.0,), (3.0,), (3.0,)], lambda: (s.k, s.solver.y)


@case()
def cb_local_array_filled():
    def f(y0, k):
        def rhs(t, y):
            dy = np.zeros_like(y)
            dy[0] = y[1]
            dy[1:] = -k * y[0]
            return dy

        return integrate.solve_ivp(rhs, (0, 1), y0, t_eval=[0.5, 1.0]).y

    return f, [(np.array([1.0, 0.0]), k) for k in (1.0, 2.0, 2.5)]


@case(graph=False)
def cb_raises_custom_stop():
    class Stop(Exception):
        pass

    class M:
        def __init__(self):
            self.best = None

        def cost(self, x):
            self.best = x.copy()
            if (x**2).sum() < 0.5:
                raise Stop
            return (x**2).sum()

        def run(self, x0):
            try:
                optimize.minimize(self.cost, x0)
            except Stop:
                return "early", self.best
            return "full", self.best

    m = M()
    return (
        lambda x: m.run(x),
        [(np.array([3.0, 1.0]),), (np.array([2.0, 1.0]),), (np.array([0.1, 0.1]),)],
        lambda: m.best,
    )


@case(graph=False)
def cb_self_attr_set_before():
    class M:
        def cost(self, p):
            return ((p - self.t) ** 2).sum()

        def run(self, x, t):
            self.t = t
            return optimize.minimize(self.cost, x).x.round(3)

    m = M()
    return (
        lambda x, t: m.run(x, t),
        [(x, t) for (x,), t in zip(arrays(2, 2, 2), (1.0, 2.0, np.float64(3.0)), strict=True)],
        lambda: m.t,
    )


@case(graph=False)
def cb_with_self_rng():
    class M:
        def __init__(self):
            self.rng = np.random.default_rng(0)

        def noisy(self, p):
            return ((p - 1) ** 2).sum() + 0.01 * self.rng.normal()

        def run(self, x):
            r = optimize.minimize(self.noisy, x, method="Nelder-Mead", options={"maxiter": 4})
            return r.x + self.rng.normal()

    m = M()
    return lambda x: m.run(x), arrays(2, 2, 2), lambda: m.rng


@case(graph=False)
def cb_event_counts_nonlocal():
    def f(y0):
        n = 0

        def rhs(t, y):
            nonlocal n
            n += 1
            return -y

        s = integrate.solve_ivp(rhs, (0, 1), y0)
        return s.y[:, -1], n

    return f, arrays(2, 2, 2)


@case(graph=False)
def callback_conditional_state():
    class M:
        def __init__(self):
            self.bad = 0

        def cost(self, p):
            if np.abs(p).max() > 5:
                self.bad += 1
            return ((p - 1) ** 2).sum()

        def run(self, x):
            return optimize.minimize(self.cost, x).x.round(3), self.bad

    m = M()
    return (
        lambda x: m.run(x),
        [(np.zeros(2),), (np.ones(2),), (np.full(2, 9.0),), (np.full(2, 8.0),), (np.zeros(2),)],
        lambda: m.bad,
    )


@case(graph=False)
def nested_attr_changed_before_callback():
    class In:
        pass

    class M:
        def __init__(self):
            self.i = In()
            self.i.t = 0.0

        def cost(self, p):
            return ((p - self.i.t) ** 2).sum()

        def run(self, x, t):
            self.i.t = t
            return optimize.minimize(self.cost, x).x.round(3)

    m = M()
    return (
        lambda x, t: m.run(x, t),
        [(x, np.float64(t)) for (x,), t in zip(arrays(2, 2, 2), (1.0, 2.0, 3.0), strict=True)],
        lambda: m.i.t,
    )


@case()
def dict_param_changed_before_callback():
    cfg = {"t": 0.0}

    def cost(p):
        return ((p - cfg["t"]) ** 2).sum()

    def f(x, t):
        cfg["t"] = t
        return optimize.minimize(cost, x).x.round(3)

    return f, [(x, np.float64(t)) for (x,), t in zip(arrays(2, 2, 2), (1.0, 2.0, 3.0), strict=True)], lambda: dict(cfg)


@case(graph=False)
def inner_callback_sets_outer_object():
    class Count:
        pass

    o = Count()
    o.n = 0

    def f(x):
        def cost(p):
            o.n += 1
            return (p**2).sum()

        r = optimize.minimize(cost, x)
        return r.x.round(4), o.n

    return f, arrays(2, 2, 2), lambda: o.n


@case(graph=False)
def callback_self_list_bound_append():
    class M:
        def __init__(self):
            self.xs = []

        def run(self, x):
            optimize.minimize(lambda p: ((p - 1) ** 2).sum(), x, callback=self.xs.append)
            return len(self.xs)

    m = M()
    return lambda x: m.run(x), arrays(2, 2, 3), lambda: len(m.xs)


@case()
def map_append_self():
    log = []

    def f(xs):
        list(map(log.append, xs))
        push = log.append
        push(7.0)
        return len(log)

    return f, [([1.0, 2.0],), ([1.0],), ([3.0, 4.0, 5.0],)], lambda: list(log)


@case()
def deque_extend_passed():
    d = collections.deque(maxlen=3)

    def apply(fn, v):
        return fn(v)

    def f(x):
        apply(d.append, x.sum())
        apply(d.extend, [1.0])
        return sum(d)

    return f, arrays(2, 2, 3), lambda: list(d)


@case(graph=False)
def function_transformer_with_state():
    class S:
        def __init__(self):
            self.k = 1.0
            self.n = 0

        def fn(self, X):
            self.n += 1
            return X * self.k

    s = S()
    t = FunctionTransformer(s.fn)

    def f(X):
        s.k = s.k + 1
        return t.transform(X), s.n

    return f, matrices((2, 2), (2, 2), (2, 2)), lambda: (s.k, s.n)


@case(graph=False)
def frombuffer_image_kept():
    a = np.zeros((2, 2), np.uint8)
    im = Image.fromarray(a)

    def f(k):
        a[0, 0] = k
        return np.asarray(im).sum(), a.sum()

    return f, [(np.uint8(k),) for k in (1, 2, 3)], lambda: a.copy()


@case(graph=False)
def csr_shares_data():
    import scipy.sparse as sp

    data = np.array([1.0, 2.0])
    M = sp.csr_matrix((data, np.array([0, 1]), np.array([0, 1, 2])), shape=(2, 2), copy=False)

    def f(x):
        data[0] += 1
        return M @ x

    return f, arrays(2, 2, 2), lambda: data.copy()


@case(graph=False)
def kdtree_keeps_points():
    from scipy.spatial import cKDTree

    p = np.arange(6.0).reshape(3, 2)
    t = cKDTree(p, copy_data=False)

    def f(q):
        d = t.query(q)[0]
        p[0, 0] += 0.5
        return d, t.data[0, 0]

    return f, arrays(2, 2, 2), lambda: p.copy()


@case(graph=False)
def image_then_refused():
    im = Image.new("L", (2, 2), 10)

    def f(x):
        im.putpixel((0, 0), im.getpixel((0, 0)) + 1)
        return np.asarray(im).sum(), hash(float(x[0])) is not None

    return f, arrays(2, 2, 2), lambda: im


@case(graph=False)
def frame_inplace_then_refused():
    df = pd.DataFrame({"a": [3.0, 1.0, 2.0]})

    def f(x):
        df.sort_values("a", inplace=True)
        df.insert(0, f"n{df.shape[1]}", 1.0)
        return df.iloc[0].sum(), hash(float(x[0])) is not None

    return f, arrays(2, 2, 2), lambda: df


@case(graph=False)
def stepper_then_refused():
    s = integrate.RK45(lambda t, y: -y, 0.0, np.ones(2), 10.0, max_step=0.1)

    def f(x):
        s.step()
        return s.t, hash(float(x[0])) is not None

    return f, arrays(2, 2, 2), lambda: (s.t, s.y)


@case()
def peaks_count_none():
    def f(x):
        p, _ = signal.find_peaks(x)
        return p if p.size else None

    return f, [(np.array(v, float),) for v in ([0, 1, 0, 2, 0], [0, 0, 0, 0, 0], [0, 3, 0, 2, 0], [0, 1, 0])]


@case()
def interpolate_scalar_or_array():
    g = interpolate.interp1d([0.0, 1.0, 2.0], [0.0, 1.0, 4.0])

    def f(t):
        return g(t)

    return f, [(0.5,), (np.array([0.5, 1.5]),), (np.float64(1.0),), (np.ones((2, 2)),)]


@case(graph=False)
def parallel_over_a_generator():
    def nearest(x, grid):
        return np.argwhere(grid == grid[np.argmin(np.abs(grid - x))])[0]

    def f(x, grid):
        return joblib.Parallel(n_jobs=1)(joblib.delayed(nearest)(v, grid) for v in x)

    return f, [(np.arange(3.0) + i, np.linspace(0, 5, 4)) for i in range(3)]
