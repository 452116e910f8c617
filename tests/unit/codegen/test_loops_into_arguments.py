"""Loops into arguments: no copies where no round can raise; else the arrays are as eager code leaves them."""

import numpy as np
import pytest
import tracefn

pytestmark = pytest.mark.usefixtures("falls_back")


def items(x, y):
    for t in range(40):
        x[t] += y[t]


def sums_with_constants(x, y):
    for t in range(1, 39):
        x[t] = x[t - 1] + y[1 + t] + y[-t]


def backwards(x, y):
    for t in range(39, -1, -1):
        x[t] -= y[39 - t]


def columns(x, y):
    z = x.reshape(20, 2)
    for t in range(-2, 2):
        z[:, t] += y[t]


def slices(x, y):
    for t in range(-3, 4):
        x[:t] += y[: t + 1][-1]


def beyond(x, y):
    for t in range(40):
        x[t] += y[t + 1]


def scaled(x, y):
    for t in range(40):
        x[t] += y[t * t]


def divided(x, y):
    for t in range(-35, 5):
        x[t] = 10 // t


def outcome(f):
    x = np.arange(40.0)
    try:
        f(x, np.arange(1.0, 41.0))
    except Exception as error:
        return type(error), str(error), x.tolist()
    return None, None, x.tolist()


@pytest.mark.parametrize("jit", ["off", "now"])
@pytest.mark.parametrize("f", [items, sums_with_constants, backwards, columns])
def test_rounds_that_cannot_raise_write_into_the_argument(f, jit):
    traced = tracefn.function(f, jit=jit)
    for _ in range(2):
        assert outcome(traced) == outcome(f)
    assert ".copy(" not in traced.concrete_functions[0].program


@pytest.mark.parametrize("jit", ["off", "now"])
@pytest.mark.parametrize("f", [slices, beyond, scaled, divided])
def test_rounds_that_raise_leave_the_state_of_eager_code(f, jit):
    assert outcome(f)[0]
    traced = tracefn.function(f, jit=jit)
    for _ in range(2):
        assert outcome(traced) == outcome(f)
