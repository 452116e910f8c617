"""Derivatives that the user gives or takes away, and what a checkpoint computes once more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tracefn
from tracefn.errors import GradientError

X = np.array([0.5, -1.0, 2.0])


@tracefn.custom_gradient
def doubled(x: Any) -> Any:
    return x * x, lambda g: g * 4 * x


@tracefn.custom_vjp
def product(x: Any, y: Any) -> Any:
    return x * y


product.defvjp(lambda x, y: (x * y, (x, y)), lambda kept, g: (g * kept[1] * 10, g * kept[0] * 100))


@tracefn.custom_jvp
def cube(x: Any) -> Any:
    return x * x * x


cube.defjvp(lambda primals, tangents: (cube(*primals), 3 * tangents[0] * primals[0] * primals[0]))


@tracefn.custom_jvp
def tanh(x: Any) -> Any:
    return np.tanh(x)


tanh.defjvps(lambda t, value, x: t * (1 - value * value))


def test_values_are_those_of_the_function() -> None:
    assert doubled(3.0) == product(3.0, 3.0) == 9.0 and cube(2.0) == 8.0
    traced = tracefn.function(lambda x: doubled(x) + product(x, x) + cube(x))
    np.testing.assert_array_equal(traced(X), X * X + X * X + X * X * X)


def test_given_derivatives() -> None:
    np.testing.assert_allclose(tracefn.grad(lambda x: np.sum(doubled(x)))(X), 4 * X)
    by_x, by_y = tracefn.grad(lambda x, y: np.sum(product(x, y=y)), argnums=(0, 1))(X, X + 1)
    np.testing.assert_allclose(by_x, 10 * (X + 1))
    np.testing.assert_allclose(by_y, 100 * X)
    np.testing.assert_allclose(tracefn.jvp(cube, (X,), (X,))[1], 3 * X * X * X)


def test_higher_orders_differentiate_the_rule() -> None:
    assert tracefn.grad(tracefn.grad(doubled))(3.0) == 4.0
    assert tracefn.grad(tracefn.grad(cube))(3.0) == 18.0
    t = np.tanh(0.5)
    assert tracefn.grad(tracefn.grad(tanh))(0.5) == pytest.approx(-2 * t * (1 - t * t))


def test_forward_functions_may_call_the_function() -> None:
    @tracefn.custom_vjp
    def power(x: Any, n: int) -> Any:
        return x**n

    power.defvjp(lambda x, n: (power(x, n), (x, n)), lambda kept, g: (g * kept[1] * power(kept[0], kept[1] - 1), None))
    third = tracefn.grad(tracefn.grad(tracefn.grad(lambda x: power(x, 4))))
    assert (power(2.0, 4), tracefn.grad(power)(2.0, 4), third(2.0)) == (16.0, 32.0, 48.0)


def test_under_a_branch_and_in_a_traced_function() -> None:
    @tracefn.function
    def f(x: Any) -> Any:
        return tracefn.grad(lambda x: np.sum(doubled(x) if x[0] > 0 else x))(x)

    np.testing.assert_allclose(f(X), 4 * X)
    np.testing.assert_allclose(f(-X), np.ones(3))


def test_several_results_and_constants() -> None:
    @tracefn.custom_gradient
    def two(x: Any, n: int) -> Any:
        return (x * n, x + n), lambda g, h: (g + 10 * h,)

    assert tracefn.grad(lambda x: two(x, 3)[0] + two(x, 3)[1])(1.0) == 11.0

    @tracefn.custom_vjp
    def none(x: Any) -> Any:
        return x

    with pytest.raises(GradientError, match="`none` has no derivative"):
        tracefn.grad(none)(1.0)
    params = {"w": 2.0, "n": 3}
    for rest in ({"w": None, "n": None}, None):
        none.defvjp(lambda x: (x["w"], None), lambda kept, g, rest=rest: (rest,))
        assert tracefn.grad(lambda p: none(p) + p["w"], allow_int=True)(params)["w"] == 1.0
    none.defvjp(lambda x: (x["w"], None), lambda kept, g: ({"w": 5 * g, "n": None},))
    assert tracefn.grad(none, allow_int=True)(params)["w"] == 5.0
    none.defvjp(lambda x: (x, None), lambda kept, g: (g, g))
    with pytest.raises(GradientError, match="2 cotangents"):
        tracefn.grad(none)(1.0)


def test_stopped() -> None:
    def f(p: Any) -> Any:
        kept = tracefn.stop_gradient({"w": p["w"], "n": 2})
        return np.sum(p["w"] * kept["w"]) * kept["n"]

    np.testing.assert_allclose(tracefn.grad(f)({"w": X})["w"], 2 * X)
    assert tracefn.stop_gradient(X) is X


def test_checkpoint_computes_again() -> None:
    @tracefn.checkpoint
    def layer(x: Any) -> Any:
        return np.tanh(np.tanh(x) * x)

    def f(x: Any) -> Any:
        return np.sum(layer(layer(x)))

    def plain(x: Any) -> Any:
        y = np.tanh(np.tanh(x) * x)
        return np.sum(np.tanh(np.tanh(y) * y))

    np.testing.assert_array_equal(layer(X), np.tanh(np.tanh(X) * X))
    again, once = tracefn.grad(f), tracefn.grad(plain)
    np.testing.assert_allclose(again(X), once(X))
    counts = [sum(n.op.name == "tanh" for n in g.concrete_functions[0].graph) for g in (again, once)]
    assert counts == [6, 4]


def test_what_a_function_with_its_own_derivative_uses_from_around_is_named():
    def f(x, w):
        @tracefn.custom_gradient
        def scaled(x):
            return x * w, lambda g: g * w

        return np.sum(scaled(x))

    x = np.array([1.0, 2.0])
    np.testing.assert_array_equal(tracefn.grad(f)(x, 3.0), [3.0, 3.0])
    with pytest.raises(tracefn.errors.MissingDerivativeError, match="uses a value from around"):
        tracefn.grad(f, argnums=1)(x, 3.0)


def test_a_keyword_by_which_a_derivative_is_taken_is_named():
    @tracefn.custom_gradient
    def scaled(x, w):
        return x * w, lambda g: g * w

    with pytest.raises(tracefn.errors.MissingDerivativeError, match="uses a value from around"):
        tracefn.grad(lambda x, w: np.sum(scaled(x, w=w)), argnums=(0, 1))(np.ones(2), 3.0)
