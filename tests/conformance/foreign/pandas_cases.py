"""pandas as people call it: frames and series made inside, passed as arguments, and kept outside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .harness import arrays, case


def _frame(shift: float = 0.0) -> Any:
    return pd.DataFrame({"a": np.arange(4.0) + shift, "b": np.ones(4), "g": ["u", "v", "u", "v"]})


@case()
def rolling() -> Any:
    def f(x: Any) -> Any:
        return pd.Series(x).rolling(2).mean().to_numpy() * 2

    return f, arrays(5, 5, 7)


@case()
def ewm() -> Any:
    def f(x: Any) -> Any:
        s = pd.Series(x)
        return s.ewm(span=3).mean().values[-1], s.max() - s.min(), s.iloc[0]

    return f, arrays(5, 5, 7)


@case()
def returns_series() -> Any:
    def f(x: Any) -> Any:
        return pd.Series(x * 2, name="double")

    return f, arrays(5, 5, 7)


@case()
def log_of_series() -> Any:
    def f(s: Any) -> Any:
        return np.log(s + 1)

    return f, [(pd.Series(np.arange(n * 1.0)),) for n in (3, 3, 4)]


@case()
def asarray_of_series() -> Any:
    def f(s: Any) -> Any:
        x = np.asarray(s)
        return x.sum() + len(s), s.shape

    return f, [(pd.Series(np.arange(n * 1.0)),) for n in (3, 3, 4)]


@case()
def frame_argument() -> Any:
    def f(df: Any) -> Any:
        return df.a.sum() + (df["b"] * 2).mean(), df[["a", "b"]].to_numpy() @ np.ones(2)

    return f, [(_frame(),), (_frame(1.0),), (_frame(2.0),)]


@case()
def frame_changed_between_calls() -> Any:
    df = _frame()

    def f(x: Any) -> Any:
        result = df.a.sum() * x, len(df), df.shape
        return result

    def change() -> Any:
        df.loc[0, "a"] += 100
        df.loc[len(df)] = [1.0, 2.0, "w"]
        return df

    return f, arrays(2, 2, 2), change


@case()
def frame_written() -> Any:
    df = _frame()

    def f(x: Any) -> Any:
        df["c"] = x * 2
        df["a"] += 1
        return df["c"].sum() + df.a.sum()

    return f, arrays(4, 4, 4), lambda: df


@case()
def groupby() -> Any:
    def f(df: Any, x: Any) -> Any:
        sums = df.assign(c=x).groupby("g").c.sum()
        return sums.to_numpy(), sums["u"]

    return f, [(_frame(), np.arange(4.0) * i) for i in range(3)]


@case()
def groupby_mean_frame() -> Any:
    def f(df: Any) -> Any:
        return df.groupby("g").mean()

    return f, [(_frame(float(i)),) for i in range(3)]


@case()
def masks() -> Any:
    def f(df: Any) -> Any:
        picked = df[df.a > 1]
        return picked.b.sum(), picked.a.to_numpy().sum()

    return f, [(_frame(float(i)),) for i in range(3)]


@case()
def frame_from_columns() -> Any:
    def f(x: Any) -> Any:
        df = pd.DataFrame({"x": x, "y": x**2})
        df["z"] = df.x + df.y
        return df.describe().loc["mean"].to_numpy(), df.z.iloc[-1], df.corr().to_numpy()

    return f, arrays(5, 5, 7)


@case()
def apply_function() -> Any:
    def f(df: Any) -> Any:
        return df[["a", "b"]].apply(lambda column: column.sum() * 2).to_numpy()

    return f, [(_frame(float(i)),) for i in range(3)]


@case()
def dates() -> Any:
    def f(x: Any) -> Any:
        s = pd.Series(x, index=pd.date_range("2024-01-01", periods=len(x), freq="D"))
        return s.resample("2D").sum().to_numpy()

    return f, arrays(6, 6, 6)


@case()
def cut() -> Any:
    def f(x: Any) -> Any:
        return pd.cut(x, bins=[-10, 0, 10], labels=False), pd.factorize(np.sign(x))[0]

    return f, arrays(5, 5, 5)


@case()
def merge() -> Any:
    def f(df: Any) -> Any:
        other = pd.DataFrame({"g": ["u", "v"], "w": [1.0, 2.0]})
        return df.merge(other, on="g").w.to_numpy().sum()

    return f, [(_frame(float(i)),) for i in range(3)]


@case(graph=False)
def missing_column() -> Any:
    def f(df: Any) -> Any:
        return df["nothing"].sum()

    return f, [(_frame(),), (_frame(1.0),)]


@case()
def self_frame() -> Any:
    class Log:
        def __init__(self) -> None:
            self.frame = pd.DataFrame({"v": [0.0]})

        def add(self, x: Any) -> Any:
            self.frame = pd.concat([self.frame, pd.DataFrame({"v": [x.sum()]})], ignore_index=True)
            return self.frame.v.mean()

    log = Log()
    return lambda x: log.add(x), arrays(2, 2, 2), lambda: log.frame
