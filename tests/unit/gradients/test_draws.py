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
