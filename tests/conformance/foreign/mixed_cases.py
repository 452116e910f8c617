"""Objects of libraries where arrays, numbers, loops, branches and state meet them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import scipy.integrate
import scipy.optimize
import scipy.sparse
import scipy.sparse.linalg
import scipy.special
import tracefn
from scipy import ndimage, signal, stats
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.linear_model import LinearRegression

from .harness import arrays, case


def _frame(shift: float = 0.0, n: int = 4) -> Any:
    return pd.DataFrame({"a": np.arange(n * 1.0) + shift, "b": np.ones(n), "g": (["u", "v"] * n)[:n]})


def _frames() -> list[tuple[Any, ...]]:
    return [(_frame(float(i)),) for i in range(3)]


@case()
def operators_of_series() -> Any:
    def f(x: Any, s: Any) -> Any:
        return x + s, s - x, np.add(x, s), (x * s).sum(), -s, abs(s), s**2, x @ s, s @ x, x < s, x == s

    return f, [(np.arange(3.0), pd.Series([1.0, 2.0, i])) for i in range(3)]


@case()
def numpy_of_series() -> Any:
    def f(x: Any, s: Any) -> Any:
        joined = np.concatenate([s, x])
        return np.where(s > 1, x, 0.0), joined, np.mean(s), np.stack([s, x]), np.maximum(s, x), np.array(s) * 2

    return f, [(np.arange(3.0), pd.Series([1.0, 2.0, i])) for i in range(3)]


@case()
def index_by_series() -> Any:
    def f(x: Any, s: Any) -> Any:
        return x[s > 0].sum(), x[np.asarray(s > 0)]

    return f, [(np.arange(3.0), pd.Series([1.0, -2.0, 2.0 - i])) for i in range(4)]


@case()
def numbers_of_frame() -> Any:
    def f(df: Any) -> Any:
        total = float(df.a.sum())
        if df.empty:
            return 0.0, 1
        if total > 8:
            total = total * 2
        return total, int(df.a.iloc[0]) + len(df)

    return f, _frames()


@case()
def groups() -> Any:
    def f(df: Any) -> Any:
        total = 0.0
        for _, group in df.groupby("g"):
            total = total + group.a.max() * len(group)
        return total

    return f, _frames()


@case()
def columns() -> Any:
    def f(df: Any) -> Any:
        total = 0.0
        for name in ["a", "b"]:
            total = total + df[name].mean()
        return total, list(df.columns)

    return f, _frames()


@case()
def rows() -> Any:
    def f(df: Any) -> Any:
        total = 0.0
        for _, row in df.iterrows():
            total = total + row["a"] * row["b"]
        return total

    return f, _frames()


@case()
def same_frame_returned() -> Any:
    seen: list[Any] = []

    def f(df: Any) -> Any:
        df["c"] = df.a * 2
        return df

    def check() -> Any:
        return len(seen)

    return f, _frames(), check


@case()
def series_in_containers() -> Any:
    def f(x: Any) -> Any:
        parts = {"one": pd.Series(x), "two": [pd.Series(x * 2), x]}
        return parts

    return f, arrays(3, 3, 4)


@case()
def model_kept_in_self() -> Any:
    class Model:
        def __init__(self) -> None:
            self.model: Any = None
            self.count = 0

        def run(self, X: Any) -> Any:
            if self.model is None:
                self.model = LinearRegression().fit(X, X[:, 0])
            self.count += 1
            return self.model.predict(X) + self.count

    model = Model()
    rng = np.random.default_rng(0)
    return lambda X: model.run(X), [(rng.normal(size=(5, 2)),) for _ in range(4)], lambda: model.count


class Centred(TransformerMixin, BaseEstimator):
    """An estimator of the user's own."""

    def fit(self, X: Any, y: Any = None) -> Any:
        self.mean_ = X.mean(axis=0)
        return self

    def transform(self, X: Any) -> Any:
        return X - self.mean_


@case()
def own_estimator() -> Any:
    def f(X: Any) -> Any:
        model = Centred()
        return model.fit(X).transform(X) * 2

    rng = np.random.default_rng(0)
    return f, [(rng.normal(size=(5, 2)),) for _ in range(3)]


@case()
def own_estimator_by_the_library() -> Any:
    def f(X: Any) -> Any:
        return Centred().fit_transform(X) * 2

    rng = np.random.default_rng(0)
    return f, [(rng.normal(size=(5, 2)),) for _ in range(3)]


@case()
def inner_traced_function() -> Any:
    inner = tracefn.function(lambda x: signal.detrend(x) * pd.Series(x).sum())

    def f(x: Any) -> Any:
        return inner(x * 2) + inner(x)

    return f, arrays(4, 4, 6)


@case()
def inner_gives_series() -> Any:
    inner = tracefn.function(lambda x: pd.Series(x).cumsum())

    def f(x: Any) -> Any:
        return inner(x).iloc[-1] + inner(x * 2).to_numpy()

    return f, arrays(4, 4, 6)


@case()
def callback_of_a_traced_function() -> Any:
    loss = tracefn.function(lambda p: ((p - 2) ** 2).sum())

    def f(x: Any) -> Any:
        return scipy.optimize.minimize(loss, x).x.round(3)

    return f, arrays(2, 2, 3)


@case(graph=False)
def callback_that_counts() -> Any:
    def f(x: Any) -> Any:
        count = 0

        def loss(p: Any) -> Any:
            nonlocal count
            count += 1
            return ((p - 2) ** 2).sum()

        found = scipy.optimize.minimize(loss, x)
        return found.x.round(3), count

    return f, arrays(2, 2, 2)


@case(graph=False)
def callback_that_collects() -> Any:
    def f(x: Any) -> Any:
        seen = []

        def loss(p: Any) -> Any:
            seen.append(p.sum())
            return ((p - 2) ** 2).sum()

        found = scipy.optimize.minimize(loss, x)
        return found.x.round(3), len(seen), seen[0]

    return f, arrays(2, 2, 2)


@case()
def callback_that_raises() -> Any:
    def f(x: Any) -> Any:
        def rate(t: Any, y: Any) -> Any:
            if y[0] > 50:
                raise ValueError("too large")
            return y

        return scipy.integrate.solve_ivp(rate, (0, 1), x).y[:, -1]

    return f, [(np.ones(2),), (np.full(2, 2.0),), (np.full(2, 49.0),), (np.ones(2),)]


@case()
def callback_with_traced_weights() -> Any:
    def f(df: Any, w: Any) -> Any:
        scale = w.sum()
        return df[["a", "b"]].apply(lambda c: (c * w).sum() / scale).to_numpy()

    return f, [(_frame(float(i)), np.arange(1.0, 5.0) + i) for i in range(3)]


@case()
def linear_operator() -> Any:
    def f(A: Any, b: Any) -> Any:
        operator = scipy.sparse.linalg.LinearOperator((3, 3), matvec=lambda v: A @ v)
        x, info = scipy.sparse.linalg.cg(operator, b)
        return x.round(6), info

    rng = np.random.default_rng(0)
    return f, [(np.diag(rng.uniform(1, 2, 3)), rng.normal(size=3)) for _ in range(3)]


@case(graph=False)
def series_of_an_array_that_is_written() -> Any:
    def f(x: Any) -> Any:
        s = pd.Series(x)
        x[0] = 100.0
        return s.sum() + x.sum()

    return f, arrays(3, 3, 4)


@case(graph=False)
def sparse_view_that_is_written() -> Any:
    def f(x: Any) -> Any:
        matrix = scipy.sparse.csr_matrix((x, np.array([0, 1, 2]), np.array([0, 1, 2, 3])), shape=(3, 3))
        x[0] = 100.0
        return matrix.sum() + x.sum()

    return f, arrays(3, 3, 3)


@case(graph=False)
def data_of_sparse_is_written() -> Any:
    matrix = scipy.sparse.csr_matrix(np.eye(3))

    def f(x: Any) -> Any:
        matrix.data[:] = x
        return matrix @ x

    return f, arrays(3, 3, 3), lambda: matrix


@case()
def result_is_written() -> Any:
    def f(x: Any) -> Any:
        y = ndimage.gaussian_filter1d(x, 1.0)
        y[0] = 7.0
        y += 1
        return y

    return f, arrays(3, 3, 4)


@case()
def draws_before_and_after() -> Any:
    rng = np.random.RandomState(3)

    def f(x: Any) -> Any:
        a = rng.normal(size=3)
        b = signal.detrend(a + x)
        return b + rng.normal(size=3), stats.norm.rvs(size=2, random_state=rng)

    return f, arrays(3, 3, 3)


@case()
def text_of_results() -> Any:
    def f(x: Any) -> Any:
        s = pd.Series(x.round(2))
        return f"mean {s.mean():.2f} of {len(s)}", str(s.max())

    return f, arrays(3, 3, 4)


@case()
def text_of_objects() -> Any:
    def f(x: Any) -> Any:
        return f"{pd.Series(x.round(2))}"

    return f, arrays(3, 3, 4)


@case()
def count_of_self() -> Any:
    class Filter:
        def __init__(self) -> None:
            self.zi = signal.lfilter_zi([1.0, 0.5], [1.0, -0.5])
            self.steps = 0

        def run(self, x: Any) -> Any:
            y, self.zi = signal.lfilter([1.0, 0.5], [1.0, -0.5], x, zi=self.zi)
            self.steps += len(x)
            return y

    kept = Filter()
    return lambda x: kept.run(x), arrays(4, 4, 5, 4), lambda: (kept.zi, kept.steps)


@case()
def error_after_state() -> Any:
    class Solver:
        def __init__(self) -> None:
            self.calls = 0

        def run(self, A: Any) -> Any:
            self.calls += 1
            return scipy.linalg.solve(A, np.ones(2))

    solver = Solver()
    calls = [np.eye(2), np.eye(2) * 2, np.zeros((2, 2)), np.eye(2)]
    return lambda A: solver.run(A), [(A,) for A in calls], lambda: solver.calls


@case()
def error_after_write() -> Any:
    def f(A: Any, b: Any) -> Any:
        b += 1
        return scipy.linalg.solve(A, b)

    return f, [(A, np.ones(2)) for A in (np.eye(2), np.eye(2) * 2, np.zeros((2, 2)), np.eye(2))]


@case(graph=False)
def warning_once() -> Any:
    def f(x: Any) -> Any:
        with warnings.catch_warnings(record=True):
            return stats.zscore(x)

    return f, [(np.arange(3.0),), (np.ones(3),)]


@case()
def types_that_change() -> Any:
    def f(df: Any) -> Any:
        return df.a.to_numpy() + 1, df.a.sum()

    integers = _frame()
    integers["a"] = [1, 2, 3, 4]
    return f, [(_frame(),), (integers,), (_frame(n=6),), (_frame(),)]


@case()
def masked_argument() -> Any:
    def f(m: Any) -> Any:
        return m.mean(), m.filled(0.0) * 2

    return f, [(np.ma.masked_less(np.arange(4.0) - i, 0),) for i in range(3)]


@case()
def isinstance_of_objects() -> Any:
    def f(data: Any) -> Any:
        if isinstance(data, pd.DataFrame):
            data = data["a"]
        if isinstance(data, pd.Series):
            data = data.to_numpy()
        return np.asarray(data) * 2

    return f, [(_frame(),), (pd.Series([1.0, 2.0]),), (np.arange(3.0),), (_frame(1.0),)]


@case()
def ufunc_with_out() -> Any:
    def f(x: Any) -> Any:
        y = np.empty_like(x)
        scipy.special.expit(x, out=y)
        return y

    return f, arrays(3, 3, 4)


@case()
def polynomial_of_numpy() -> Any:
    def f(x: Any) -> Any:
        p = np.poly1d([1.0, 2.0])
        return p(x) + np.polynomial.Polynomial([1.0, 2.0])(x)

    return f, arrays(3, 3, 4)


@case()
def datetime_results() -> Any:
    def f(df: Any) -> Any:
        times = pd.to_datetime(df.a, unit="D")
        return times.dt.day.to_numpy(), times.iloc[0], times.max() - times.min()

    return f, _frames()


@case()
def many_results() -> Any:
    def f(x: Any) -> Any:
        values = pd.Series(x).tolist()
        return values[3], sum(values), len(values), values

    return f, arrays(100, 100, 120)


@case()
def frame_with_traced_value() -> Any:
    def f(df: Any, t: Any) -> Any:
        return df[df.a > t].b.sum(), df.a.clip(upper=t).to_numpy(), df.loc[0, "a"] + t

    return f, [(_frame(), np.float64(t)) for t in (0.5, 1.5, 2.5)]


@case()
def python_number_argument() -> Any:
    def f(x: Any, sigma: Any) -> Any:
        return ndimage.gaussian_filter1d(x, sigma)

    return f, [(np.arange(5.0), s) for s in (1.0, 1.0, 2.0)]


@case(graph=False)
def context_of_pandas() -> Any:
    def f(df: Any) -> Any:
        with pd.option_context("mode.copy_on_write", True):
            return df.a.sum() * 2

    return f, _frames()
