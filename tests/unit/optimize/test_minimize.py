"""`minimize` finds minima that are known, with each kind of method, and from structures."""

from __future__ import annotations

import numpy as np
import pytest
import tracefn
from numpy.testing import assert_allclose
from tracefn import optimize


def rosenbrock(x, scale=100.0):
    return np.sum(scale * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


@pytest.mark.parametrize("method", [None, "L-BFGS-B", "Newton-CG", "trust-exact", "Nelder-Mead"])
def test_methods(method):
    found = optimize.minimize(rosenbrock, np.array([-1.0, 2.0, 0.5]), method=method, tol=1e-8)
    assert found.success
    assert_allclose(found.x, 1, atol=1e-3)


def test_a_structure_with_arguments_and_bounds():
    def f(params, target):
        if np.sum(params["w"]) > 100:
            return 0.0
        return np.sum((params["w"] - target) ** 2) + (params["b"] - 1.5) ** 2

    start = {"w": np.zeros((2, 2), np.float32), "b": np.float64(0)}
    target = np.arange(4.0).reshape(2, 2)
    found = optimize.minimize(f, start, (target,), bounds=[(0, 2)] * 5)
    assert found.x["w"].dtype == np.float32
    assert_allclose(found.x["w"], np.minimum(target, 2), atol=1e-5)
    assert_allclose(found.x["b"], 1.5, atol=1e-5)
    assert np.shape(found.x["b"]) == ()


def test_derivatives_have_the_name_of_the_function():
    with tracefn.events.record() as events:
        optimize.minimize(rosenbrock, np.zeros(3), method="Newton-CG")
    named = {event.function.partition("#")[0] for event in events if event.type == "trace.started"}
    assert named == {"value_and_grad of rosenbrock", "grad of grad of rosenbrock"}
