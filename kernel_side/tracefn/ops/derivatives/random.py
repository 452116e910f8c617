"""Derivatives of random draws by the parameters of their distributions: of the same luck with other parameters.

A draw is a function of its parameters and of numbers that do not depend on them (the reparametrization of Kingma and
Welling, Auto-encoding variational Bayes, 2014). Where NumPy's way to a draw is no such function of a parameter, as of
the shape of a gamma distribution, the derivative is not known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .matrices import decompositions

Rule = Callable[..., Any]


def _location_and_scale(g: Any, out: Any, generator: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    return None, {"loc": g, "scale": g * (out - loc) / scale}


def _scale(g: Any, out: Any, generator: Any, scale: Any = 1.0, size: Any = None) -> Any:
    return None, {"scale": g * out / scale}


def _lognormal(g: Any, out: Any, generator: Any, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
    return None, {"mean": g * out, "sigma": g * out * (np.log(out) - mean) / sigma}


def _uniform(g: Any, out: Any, generator: Any, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    share = (out - low) / (high - low)
    return None, {"low": g * (1 - share), "high": g * share}


def _gamma(g: Any, out: Any, generator: Any, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
    return None, NotImplemented, {"scale": g * out / scale}


def _power(g: Any, out: Any, generator: Any, a: Any, size: Any = None) -> Any:
    """Of a number raised to 1 / a."""
    return None, -g * out * np.log(out) / a


def _pareto(g: Any, out: Any, generator: Any, a: Any, size: Any = None) -> Any:
    return None, -g * (out + 1) * np.log1p(out) / a


def _vonmises(g: Any, out: Any, generator: Any, mu: Any, kappa: Any, size: Any = None) -> Any:
    return None, g, NotImplemented


def _triangular(g: Any, out: Any, generator: Any, left: Any, mode: Any, right: Any, size: Any = None) -> Any:
    """The square of the distance from the end on the draw's side is a share of a product of two lengths."""
    width = 2 * (right - left)
    below, above = (out - left) / width, (right - out) / width
    rise = np.where(out < mode, (out - left) / (2 * (mode - left)), 0)
    fall = np.where(out < mode, 0, (right - out) / (2 * (right - mode)))
    by_left = np.where(out < mode, 1 - below - rise, above)
    by_right = np.where(out < mode, below, 1 - above - fall)
    return None, g * by_left, g * (rise + fall), g * by_right


def _multivariate_normal(g: Any, out: Any, generator: Any, mean: Any, cov: Any, size: Any = None,
                         check_valid: Any = "warn", tol: Any = 1e-8, *, method: Any = "svd") -> Any:  # fmt: skip
    """The mean and a factor of the covariance times standard normal numbers."""
    g, off = (np.reshape(part, (-1, np.shape(cov)[-1])) for part in (g, out - mean))
    if method == "cholesky":
        factor = np.linalg.cholesky(cov)
        by_factor = np.tril(g.T @ np.linalg.solve(factor, off.T).T)
        return None, g, decompositions.cholesky(by_factor, factor, cov)[0]
    vectors, values, others = np.linalg.svd(cov) if method == "svd" else (*np.linalg.eigh(cov)[::-1], None)
    roots = np.sqrt(values)
    by_factor = g.T @ (off @ vectors / roots)
    by_values, by_vectors = np.sum(by_factor * vectors, axis=0) / (2 * roots), by_factor * roots
    if method == "svd":
        return None, g, decompositions.svd((by_vectors, by_values, None), (vectors, values, others), cov)[0]
    return None, g, decompositions.eigh((by_values, by_vectors), (values, vectors), cov)[0]


OF: dict[str, Rule] = {
    "exponential": _scale,
    "gamma": _gamma,
    "gumbel": _location_and_scale,
    "laplace": _location_and_scale,
    "logistic": _location_and_scale,
    "lognormal": _lognormal,
    "multivariate_normal": _multivariate_normal,
    "normal": _location_and_scale,
    "pareto": _pareto,
    "power": _power,
    "rayleigh": _scale,
    "triangular": _triangular,
    "uniform": _uniform,
    "vonmises": _vonmises,
    "weibull": _power,
}
"""The rules by the names of methods."""
