"""The rules of `scipy.stats`' summaries of samples, and of Rosenbrock's function."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ...trace import provided

Rule = Callable[..., Any]


def _along(rule: Callable[..., Any]) -> Rule:
    """The rule of a summary along an axis, without weights and the like, from one for which `out` and `g` have it."""

    def along(g: Any, out: Any, a: Any, axis: Any = 0, *args: Any, **options: Any) -> Any:
        if args or options or not isinstance(axis, int) or isinstance(a, list):
            return NotImplemented
        return (rule(np.expand_dims(g, axis), np.expand_dims(out, axis), a, axis),)

    return along


def _gmean(g: Any, out: Any, a: Any, axis: int) -> Any:
    return g * out / (np.shape(a)[axis] * a)


def _hmean(g: Any, out: Any, a: Any, axis: int) -> Any:
    return g * out * out / (np.shape(a)[axis] * a * a)


def _sem(g: Any, out: Any, a: Any, axis: int) -> Any:
    """The deviation of the sample over the root of its size."""
    count = np.shape(a)[axis]
    return g * (a - np.mean(a, axis=axis, keepdims=True)) / (out * count * (count - 1))


def _zscore(g: Any, out: Any, a: Any, axis: Any = 0, ddof: int = 0, *args: Any, **options: Any) -> Any:
    if args or options or not isinstance(axis, int):
        return NotImplemented
    less = np.sum(g * out, axis=axis, keepdims=True) / (np.shape(a)[axis] - ddof)
    return ((g - np.mean(g, axis=axis, keepdims=True) - out * less) / np.std(a, axis=axis, ddof=ddof, keepdims=True),)


def _moments(slope: Callable[..., Any]) -> Rule:
    """The rule of a quotient of central moments along an axis: `slope(distances, means of their powers, count, bias)`
    is its derivative by each element."""

    def rule(g: Any, out: Any, a: Any, axis: Any = 0, *args: Any, bias: bool = True, nan_policy: str = "propagate",
             keepdims: bool = False, **options: Any) -> Any:  # fmt: skip
        if args or nan_policy != "propagate" or not isinstance(axis, int) or isinstance(a, list):
            return NotImplemented
        distances = a - np.mean(a, axis=axis, keepdims=True)

        def mean(power: int) -> Any:
            return np.mean(distances**power, axis=axis, keepdims=True)

        g = g if keepdims else np.expand_dims(g, axis)
        return (g * slope(distances, mean, np.shape(a)[axis], bias, **options),)

    return rule


def _skew(d: Any, mean: Callable[[int], Any], n: Any, bias: bool) -> Any:
    """Of `mean(3) / mean(2)**1.5`."""
    m2, scale = mean(2), 1.0 if bias else np.sqrt(n * (n - 1)) / (n - 2)
    return scale * 3 / n * ((d * d - m2) / m2**1.5 - mean(3) * d / m2**2.5)


def _kurtosis(d: Any, mean: Callable[[int], Any], n: Any, bias: bool, fisher: bool = True) -> Any:
    """Of `mean(4) / mean(2)**2`."""
    m2, scale = mean(2), 1.0 if bias else (n * n - 1) / ((n - 2) * (n - 3))
    return scale * 4 / n * ((d**3 - mean(3)) / m2**2 - mean(4) * d / m2**3)


def _entropy(g: Any, out: Any, pk: Any, qk: Any = None, base: Any = None, axis: int = 0, **options: Any) -> Any:
    """The rule of the entropy of normalised probabilities, and of the Kullback-Leibler divergence of two of them."""
    if options or isinstance(pk, list) or isinstance(qk, list):
        return NotImplemented
    g, out = np.expand_dims(g, axis), np.expand_dims(out, axis)
    if base is not None:
        g, out = g / np.log(base), out * np.log(base)
    total = np.sum(pk, axis=axis, keepdims=True)
    if qk is None:
        return (g * (-np.log(pk / total) - out) / total,)
    others = np.sum(qk, axis=axis, keepdims=True)
    ratio = (pk / total) / (qk / others)
    by_p, by_q = g * (np.log(ratio) - out) / total, g * (1 - ratio) / others
    return by_p, by_q, {"qk": by_q}


def _optimizes(name: str, *args: Any) -> Any:
    """The result of a function of `scipy.optimize`, as a step of the graph."""
    return provided.call_foreign(getattr(sys.modules["scipy.optimize"], name), args, {})


def _rosen(g: Any, out: Any, x: Any) -> Any:
    return NotImplemented if np.ndim(x) != 1 else (g * _optimizes("rosen_der", x),)


def _rosen_der(g: Any, out: Any, x: Any) -> Any:
    return NotImplemented if np.ndim(x) != 1 else (_optimizes("rosen_hess_prod", x, g),)


def _rosen_hess_prod(g: Any, out: Any, x: Any, p: Any) -> Any:
    return NotImplemented, _optimizes("rosen_hess_prod", x, g)


RULES: dict[str, Rule] = {
    "scipy.stats.gmean": _along(_gmean),
    "scipy.stats.hmean": _along(_hmean),
    "scipy.stats.sem": _along(_sem),
    "scipy.stats.zscore": _zscore,
    "scipy.stats.skew": _moments(_skew),
    "scipy.stats.kurtosis": _moments(_kurtosis),
    "scipy.stats.entropy": _entropy,
    "scipy.optimize.rosen": _rosen,
    "scipy.optimize.rosen_der": _rosen_der,
    "scipy.optimize.rosen_hess_prod": _rosen_hess_prod,
}
"""The rules by the names under which users reach the functions."""
