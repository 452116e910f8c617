"""The rules of the distributions of vectors of `scipy.stats`: the normal one and Dirichlet's."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

Rule = Callable[..., Any]


def rule_of_vectors(owner: Any, method: str) -> Rule | None:
    """The rule of a method of a distribution of vectors, or None."""
    stats = sys.modules["scipy.stats"]
    if owner is stats.multivariate_normal:
        return _normal_entropy if method == "entropy" else _of_density(_normal, method)
    return _of_density(_dirichlet, method) if owner is stats.dirichlet else None


def _of_density(rule: Callable[..., Any], method: str) -> Rule | None:
    """The rule of a density or its logarithm, from `rule(g, x, *args, **named)` of the logarithm. None for others."""
    if method == "logpdf":
        return lambda g, out, *args, **named: rule(g, *args, **named)
    return (lambda g, out, *args, **named: rule(g * out, *args, **named)) if method == "pdf" else None


def _normal(g: Any, x: Any, mean: Any = None, cov: Any = 1, allow_singular: Any = False) -> Any:
    """Petersen and Pedersen, The Matrix Cookbook, 2012: 8.1 and 9.1. The covariance is a symmetric matrix. One that may
    be singular has a density on a subspace, and no derivative out of it."""
    if np.ndim(cov) != 2 or np.ndim(mean) != 1 or np.ndim(x) == 0:
        return NotImplemented
    g = np.expand_dims(g, -1)
    inverse = np.linalg.pinv(cov, hermitian=True) if allow_singular else np.linalg.inv(cov)
    weighted = np.subtract(x, mean) @ inverse
    by_cov = NotImplemented
    if not allow_singular:
        products = np.expand_dims(g * weighted, -1) * np.expand_dims(weighted, -2)
        by_cov = (np.sum(products, axis=tuple(range(np.ndim(products) - 2))) - np.sum(g) * inverse) / 2
    return -g * weighted, g * weighted, by_cov, None, {"mean": g * weighted, "cov": by_cov}


def _normal_entropy(g: Any, out: Any, mean: Any = None, cov: Any = 1) -> Any:
    """Half of the logarithm of the determinant, and a constant."""
    if np.ndim(cov) != 2:
        return NotImplemented
    by_cov = g * np.linalg.inv(cov) / 2
    return None, by_cov, {"mean": None, "cov": by_cov}


def _dirichlet(g: Any, x: Any, alpha: Any) -> Any:
    if np.ndim(x) != 1 or np.shape(x) != np.shape(alpha):
        return NotImplemented
    psi = sys.modules["scipy.special"].psi
    by_alpha = g * (np.log(x) - psi(alpha) + psi(np.sum(alpha)))
    return g * (alpha - 1) / x, by_alpha, {"alpha": by_alpha}
