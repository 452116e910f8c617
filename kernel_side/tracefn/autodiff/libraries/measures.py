"""The rules of `scipy.integrate`'s sums over samples, and of `scipy.spatial`'s distances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...ops.derivatives.common import safe
from ...ops.derivatives.cumulative import of_trapezoid
from .filters import by_matrix

Rule = Callable[..., Any]


def _trapezoid(g: Any, out: Any, y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    by_y, named = of_trapezoid(g, out, y, x, dx, axis)
    return by_y, named.get("x"), named.get("dx"), named


def _cumulative_trapezoid(g: Any, out: Any, y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1,
                          initial: Any = None) -> Any:  # fmt: skip
    """A trapezoid adds to all sums behind it."""
    if np.ndim(x) > 1:
        return NotImplemented
    g, y = np.moveaxis(g, axis, -1), np.moveaxis(y, axis, -1)
    g = g if initial is None else g[..., 1:]
    later = np.flip(np.cumsum(np.flip(g, -1), -1), -1)
    rest = [(0, 0)] * (np.ndim(y) - 1)
    halves = later * (dx if x is None else np.diff(x)) / 2
    by_y = np.pad(halves, [*rest, (0, 1)]) + np.pad(halves, [*rest, (1, 0)])
    by_y = np.moveaxis(by_y, -1, axis)
    if x is None:
        return (by_y,)
    areas = np.sum(np.reshape(later * (y[..., 1:] + y[..., :-1]) / 2, (-1, np.shape(x)[0] - 1)), 0)
    by_x = np.pad(areas, (1, 0)) - np.pad(areas, (0, 1))
    return by_y, by_x, {"x": by_x}


def _slopes(g: Any, distances: Any, metric: Any) -> Any:
    """The factors of differences of coordinates: 0 where the distance is 0. None for other metrics."""
    if metric == "sqeuclidean":
        return 2 * g
    return np.where(distances == 0, 0, g / safe(distances)) if metric == "euclidean" else None


def _cdist(g: Any, out: Any, XA: Any, XB: Any, metric: Any = "euclidean", **options: Any) -> Any:
    slopes = None if options else _slopes(g, out, metric)
    if slopes is None:
        return NotImplemented
    by_first = np.sum(slopes, 1)[:, np.newaxis] * XA - slopes @ XB
    return by_first, np.sum(slopes, 0)[:, np.newaxis] * XB - slopes.T @ XA


def _pdist(g: Any, out: Any, X: Any, metric: Any = "euclidean", **options: Any) -> Any:
    slopes = None if options else _slopes(g, out, metric)
    if slopes is None:
        return NotImplemented
    rows, columns = np.triu_indices(np.shape(X)[0], 1)
    parts = slopes[:, np.newaxis] * (X[rows] - X[columns])
    found = np.zeros_like(X)
    np.add.at(found, rows, parts)
    np.add.at(found, columns, -parts)
    return (found,)


def _between(metric: str) -> Rule:
    def rule(g: Any, out: Any, u: Any, v: Any, w: Any = None) -> Any:
        if w is not None or isinstance(u, list) or isinstance(v, list):
            return NotImplemented
        by_u = _slopes(g, out, metric) * (u - v)
        return by_u, -by_u

    return rule


def _cosine(g: Any, out: Any, u: Any, v: Any, w: Any = None) -> Any:
    if w is not None or isinstance(u, list) or isinstance(v, list):
        return NotImplemented
    lengths = np.sqrt(np.sum(u * u) * np.sum(v * v))
    by_u, by_v = (g * ((1 - out) * a / np.sum(a * a) - b / lengths) for a, b in ((u, v), (v, u)))
    return by_u, by_v


def _cityblock(g: Any, out: Any, u: Any, v: Any, w: Any = None) -> Any:
    if w is not None or isinstance(u, list) or isinstance(v, list):
        return NotImplemented
    by_u = g * np.sign(u - v)
    return by_u, -by_u


RULES: dict[str, Rule] = {
    "scipy.integrate.trapezoid": _trapezoid,
    "scipy.integrate.cumulative_trapezoid": _cumulative_trapezoid,
    "scipy.integrate.simpson": by_matrix("scipy.integrate.simpson", 0),
    "scipy.integrate.romb": by_matrix("scipy.integrate.romb", 0),
    "scipy.spatial.distance.cdist": _cdist,
    "scipy.spatial.distance.pdist": _pdist,
    "scipy.spatial.distance.euclidean": _between("euclidean"),
    "scipy.spatial.distance.cosine": _cosine,
    "scipy.spatial.distance.cityblock": _cityblock,
    "scipy.spatial.distance.sqeuclidean": _between("sqeuclidean"),
}
"""The rules by the names under which users reach the functions."""
