"""The standard library with state of its own, and functions without Python source under the decorator."""

from __future__ import annotations

import contextlib
import contextvars
import csv
import functools
import hashlib
import io
import itertools
import json
import operator
import os
import pathlib
import queue
import random
import tempfile
import threading
import types
import warnings
from functools import partial

import numpy as np
from scipy import interpolate, stats
from scipy.spatial import ConvexHull

from .harness import arrays, case, matrices


@case(graph=False)
def redirect_out():
    def f(x):
        b = io.StringIO()
        with contextlib.redirect_stdout(b):
            print("n", len(x))
        return b.getvalue(), x * 2

    return f, arrays(2, 2, 3)


@case(graph=False)
def makedirs_exist():
    d = tempfile.mkdtemp()

    def f(x, name):
        q = os.path.join(d, name)
        new = not os.path.isdir(q)
        os.makedirs(q, exist_ok=True)
        return x * 2, new, len(os.listdir(d))

    return f, [(np.ones(2), n) for n in ("a", "b", "a", "a")]


@case(graph=False)
def path_touch_count():
    d = pathlib.Path(tempfile.mkdtemp())

    def f(x):
        (d / f"f{len(list(d.iterdir()))}.txt").write_text("x")
        return x + len(list(d.glob("*.txt")))

    return f, arrays(2, 2, 2), lambda: sorted(os.listdir(d))


@case(graph=False)
def hash_update_self():
    class H:
        def __init__(self):
            self.h = hashlib.md5()

        def run(self, tag, x):
            self.h.update(tag.encode())
            return self.h.hexdigest()[:6], x + 1

    h = H()
    return lambda t, x: h.run(t, x), [("a", np.ones(2)), ("b", np.ones(2)), ("a", np.ones(2))], lambda: h.h.hexdigest()


@case(graph=False)
def csv_writer_self():
    class Log:
        def __init__(self):
            self.b = io.StringIO()
            self.w = csv.writer(self.b)
            self.n = 0

        def run(self, x):
            self.w.writerow([self.n, round(float(x[0]), 3)])
            self.n += 1
            return x * self.n

    log = Log()
    return lambda x: log.run(x), arrays(2, 2, 3), lambda: (log.b.getvalue(), log.n)


@case(graph=False)
def context_var_kept():
    v = contextvars.ContextVar("vk", default=1)

    def f(x):
        v.set(v.get() + 1)
        return x * v.get()

    return f, arrays(2, 2, 2), lambda: v.get()


@case()
def module_attr_state():
    m = types.ModuleType("fakemod")
    m.n = 0

    def f(x):
        m.n += 1
        return x * m.n

    return f, arrays(2, 2, 2), lambda: m.n


@case()
def exit_stack():
    log = []

    @contextlib.contextmanager
    def step(n):
        log.append(("in", n))
        yield n * 2
        log.append(("out", n))

    def f(x):
        with contextlib.ExitStack() as st:
            v = [st.enter_context(step(i)) for i in range(2)]
            st.callback(log.append, "cb")
            return x * sum(v)

    return f, arrays(2, 2, 2), lambda: list(log)


@case(graph=False)
def thread_worker():
    def f(x):
        out = [None]

        def w():
            out[0] = x.sum()

        t = threading.Thread(target=w)
        t.start()
        t.join()
        return out[0] * 2

    return f, arrays(2, 2, 3)


@case(graph=False)
def queue_put_get():
    class W:
        def __init__(self):
            self.q = queue.Queue()

        def run(self, x):
            self.q.put(x.sum())
            if self.q.qsize() > 2:
                return self.q.get()
            return -1.0

    w = W()
    return lambda x: w.run(x), arrays(2, 2, 2, 2), lambda: list(w.q.queue)


@case()
def itertools_cycle_self():
    class M:
        def __init__(self):
            self.c = itertools.cycle([1.0, 2.0, 3.0])
            self.k = itertools.count()

        def run(self, x):
            return x * next(self.c) + next(self.k)

    m = M()
    return lambda x: m.run(x), arrays(2, 2, 2, 2)


@case()
def np_shuffle_self():
    class M:
        def __init__(self):
            self.idx = np.arange(5)
            self.r = np.random.default_rng(1)

        def run(self, x):
            self.r.shuffle(self.idx)
            return x[self.idx]

    m = M()
    return lambda x: m.run(x), arrays(5, 5, 5), lambda: m.idx.copy()


@case()
def json_numpy_encoder():
    class Enc(json.JSONEncoder):
        def default(self, o):
            if isinstance(o, np.ndarray):
                return o.tolist()
            if isinstance(o, np.integer):
                return int(o)
            return super().default(o)

    def f(x):
        return json.dumps({"x": x, "n": np.int64(len(x))}, cls=Enc)

    return f, arrays(2, 2, 3)


@case(graph=False)
def hull_degenerate_caught():
    from scipy.spatial import QhullError

    def f(p):
        try:
            return ConvexHull(p).volume
        except QhullError:
            return 0.0

    return f, [(m,) for (m,) in matrices((6, 2), (6, 2))] + [(np.zeros((6, 2)) + np.arange(6)[:, None],)] + matrices(
        (6, 2), seed=2
    )


@case(graph=False)
def warnings_recorded_by_user():
    def f(x):
        with warnings.catch_warnings(record=True) as w:
            warnings.simplefilter("always")
            r = stats.ttest_1samp(x, 0.0).pvalue
        return r, len(w)

    return f, [(np.arange(4.0),), (np.ones(4),), (np.arange(4.0) + 1,)]


@case()
def random_module_self():
    class Sim:
        def __init__(self):
            self.rng = random.Random(3)
            self.pos = 0

        def step(self, x):
            self.pos += self.rng.choice([-1, 1])
            return x * self.rng.random() + self.pos, self.rng.sample(range(10), 2)

    s = Sim()
    return lambda x: s.step(x), arrays(2, 2, 3, 2), lambda: (s.pos, s.rng.getstate()[1][-1])


@case()
def ns_operator_add():
    return operator.add, [(np.ones(2), np.ones(2)), (1, 2), ("a", "b"), (np.ones(2), 1.0), ([1], [2])]


@case()
def ns_itemgetter():
    return operator.itemgetter(0), [(np.arange(3.0),), ([5, 6],), ({0: "a"},)]


@case()
def ns_partial_of_partial():
    def f(a, x, n):
        return a * x**n

    return partial(partial(f, 3.0), n=2), [(np.ones(2) * 2,), (np.ones(3),), (np.float64(2.0),)]


@case()
def ns_partial_method():
    class A:
        def __init__(self):
            self.n = 0

        def add(self, k, x):
            self.n += k
            return x + self.n

    a = A()
    return partial(a.add, 2), arrays(2, 2, 3), lambda: a.n


@case()
def ns_class_cubicspline():
    return interpolate.CubicSpline, [(np.arange(4.0), y) for (y,) in arrays(4, 4)]


@case()
def ns_cubicspline_object():
    return interpolate.CubicSpline(np.arange(4.0), np.array([0.0, 1.0, 0.0, 2.0])), [
        (np.array([0.5]),),
        (np.array([1.5]),),
        (0.5,),
    ]


@case()
def ns_scipy_bound_pdf():
    return stats.norm.pdf, arrays(3, 3, 4)


@case()
def ns_estimator_predict():
    from sklearn.linear_model import LinearRegression

    m = LinearRegression().fit(np.eye(3), np.arange(3.0))
    return m.predict, matrices((2, 3), (2, 3), (4, 3))


@case(graph=False)
def ns_bound_rng():
    rng = np.random.default_rng(0)
    return rng.normal, [(0.0, 1.0, 3), (0.0, 1.0, 3), (1.0,)], lambda: rng


@case()
def ns_random_normal():
    return np.random.normal, [(0.0, 1.0, 2), (0.0, 1.0, 2), (0.0, 2.0)]


@case()
def ns_singledispatch():
    @functools.singledispatch
    def f(a):
        return "other"

    @f.register
    def _(a: np.ndarray):
        return a * 2

    @f.register
    def _(a: float):
        return a + 1

    return f, [(np.ones(2),), (1.0,), ("s",), (np.ones(3),)]


@case(graph=False)
def ns_bound_array_method():
    a = np.arange(3.0)

    def change():
        a[0] += 1
        return a

    return a.dot, arrays(3, 3), change


@case(graph=False)
def shuffles_that_change_nothing_at_first():
    rng = random.Random(0)

    def f(x):
        items = [x * 1, x * 2]
        rng.shuffle(items)
        return items, rng.random()

    return f, arrays(3, 3, 3, 3, 3, 3, 3)
