"""The rules of the distributions of `scipy.stats`: by their values, shapes, `loc` and `scale`, and by probabilities.

The logarithms of densities are those that `scipy.stats` documents for each distribution, at `y = (x - loc) / scale`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ...trace import provided
from .vectors import rule_of_vectors

Rule = Callable[..., Any]


def _psi(x: Any) -> Any:
    return sys.modules["scipy.special"].psi(x)


DENSITIES: dict[str, tuple[Callable[..., Any], ...]] = {
    "norm": (lambda y: -y,),
    "expon": (lambda y: -1.0,),
    "laplace": (lambda y: -np.sign(y),),
    "logistic": (lambda y: -np.tanh(y / 2),),
    "cauchy": (lambda y: -2 * y / (1 + y * y),),
    "gumbel_r": (lambda y: np.exp(-y) - 1,),
    "gumbel_l": (lambda y: 1 - np.exp(y),),
    "uniform": (lambda y: 0.0,),
    "halfnorm": (lambda y: -y,),
    "rayleigh": (lambda y: 1 / y - y,),
    "gamma": (lambda y, a: (a - 1) / y - 1, lambda y, a: np.log(y) - _psi(a)),
    "invgamma": (lambda y, a: (1 / y - a - 1) / y, lambda y, a: -np.log(y) - _psi(a)),
    "chi2": (lambda y, df: (df / 2 - 1) / y - 0.5, lambda y, df: (np.log(y / 2) - _psi(df / 2)) / 2),
    "beta": (
        lambda y, a, b: (a - 1) / y - (b - 1) / (1 - y),
        lambda y, a, b: np.log(y) - _psi(a) + _psi(a + b),
        lambda y, a, b: np.log1p(-y) - _psi(b) + _psi(a + b),
    ),
    "t": (
        lambda y, df: -(df + 1) * y / (df + y * y),
        lambda y, df: (
            (_psi((df + 1) / 2) - _psi(df / 2) - 1 / df - np.log1p(y * y / df) + (df + 1) * y * y / (df * (df + y * y)))
            / 2
        ),
    ),
    "lognorm": (lambda y, s: -(1 + np.log(y) / s**2) / y, lambda y, s: np.log(y) ** 2 / s**3 - 1 / s),
    "pareto": (lambda y, b: -(b + 1) / y, lambda y, b: 1 / b - np.log(y)),
    "weibull_min": (
        lambda y, c: (c - 1) / y - c * y ** (c - 1),
        lambda y, c: 1 / c + np.log(y) * (1 - y**c),
    ),
}
"""The derivatives of the logarithms of densities by `y` and by the shapes."""

MASSES: dict[str, tuple[Callable[..., Any] | None, ...]] = {
    "poisson": (lambda k, mu: k / mu - 1,),
    "bernoulli": (lambda k, p: k / p - (1 - k) / (1 - p),),
    "geom": (lambda k, p: 1 / p - (k - 1) / (1 - p),),
    "binom": (None, lambda k, n, p: k / p - (n - k) / (1 - p)),
    "nbinom": (None, lambda k, n, p: n / p - k / (1 - p)),
}
"""The derivatives of the logarithms of probabilities by the shapes; None for numbers of trials."""


def rule_of_method(owner: Any, method: str) -> Rule | None:
    """The rule of a method of a distribution, also of a frozen one, or None."""
    stats = sys.modules.get("scipy.stats")
    if stats is not None and (of_vectors := rule_of_vectors(owner, method)) is not None:
        return of_vectors
    distribution = getattr(owner, "dist", owner)
    name = getattr(distribution, "name", None)
    if stats is None or not isinstance(name, str) or type(getattr(stats, name, None)) is not type(distribution):
        return None
    found: Rule | None = None
    if name in MASSES and method in ("logpmf", "pmf"):
        found = _of_mass(distribution, MASSES[name], is_log=method == "logpmf")
    elif name == "poisson" and method in _BY_VALUE:
        found = _of_counts(distribution, _BY_VALUE[method])
    elif name in DENSITIES and method in ("logpdf", "pdf"):
        found = _of_density(distribution, DENSITIES[name], is_log=method == "logpdf")
    elif isinstance(distribution, stats.rv_continuous) and method in _BY_VALUE:
        found = _of_probability(distribution, _BY_VALUE[method])
    elif isinstance(distribution, stats.rv_continuous) and method in ("ppf", "isf"):
        found = _of_quantile(distribution, 1 if method == "ppf" else -1)
    return found if found is None or owner is distribution else _of_frozen(owner, found)


def _of_frozen(frozen: Any, rule: Rule) -> Rule:
    return lambda g, out, x: rule(g, out, x, *frozen.args, **frozen.kwds)[:1]


def _of_density(distribution: Any, slopes: tuple[Callable[..., Any], ...], is_log: bool) -> Rule:
    def rule(g: Any, out: Any, x: Any, *args: Any, **named: Any) -> Any:
        shapes, loc, scale = distribution._parse_args(*args, **named)
        y = np.subtract(x, loc) / scale
        g = g if is_log else g * out
        inside = ~np.isneginf(out) if is_log else out > 0
        by_y, *by_shapes = [np.where(inside, g * slope(y, *shapes), 0) for slope in slopes]
        by_scale = -np.where(inside, g, 0) - y * by_y
        return _placed(distribution, args, named, by_y / scale, [*by_shapes, -by_y / scale, by_scale / scale])

    return rule


def _of_mass(distribution: Any, slopes: tuple[Callable[..., Any] | None, ...], is_log: bool) -> Rule:
    def rule(g: Any, out: Any, k: Any, *args: Any, **named: Any) -> Any:
        shapes, loc, _ = distribution._parse_args(*args, **named)
        g = g if is_log else g * out
        inside = ~np.isneginf(out) if is_log else out > 0
        parts = [
            NotImplemented if slope is None else np.where(inside, g * slope(np.subtract(k, loc), *shapes), 0)
            for slope in slopes
        ]
        return _placed(distribution, args, named, None, [*parts, NotImplemented])

    return rule


_BY_VALUE: dict[str, Callable[[Any, Any, Any], Any]] = {
    "cdf": lambda density, out, x: density,
    "sf": lambda density, out, x: -density,
    "logcdf": lambda density, out, x: density / np.exp(out),
    "logsf": lambda density, out, x: -density / np.exp(out),
}
"""The derivatives of probabilities by the value, given the density there."""


def _of_probability(distribution: Any, slope: Callable[[Any, Any, Any], Any]) -> Rule:
    """By `x`, `loc` and `scale`; not by shapes, for which few have a formula."""

    def rule(g: Any, out: Any, x: Any, *args: Any, **named: Any) -> Any:
        shapes, loc, scale = distribution._parse_args(*args, **named)
        density = provided.call_foreign(distribution.pdf, (x, *args), named)
        by_x = g * slope(density, out, x)
        parts = [*[NotImplemented] * len(shapes), -by_x, -by_x * np.subtract(x, loc) / scale]
        return _placed(distribution, args, named, by_x, parts)

    return rule


def _of_counts(distribution: Any, slope: Callable[[Any, Any, Any], Any]) -> Rule:
    """The rule of `cdf` and `sf` of counts by their mean: the probability of exactly `k` events, with a sign."""

    def rule(g: Any, out: Any, k: Any, *args: Any, **named: Any) -> Any:
        (mu,), loc, _ = distribution._parse_args(*args, **named)
        count = np.floor(np.subtract(k, loc))
        mass = provided.call_foreign(distribution.pmf, (count.tolist() if type(count) is np.ndarray else count, mu), {})
        return _placed(distribution, args, named, None, [-g * slope(mass, out, k), NotImplemented])

    return rule


def _of_quantile(distribution: Any, sign: int) -> Rule:
    """The rule of a quantile function, by probability, `loc` and `scale`: the derivative is the reciprocal density."""

    def rule(g: Any, out: Any, q: Any, *args: Any, **named: Any) -> Any:
        shapes, loc, scale = distribution._parse_args(*args, **named)
        density = provided.call_foreign(distribution.pdf, (out, *args), named)
        parts = [*[NotImplemented] * len(shapes), g, g * np.subtract(out, loc) / scale]
        return _placed(distribution, args, named, sign * g / density, parts)

    return rule


def _placed(distribution: Any, args: Any, named: Any, by_x: Any, parts: list[Any]) -> Any:
    """The cotangents of shapes, `loc` and `scale` where the call has them: by position and by name."""
    shapes = [name.strip() for name in (distribution.shapes or "").split(",") if name.strip()]
    by_name = dict(zip([*shapes, "loc", "scale"], parts, strict=False))
    return (by_x, *parts[: len(args)], {name: by_name.get(name) for name in named})
