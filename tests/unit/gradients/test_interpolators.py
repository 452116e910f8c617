"""Derivatives of interpolators, and of what libraries' objects keep, against central finite differences."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.interpolate
import scipy.optimize
import tracefn
from sklearn.linear_model import Ridge
from tracefn.errors import MissingDerivativeError
from unit.gradients.library_calls import MATRIX, X, check, gradient

interpolate = scipy.interpolate
PLACES = np.arange(5.0)
POINTS = np.cos(np.arange(18.0) ** 2).reshape(9, 2)
WITHIN = np.array([[0.1, 0.2], [-0.1, 0.3], [5.0, 5.0]])
GRID = (np.arange(3.0), np.arange(4.0))


def five(x):
    return np.concatenate([x, x[:2] ** 2])


def two(x):
    """Values of two functions at `PLACES`."""
    return np.stack([five(x), np.cos(five(x))], 1)


def on_grid(x):
    return np.outer(x, np.cos(np.arange(4.0)))


def nine(x):
    return np.outer(x, x).ravel()


CALLS = {
    "natural": lambda x: interpolate.CubicSpline(PLACES, two(x), bc_type="natural")(np.outer(x, x), 1),
    "names": lambda x: interpolate.CubicSpline(PLACES, y=five(x), bc_type=("clamped", "not-a-knot"))(x),
    "ends": lambda x: interpolate.CubicSpline(PLACES, two(x), bc_type=((1, np.ones(2)), (2, np.zeros(2))))(x * 4),
    "periodic": lambda x: interpolate.CubicSpline(GRID[1], np.append(x, x[0]), bc_type="periodic")(x * 5),
    "make": lambda x: interpolate.make_interp_spline(PLACES, two(x), 2)(x * 4),
    "make ends": lambda x: interpolate.make_interp_spline(PLACES, five(x), bc_type=([(1, 0.4)], [(2, 0.7)]))(x * 4),
    "coefficients": lambda x: interpolate.BSpline(np.array([0.0, 0, 0, 0, 2, 4, 4, 4, 4]), five(x), 3)(x * 4),
    "univariate": lambda x: interpolate.InterpolatedUnivariateSpline(PLACES, five(x))(x * 4),
    "lines": lambda x: interpolate.interp1d(PLACES, five(x), bounds_error=False, fill_value=(7.0, 3.0))(x * 9),
    "cubic lines": lambda x: interpolate.interp1d(PLACES, two(x), kind="cubic", axis=0)(x * 4),
    "beyond": lambda x: interpolate.interp1d(PLACES[::-1], five(x), "quadratic", fill_value="extrapolate")(x * 9),
    "steps": lambda x: interpolate.interp1d(PLACES, five(x), kind="nearest")(x * 4),
    "grid": lambda x: interpolate.RegularGridInterpolator(GRID, on_grid(x))(np.stack([x * 2, x * 3.3], -1)),
    "around a grid": lambda x: interpolate.RegularGridInterpolator(
        (GRID[0][::-1], GRID[1]), on_grid(x), bounds_error=False, fill_value=None
    )(np.stack([x * 4, x * 3.3], -1)),
    "off a grid": lambda x: interpolate.RegularGridInterpolator(GRID, on_grid(x), "linear", False, 2.0)(
        np.stack([x * 4, x * 3.3], -1)
    ),
    "smooth grid": lambda x: interpolate.RegularGridInterpolator(GRID, on_grid(x), "slinear")([[0.3, 0.4], [1.2, 1.7]]),
    "triangles": lambda x: interpolate.LinearNDInterpolator(POINTS, nine(x), fill_value=0.3)(WITHIN),
    "neighbours": lambda x: interpolate.NearestNDInterpolator(POINTS, nine(x))(WITHIN),
    "radial": lambda x: interpolate.RBFInterpolator(POINTS, nine(x), kernel="gaussian", epsilon=1.0)(WITHIN),
    "griddata": lambda x: interpolate.griddata(POINTS, nine(x), WITHIN, fill_value=0.2),
    "places alone": lambda x: interpolate.Akima1DInterpolator(PLACES, np.cos(PLACES))(x * 4),
}


@pytest.mark.parametrize("name", sorted(CALLS))
def test_interpolators_that_the_function_makes(name):
    check(CALLS[name], X)


def test_second_derivatives():
    """By values and places together."""
    for call in (CALLS["natural"], CALLS["cubic lines"], CALLS["grid"]):
        slopes = tracefn.grad(lambda x, call=call: np.sum(call(x) ** 2))
        found = tracefn.hessian(lambda x, call=call: np.sum(call(x) ** 2))(X)
        steps = [slopes(X + step) - slopes(X - step) for step in 1e-6 * np.eye(3)]
        np.testing.assert_allclose(found, np.stack(steps) / 2e-6, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: interpolate.PchipInterpolator(PLACES, five(x))(0.5),
        lambda x: interpolate.CubicSpline(np.cumsum(five(x)), PLACES)(0.9),
        lambda x: interpolate.RBFInterpolator(POINTS, POINTS[:, 0])(np.reshape(x[:2], (1, 2)))[0],
        lambda x: np.sum(interpolate.CubicSpline(PLACES, five(x)).c),
        lambda x: interpolate.CubicSpline(PLACES, five(x)).integrate(0.0, 1.0),
        lambda x: changed(interpolate.interp1d(PLACES, five(x), bounds_error=False), x)(9.0),
    ],
)
def test_other_derivatives_of_interpolators_are_not_known(call):
    with pytest.raises(MissingDerivativeError, match="scipy.interpolate"):
        tracefn.grad(call)(X)


def changed(line, x):
    line.fill_value = x[0]
    return line


def test_splines_by_their_places():
    places, values = np.arange(5.0), np.stack([np.arange(5.0) ** 2, np.cos(np.arange(5.0))], 1)
    wide, parts = interpolate.CubicSpline(places, values), interpolate.splrep(places, values[:, 1])
    for spline in (wide, interpolate.PchipInterpolator(places, values), interpolate.make_interp_spline(places, values)):
        check(lambda x, spline=spline: spline(x * 3) + spline(x, 1), X)
    check(lambda x: interpolate.splev(x * 3, parts) + interpolate.splev(x, parts, 1), X)
    found = tracefn.jacobian(tracefn.grad(lambda x: np.sum(wide(x))))(X)
    np.testing.assert_allclose(found, np.diag(np.sum(wide(X, 2), axis=1)))
    turned = interpolate.CubicSpline(places, values.T, axis=1)
    with pytest.raises(MissingDerivativeError, match="CubicSpline"):
        tracefn.grad(lambda x: np.sum(turned(x)))(X)


def test_objects_keep_what_they_are_called_with():
    model = Ridge()

    def fitted_outside(y):
        model.fit(MATRIX, y)
        return np.sum(model.predict(MATRIX))

    for call in (fitted_outside, lambda y: np.sum(Ridge().fit(MATRIX, y).coef_)):
        with pytest.raises(MissingDerivativeError, match="Ridge"):
            tracefn.grad(call)(X)


def test_objects_keep_it_in_branches_loops_and_checkpoints():
    def predicted(x):
        return np.sum(Ridge().fit(MATRIX, x).predict(MATRIX))

    def in_branch(x):
        return predicted(x) if np.sum(x) > 0 else 0.0

    for call in (
        in_branch,
        lambda x: tracefn.cond(np.sum(x) > 0, lambda: predicted(x), lambda: 0.0),
        lambda x: tracefn.fori_loop(0, 3, lambda i, s: s + predicted(x * s), 1.0),
        tracefn.checkpoint(predicted),
    ):
        with pytest.raises(MissingDerivativeError, match="Ridge"):
            tracefn.grad(call)(X)


def test_interpolators_in_branches(falls_back):
    """Each call is traced for itself: its values decide the branch."""

    def call(x):
        return np.sum(interpolate.CubicSpline(PLACES, five(x))(x * 4) if np.sum(x) > 0 else x)

    np.testing.assert_allclose(tracefn.grad(call)(X), gradient(call, X), rtol=1e-6)


@pytest.mark.parametrize("maker", [scipy.interpolate.CubicSpline, scipy.interpolate.interp1d])
def test_in_loops_and_maps(maker, falls_back):
    """Each call is traced for itself: its loops run round by round."""

    def call(y):
        found = maker(np.arange(4.0), y)
        state = tracefn.fori_loop(0, 3, lambda i, s: s + maker(np.arange(4.0), y * s)(s / 9) * found(i), 0.5)
        roots = tracefn.map_fn(lambda c: scipy.optimize.brentq(lambda t: t**3 - c * np.sum(y), 0, 3), np.ones(2))
        (rest,) = tracefn.while_loop(lambda s: s > 0.1, lambda s: (s * found(s) / 4,), (state,))
        return state * np.sum(roots) + rest

    y = np.array([0.3, 1.2, 0.4, 0.8])
    np.testing.assert_allclose(tracefn.grad(call)(y), gradient(call, y), rtol=1e-6)


@pytest.mark.parametrize("maker", [scipy.interpolate.CubicSpline, scipy.interpolate.interp1d])
def test_in_checkpoints(maker):
    places = np.array([0.5, 2.2])

    def squared(y):
        return maker(np.arange(4.0), y)(places) ** 2

    y = np.array([0.3, 1.2, -0.4, 0.8])
    plain = tracefn.grad(lambda y: np.sum(squared(y)))(y)
    with tracefn.no_fallback():
        found = tracefn.grad(lambda y: np.sum(tracefn.checkpoint(squared)(y)))(y)
    np.testing.assert_allclose(found, plain)
