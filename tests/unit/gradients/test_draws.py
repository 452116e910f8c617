"""Derivatives of random draws by their parameters, against draws of the same luck with other parameters."""

from __future__ import annotations

import numpy as np
import pytest
import tracefn
from tracefn.errors import MissingDerivativeError
from tracefn.ops.derivatives.random import OF

PARAMETERS = {
    "exponential": {"scale": 1.3},
    "gamma": {"scale": 1.5},
    "gumbel": {"loc": 0.3, "scale": 1.2},
    "laplace": {"loc": 0.3, "scale": 1.2},
    "logistic": {"loc": 0.3, "scale": 1.2},
    "lognormal": {"mean": 0.2, "sigma": 0.7},
    "multivariate_normal": {"mean": np.array([0.2, -1.0])},
    "normal": {"loc": np.array([[0.3], [0.1]]), "scale": 1.2},
    "pareto": {"a": 2.2},
    "power": {"a": 2.2},
    "rayleigh": {"scale": 2.0},
    "triangular": {"left": -1.0, "mode": 0.3, "right": 2.0},
    "uniform": {"low": -1.0, "high": np.array([2.0, 3.0, 1.5])},
    "vonmises": {"mu": 0.2},
    "weibull": {"a": 1.7},
}
FIXED = {"gamma": {"shape": 2.0}, "multivariate_normal": {"cov": np.eye(2)}, "vonmises": {"kappa": 2.0}}


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState], ids=lambda make: make.__name__)
@pytest.mark.parametrize("name", sorted(OF))
def test_draws_change_with_their_parameters(name, make):
    parameters, fixed = PARAMETERS[name], FIXED.get(name, {})
    size = () if name == "multivariate_normal" else (2, 3)

    def total(generator, given):
        drawn = getattr(generator, name)(**given, **fixed, size=size)
        return np.sum(drawn * drawn)

    with tracefn.no_fallback():
        found = tracefn.grad(total, argnums=1)(make(5), {k: np.asarray(v) for k, v in parameters.items()})
    for key, value in parameters.items():
        for place in np.ndindex(np.shape(value)):
            step = np.zeros(np.shape(value))
            step[place] = 1e-6
            ends = [total(make(5), {**parameters, key: value + s}) for s in (step, -step)]
            np.testing.assert_allclose(found[key][place], (ends[0] - ends[1]) / 2e-6, rtol=1e-5)


def test_what_no_draw_tells_is_said():
    for name, args in (("beta", (2.0, 1.0)), ("gamma", (2.0, 1.0))):
        with pytest.raises(MissingDerivativeError, match=name):
            tracefn.grad(lambda x, r, name=name, args=args: getattr(r, name)(x, args[1]), 0)(
                2.0, np.random.default_rng(1)
            )


COVARIANCE = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, -0.2], [0.1, -0.2, 1.1]])
ROWS = np.arange(12.0).reshape(3, 4) / 7


def changed(x):
    copy = x * 1.0
    np.random.default_rng(3).shuffle(copy, axis=1)
    return copy


DRAWN = {
    **{
        f"multivariate_normal by {how}": (
            lambda c, how=how: np.random.default_rng(3).multivariate_normal([0.1, 0.2, 0.3], c, (2, 2), method=how)
        )
        for how in ("svd", "eigh", "cholesky")
    },
    "multivariate_normal of RandomState": lambda c: np.random.RandomState(3).multivariate_normal(np.zeros(3), c),
    "permutation": lambda x: np.random.default_rng(3).permutation(x, axis=1) * np.random.RandomState(3).permutation(x),
    "permuted": lambda x: np.random.default_rng(3).permuted(x) * np.random.default_rng(3).permuted(x, axis=1),
    "choice": lambda x: np.random.default_rng(3).choice(x, (2, 2), axis=1, p=[0.1, 0.2, 0.3, 0.4]),
    "choice without replacement": lambda x: np.random.default_rng(3).choice(x, 2, False, None, 1, False),
    "choice of one": lambda x: np.random.default_rng(3).choice(x[0]) * np.random.RandomState(3).choice(x[1]),
    "shuffle": changed,
}


@pytest.mark.parametrize("name", DRAWN)
def test_orders_and_covariances(name):
    call, x = DRAWN[name], COVARIANCE if "normal" in name else ROWS
    weights = np.cos(np.arange(np.size(call(x)))).reshape(np.shape(call(x)))
    np.testing.assert_array_equal(tracefn.vjp(call, x)[0], call(x))
    with tracefn.no_fallback():
        found = tracefn.grad(lambda x: np.sum(call((x + x.T) / 2 if "normal" in name else x) * weights))(x)
    wanted = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[place] += 5e-7
        step = step + step.T if "normal" in name else 2 * step
        wanted[place] = np.sum((call(x + step) - call(x - step)) * weights) / 2e-6
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-7)
