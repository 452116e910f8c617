"""Helpers of the rules of linear algebra: transposes, diagonals, and cotangents in the convention of the literature.

Formulas are written with cotangents of complex numbers that are conjugated, as the literature has them: those of the
engine are not (`Op`), so that a rule conjugates its cotangents and its results.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..common import conjugated, safe


def transposed(a: Any) -> Any:
    return np.swapaxes(a, -1, -2)


def adjoint(a: Any) -> Any:
    """The conjugate transpose."""
    return conjugated(transposed(a))


def hermitian(a: Any) -> Any:
    """The Hermitian part."""
    return (a + adjoint(a)) / 2


def times_columns(a: Any, s: Any) -> Any:
    """The columns of a matrix, each times its number."""
    return a * np.expand_dims(s, -2)


def identity_like(a: Any) -> Any:
    """Identity matrices in the shape and dtype of square ones."""
    return np.where(on_diagonal(a), np.ones_like(a), np.zeros_like(a))


def on_diagonal(a: Any) -> Any:
    """True on the diagonals of square matrices."""
    ones = np.ones_like(a, dtype=bool)
    return np.logical_and(np.tril(ones), np.triu(ones))


def as_diagonal(s: Any) -> Any:
    """Matrices with these numbers on their diagonals."""
    wide = np.expand_dims(s, -1) + np.zeros_like(np.expand_dims(s, -2))
    return np.where(on_diagonal(wide), wide, 0)


def inverse_gaps(values: Any) -> Any:
    """`1 / (values[j] - values[i])` at i, j; 0 where two are the same, as then nothing that has a derivative asks."""
    gaps = np.expand_dims(values, -2) - np.expand_dims(values, -1)
    return np.where(gaps == 0, 0, 1 / safe(gaps))


def in_conjugates(rule: Callable[..., Any]) -> Callable[..., Any]:
    """A rule that is written with conjugated cotangents."""

    @functools.wraps(rule)
    def unconjugated(g: Any, out: Any, *args: Any, **kwargs: Any) -> Any:
        given = tuple([_conjugate(p) for p in g]) if isinstance(g, tuple) else _conjugate(g)
        found = rule(given, out, *args, **kwargs)
        return found if found is NotImplemented else tuple([_conjugate(part) for part in found])

    return unconjugated


def _conjugate(part: Any) -> Any:
    return part if part is None or isinstance(part, dict) else conjugated(part)
