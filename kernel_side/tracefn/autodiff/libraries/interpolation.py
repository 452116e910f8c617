"""The rules of the interpolators of `scipy.interpolate` that a traced function makes and calls.

The results of most are linear in the values that they interpolate. The cotangent of an interpolator is that of its
values: a call adds the cotangent of its result, by the matrix of the interpolators of unit vectors.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ...records import dataclass
from ...trace import provided
from ...trace.foreign import called_object
from .images import constant

Rule = Callable[..., Any]


_VALUES = {
    "CubicSpline": "y",
    "make_interp_spline": "y",
    "InterpolatedUnivariateSpline": "y",
    "BSpline": "c",
    "interp1d": "y",
    "RegularGridInterpolator": "values",
    "LinearNDInterpolator": "values",
    "NearestNDInterpolator": "y",
    "RBFInterpolator": "d",
}
"""The parameters of interpolators that are their values, in which they are linear."""


@dataclass(frozen=True, slots=True)
class Made:
    """An interpolator that a step of the graph has made, its class or maker, and the arguments by name."""

    maker: Callable[..., Any]
    given: dict[str, Any]
    itself: Any

    @property
    def name(self) -> str:
        return self.maker.__name__

    @property
    def values(self) -> Any:
        return self.given[_VALUES[self.name]]

    def at(self, *args: Any) -> Any:
        """The result of a call."""
        return _called(self.itself, *args)

    def matrix(self, units: Any, *args: Any, **options: Any) -> Any:
        """The result of a call of the interpolator with other values."""
        given = {**self.given, _VALUES[self.name]: units, **options}
        return _called(provided.call_foreign(self.maker, (), given), *args)


def _called(function: Any, *args: Any) -> Any:
    return provided.call_foreign(called_object, (function, *args), {}, reads=True)


def made(maker: Callable[..., Any], args: Any, kwargs: Any, itself: Any) -> Made:
    """An interpolator with all its arguments by name."""
    return Made(maker, dict(inspect.signature(maker).bind(*args, **kwargs).arguments), itself)


def _of_maker(name: str) -> Rule:
    def rule(g: Any, out: Any, *args: Any, **kwargs: Any) -> Any:
        names = list(inspect.signature(getattr(sys.modules["scipy.interpolate"], name)).parameters)
        parts = {n: g if n == _VALUES.get(name) else NotImplemented for n in names}
        return *[parts[n] for n in names[: len(args)]], {n: parts[n] for n in kwargs}

    return rule


def _units(count: Any, closes: bool = False) -> Any:
    """The unit vectors as columns. For a periodic function (`closes`), the last value is the first one."""
    eye = np.eye(count)
    if closes:
        eye = np.concatenate([eye[:-1], eye[:1]])
    return constant(eye) if type(eye) is np.ndarray else eye


def _by_values(g: Any, matrix: Any, values: Any) -> Any:
    """The cotangent of values. The last axis of the matrix is the value's number."""
    along = tuple(range(np.ndim(matrix) - 1))
    return np.reshape(np.tensordot(matrix, g, (along, along)), np.shape(values))


def _summed(g: Any, slope: Any, ndim: int) -> Any:
    """The cotangent of places, given the slopes of all functions there."""
    return np.sum(g * slope, axis=tuple(range(ndim, np.ndim(slope))))


def _spline(g: Any, out: Any, spline: Made, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
    """Splines know their derivatives."""
    given = spline.given
    if not isinstance(nu, int) or given.get("axis", 0) != 0:
        return NotImplemented
    by_places = _summed(g, spline.at(x, nu + 1, extrapolate), np.ndim(x))
    if spline.name not in _VALUES:
        return 0.0, by_places  # the rule of its maker refuses derivatives by the values
    count = np.shape(spline.values)[0]
    if spline.name == "InterpolatedUnivariateSpline":  # of one function
        matrix = np.stack([spline.matrix(constant(row), x, nu, extrapolate) for row in np.eye(count)], -1)
    else:
        ends = {"bc_type": _at_rest(given["bc_type"], count)} if "bc_type" in given else {}
        matrix = spline.matrix(_units(count, given.get("bc_type") == "periodic"), x, nu, extrapolate, **ends)
    return _by_values(g, matrix, spline.values), by_places


def _at_rest(ends: Any, count: Any) -> Any:
    """Boundary conditions of an interpolator of unit vectors: prescribed derivatives are 0."""
    if ends is None or isinstance(ends, str):
        return ends
    if isinstance(ends, tuple) and len(ends) == 2 and isinstance(ends[0], int):
        return ends[0], constant(np.zeros(count))
    return type(ends)([_at_rest(end, count) for end in ends])


def _within(knots: Any, x: Any) -> tuple[Any, Any]:
    """The knots around places."""
    knots = np.sort(knots)
    at = np.clip(np.searchsorted(knots, x, "right") - 1, 0, np.shape(knots)[0] - 2)
    return knots[at], knots[at + 1]


def _inside(knots: Any, x: Any, extrapolates: bool) -> Any:
    return True if extrapolates else np.logical_and(x >= np.min(knots), x <= np.max(knots))


_ORDERS = {"linear": 1, "slinear": 1, "quadratic": 2, "cubic": 3}


def _interp1d(g: Any, out: Any, line: Made, x: Any) -> Any:
    given = line.given
    kind, fill, ndim = given.get("kind", "linear"), given.get("fill_value"), np.ndim(line.values)
    if not isinstance(kind, str) or (ndim != 1 and given.get("axis", -1) != 0):
        return NotImplemented
    extrapolates = isinstance(fill, str)
    options = {"axis": 0} if extrapolates else {"axis": 0, "fill_value": 0.0, "bounds_error": False}
    by_values = _by_values(g, line.matrix(_units(np.shape(line.values)[0]), x, **options), line.values)
    if kind not in _ORDERS:
        return by_values, np.zeros_like(x)
    order = np.argsort(given["x"])
    of_order = (given["x"][order], line.values[order], _ORDERS[kind])
    spline = provided.call_foreign(sys.modules["scipy.interpolate"].make_interp_spline, of_order, {})
    by_places = _summed(g, _called(spline, x, 1), np.ndim(x))
    return by_values, np.where(_inside(given["x"], x, extrapolates), by_places, 0)


def _grid(g: Any, out: Any, grid: Made, xi: Any) -> Any:
    """Between the points of a grid a function is linear along each axis: its slope is that between the knots around."""
    given, points = grid.given, grid.given["points"]
    method, extrapolates = given.get("method", "linear"), given.get("fill_value", 0.0) is None
    if method == "pchip" or not isinstance(points, tuple | list) or isinstance(xi, tuple):
        return NotImplemented
    if isinstance(xi, list):
        xi = np.array(xi)
        xi = constant(xi) if type(xi) is np.ndarray else xi
    shape, count = np.shape(grid.values), len(points)
    if not all(isinstance(n, int) for n in shape[:count]):
        return NotImplemented
    size = int(np.prod(shape[:count]))
    options = {} if extrapolates else {"fill_value": 0.0, "bounds_error": False}
    units = constant(np.reshape(np.eye(size), (*shape[:count], size)))
    by_values = _by_values(g, grid.matrix(units, xi, **options), grid.values)
    if method not in ("linear", "nearest"):
        return by_values, NotImplemented
    if method == "nearest":
        return by_values, np.zeros_like(xi)
    return by_values, _by_corners(g, grid.at, points, xi, extrapolates)


def _by_corners(g: Any, function: Any, points: Any, xi: Any, extrapolates: bool) -> Any:
    places = [xi[..., i] for i in range(len(points))]
    parts = []
    for i, knots in enumerate(points):
        low, high = _within(knots, places[i])
        before, after = (np.stack([*places[:i], end, *places[i + 1 :]], -1) for end in (low, high))
        rise = _summed(g, function(after) - function(before), np.ndim(xi) - 1)
        parts.append(np.where(_inside(knots, places[i], extrapolates), rise / (high - low), 0))
    return np.stack(parts, -1)


def _scattered(g: Any, out: Any, scattered: Made, *args: Any) -> Any:
    """By the values alone."""
    options = {"fill_value": 0.0} if scattered.name == "LinearNDInterpolator" else {}
    matrix = scattered.matrix(_units(np.shape(scattered.values)[0]), *args, **options)
    return _by_values(g, matrix, scattered.values), *[NotImplemented for _ in args]


def _griddata(g: Any, out: Any, points: Any, values: Any, xi: Any, method: str = "linear", fill_value: Any = None,
              rescale: bool = False) -> Any:  # fmt: skip
    if method == "cubic":
        return NotImplemented
    function = sys.modules["scipy.interpolate"].griddata
    matrix = provided.call_foreign(function, (points, _units(np.shape(values)[0]), xi, method, 0.0, rescale), {})
    named = {"method": None, "fill_value": None, "rescale": None}
    return NotImplemented, _by_values(g, matrix, values), NotImplemented, None, None, None, named


CALLED: dict[str, Rule] = {
    **{
        f"scipy.interpolate.{name}": _spline
        for name in (
            "CubicSpline make_interp_spline InterpolatedUnivariateSpline BSpline PchipInterpolator "
            "Akima1DInterpolator UnivariateSpline"
        ).split()
    },
    "scipy.interpolate.interp1d": _interp1d,
    "scipy.interpolate.RegularGridInterpolator": _grid,
    **{
        f"scipy.interpolate.{name}": _scattered
        for name in ("LinearNDInterpolator", "NearestNDInterpolator", "RBFInterpolator")
    },
}
"""The rules of calls of interpolators, by the names of their classes or makers."""

RULES: dict[str, Rule] = {
    **{path: _of_maker(path.rpartition(".")[2]) for path in CALLED},
    "scipy.interpolate.griddata": _griddata,
}
"""The rules by the names under which users reach the functions."""
