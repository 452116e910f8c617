"""Frames, estimators and images with state, as practitioners write them."""

from __future__ import annotations

import numpy as np
import pandas as pd
from PIL import Image
from sklearn import (
    linear_model,
    metrics,
    preprocessing,
)
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from .harness import arrays, case


def sales(i=0, n=8):
    rng = np.random.default_rng(i)
    return pd.DataFrame(
        {
            "store": list("abab" * (n // 4)),
            "day": pd.date_range("2024-01-01", periods=n),
            "units": rng.integers(1, 9, n),
            "price": rng.uniform(1, 5, n).round(2),
        }
    )


def data(*lengths):
    rng = np.random.default_rng(0)
    out = []
    for n in lengths:
        X = rng.normal(size=(n, 3))
        out.append((X, (X[:, 0] + 0.1 * X[:, 1] > 0).astype(int)))
    return out


def pics(*sizes):
    rng = np.random.default_rng(0)
    return [(rng.integers(0, 255, (n, n, 3), dtype=np.uint8),) for n in sizes]


@case()
def fillna_interpolate():
    def f(x):
        s = pd.Series(x).where(lambda v: v > 0)
        n = s.isna().sum()
        if n == len(s):
            return None
        return s.interpolate().bfill().to_numpy(), int(n), s.ffill().isna().any()

    return f, arrays(6, 6, 8) + [(-np.ones(6),)] + arrays(6, seed=5)


@case()
def frame_append_self():
    class Log:
        def __init__(self):
            self.df = pd.DataFrame({"t": pd.Series(dtype=float), "v": pd.Series(dtype=float)})
            self.t = 0.0

        def add(self, x):
            row = pd.DataFrame({"t": [self.t], "v": [np.mean(x)]})
            self.df = pd.concat([self.df, row], ignore_index=True) if len(self.df) else row
            self.t += 0.5
            if len(self.df) > 3:
                self.df = self.df.iloc[-3:].reset_index(drop=True)
            return self.df["v"].mean()

    log = Log()
    return lambda x: log.add(x), arrays(3, 3, 4, 3, 3, 3), lambda: (log.df, log.t)


@case()
def iterrows_state_machine():
    def f(df):
        pos, cash, hist = 0, 100.0, []
        for _i, row in df.iterrows():
            if row["price"] > 3 and pos > 0:
                cash += pos * row["price"]
                pos = 0
            elif row["price"] < 2:
                pos += 1
                cash -= row["price"]
            hist.append(cash)
        return cash, pos, hist

    return f, [(sales(i),) for i in range(3)]


@case()
def pivot_heatmap():
    def f(df):
        p = df.pivot_table(index=df["day"].dt.dayofweek, columns="store", values="units", aggfunc="sum", fill_value=0)
        M = p.to_numpy()
        return M / M.sum(), list(p.columns), p.index.tolist()

    return f, [(sales(i),) for i in range(3)]


@case(graph=False)
def missing_key_caught():
    def f(df, name):
        try:
            return df[name].sum()
        except KeyError:
            return -1.0

    return f, [(sales(i), n) for i, n in ((0, "units"), (1, "nothing"), (2, "price"))]


@case(graph=False)
def dtype_changes_between_calls():
    def f(df):
        return df["v"].to_numpy() * 2, df["v"].sum(), df["v"].iloc[0]

    return f, [
        (pd.DataFrame({"v": v}),) for v in ([1.0, 2.0], [1, 2], [1.0, 2.0, 3.0], [True, False], ["a", "b"], [1.0, 2.0])
    ]


@case(graph=False)
def values_readonly_raises():
    def f(s):
        v = s.to_numpy()
        v[0] = 10.0
        return s.sum()

    return f, [(pd.Series([1.0, 2.0, 3.0 + i]),) for i in range(3)]


@case()
def shared_frame_two_objects():
    base = sales(0)

    class View:
        def __init__(self, df):
            self.df = df

        def bump(self, k):
            self.df["price"] = self.df["price"] + k
            return self.df["price"].max()

    a, b = View(base), View(base)

    def f(k):
        return a.bump(k) + b.bump(2 * k)

    return f, [(1.0,), (2.0,), (np.float64(0.5),)], lambda: base


@case()
def series_kept_and_later_changed():
    class Keep:
        def __init__(self):
            self.s = None

        def run(self, x):
            r = 0.0 if self.s is None else self.s.sum()
            self.s = pd.Series(x)
            return r

    k = Keep()
    x = np.arange(3.0)

    def f(v):
        x[0] = v
        return k.run(x)

    return f, [(1.0,), (2.0,), (3.0,)], lambda: k.s


@case(graph=False)
def not_fitted_caught():
    clf = linear_model.LinearRegression()

    def f(X, y):
        try:
            p = clf.predict(X)
        except NotFittedError:
            clf.fit(X, y)
            p = clf.predict(X)
        return p.round(8)

    return f, data(8, 8, 10)


@case()
def own_classifier_nearest_centroid():
    class Nearest(ClassifierMixin, BaseEstimator):
        def __init__(self, p=2):
            self.p = p

        def fit(self, X, y):
            self.classes_ = np.unique(y)
            self.centroids_ = np.array([X[y == c].mean(axis=0) for c in self.classes_])
            return self

        def predict(self, X):
            d = np.linalg.norm(X[:, None] - self.centroids_[None], ord=self.p, axis=2)
            return self.classes_[d.argmin(axis=1)]

    m = Nearest()

    def f(X, y):
        return m.fit(X, y).predict(X), m.score(X, y)

    return f, data(10, 10, 14), lambda: m.centroids_


@case()
def undefined_metric_warns():
    def f(y, p):
        return metrics.precision_score(y, p), metrics.recall_score(y, p)

    return f, [(np.array([0, 1, 1]), np.array(p)) for p in ([0, 1, 1], [0, 0, 0], [0, 1, 0], [0, 0, 0])]


@case()
def metrics_of_constants_warn():
    def f(x, y):
        score = metrics.precision_score([0, 1, 1], [0, 0, 0])
        return x * score if x.sum() < 0 else x + metrics.recall_score([0, 0], [0, 1]), y

    return f, [(np.array(x), "y") for x in ([-1.0, 0.5], [-1.0, -0.5], [1.0, 2.0], [1.0, 1.0])]


@case()
def partial_fit_stream_self():
    class Stream:
        def __init__(self):
            self.clf = linear_model.SGDClassifier(random_state=0)
            self.acc = []
            self.seen = 0

        def step(self, X, y):
            if self.seen:
                self.acc.append(float((self.clf.predict(X) == y).mean()))
            self.clf.partial_fit(X, y, classes=np.array([0, 1]))
            self.seen += len(y)
            return self.clf.coef_.round(6)

    s = Stream()
    return lambda X, y: s.step(X, y), data(8, 8, 8, 10), lambda: (s.acc, s.seen, s.clf.coef_, s.clf.t_)


@case(graph=False)
def scaler_copy_false():
    def f(X):
        s = preprocessing.StandardScaler(copy=False)
        Z = s.fit_transform(X)
        return Z.sum(axis=0).round(8), X[0]

    return f, [(X.copy(),) for X, _ in data(6, 6, 8)]


@case()
def pil_alpha_state():
    class Compositor:
        def __init__(self):
            self.bg = Image.new("RGBA", (4, 4), (0, 0, 0, 255))
            self.layers = 0

        def add(self, arr, alpha):
            a = np.dstack([arr, np.full(arr.shape[:2], alpha, np.uint8)])
            self.bg = Image.alpha_composite(self.bg, Image.fromarray(a, "RGBA"))
            self.layers += 1
            return np.asarray(self.bg)[..., :3].mean()

    c = Compositor()
    return (
        lambda x, a: c.add(x, a),
        [(x, a) for (x,), a in zip(pics(4, 4, 4), (128, 64, 255), strict=True)],
        lambda: (c.bg, c.layers),
    )


class Prices(pd.DataFrame):
    """A class of the user's that is a DataFrame."""

    @property
    def _constructor(self):
        return Prices

    def highest(self, window):
        return self["close"].rolling(window, min_periods=1).max()

    def add_range(self, x):
        high = self.highest(2)
        self["range"] = np.where(high != x, (high - self.close) / high, 0.0) * -100
        return self["range"].sum() + self.close.sum()


@case()
def class_made_of_a_dataframe():
    prices = Prices({"close": [1.0, 3.0, 2.0]})

    def f(x):
        return prices.add_range(x[0]), prices.highest(2).to_numpy() * x[0]

    return f, arrays(2, 2, 3), lambda: prices.to_dict()
