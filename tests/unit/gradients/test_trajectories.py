"""Derivatives of solutions of differential equations, against central differences."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate
import tracefn
from tracefn.errors import MissingDerivativeError
from unit.gradients.library_calls import MATRIX, X, check

TIMES = np.array([0.0, 0.3, 1.0])
TIGHT = {"rtol": 1e-10, "atol": 1e-12}


def pendulum(y, t, length, drag):
    return [y[1], -np.sin(y[0]) / length - drag * y[1] + 0.1 * np.cos(t)]


CALLS = {
    "args": lambda x: scipy.integrate.odeint(pendulum, [1.0, 0.0], TIMES, args=(x[0], x[1]), **TIGHT),
    "full output": lambda x: scipy.integrate.odeint(
        pendulum, [1.0, 0.0], TIMES, args=(x[0], x[1]), full_output=True, **TIGHT
    )[0],
    "start": lambda x: scipy.integrate.odeint(pendulum, x[:2], TIMES, args=(0.5, x[2]), **TIGHT),
    "start in a list": lambda x: scipy.integrate.odeint(pendulum, [x[0], 2 * x[1]], TIMES, (0.5, 0.1), **TIGHT),
    "times": lambda x: scipy.integrate.odeint(pendulum, [1.0, 0.0], x, (0.5, 0.1), **TIGHT),
    "times in a list": lambda x: scipy.integrate.odeint(pendulum, [1.0, 0.0], [0.1, x[1]], (0.5, 0.1), **TIGHT),
    "variables": lambda x: scipy.integrate.odeint(lambda t, y: -(MATRIX * x) @ y, x, TIMES, tfirst=True, **TIGHT),
    "number": lambda x: scipy.integrate.odeint(lambda y, t: -x[0] * y, x[1], [0, 1, 0.5 + 1], **TIGHT),
    "solve_ivp": lambda x: scipy.integrate.solve_ivp(lambda t, y: -x * y, (0, 1), x**2, **TIGHT).y[:, -1],
    "solve_ivp with args": lambda x: scipy.integrate.solve_ivp(
        lambda t, y, a: -a * y * t, (0, 1), [x[1], 1.0], args=(x[0],), **TIGHT
    ).y[:, -1],
}


@pytest.mark.parametrize("name", CALLS)
def test_solutions(name):
    check(CALLS[name], X, 1e-5)


@pytest.mark.parametrize("name", ["args", "start in a list", "times in a list"])
def test_second_derivatives(name):
    check(tracefn.grad(lambda x: np.sum(CALLS[name](x) ** 2)), X, 1e-4)


def test_they_are_traced_once():
    derivative = tracefn.grad(lambda x: np.sum(CALLS["variables"](x)))
    for scale in (1, 2):
        derivative(X * scale)
    assert derivative.tracing_count == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda x: scipy.integrate.odeint(pendulum, [1.0, 0.0], TIMES, (x[0], 0.1), h0=0.01)[0],
        lambda x: scipy.integrate.solve_ivp(lambda t, y: -x * y, (0, x[0]), X).y[:, -1],
        lambda x: scipy.integrate.solve_ivp(lambda t, y: -x * y, (0, 1), X).t,
        lambda x: scipy.integrate.solve_ivp(lambda t, y: -x * y, (0, 1), X, dense_output=True).y[:, -1],
    ],
)
def test_others_are_refused(call):
    with pytest.raises(MissingDerivativeError, match=r"scipy.integrate"):
        tracefn.grad(lambda x: np.sum(call(x)))(X)
