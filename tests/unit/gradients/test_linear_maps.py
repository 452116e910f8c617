"""`vjp`, `jvp`, `linearize`, Jacobians and Hessians, eager and inside traced functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg
import tracefn
from tracefn.errors import GradientError

X = np.array([0.5, -1.0, 2.0])
D = 1 - np.tanh(X) ** 2


def parts(x: Any, y: Any) -> Any:
    return {"a": np.tanh(x) * y, "b": np.sum(x), "n": 3}


def test_pulling_back_often() -> None:
    value, pull = tracefn.vjp(parts, X, 2.0)
    assert value["n"] == 3 and value["b"] == X.sum()
    by_x, by_y = pull({"a": np.ones(3), "b": 1.0, "n": None})
    np.testing.assert_allclose(by_x, 2 * D + 1)
    assert by_y == pytest.approx(np.tanh(X).sum())
    np.testing.assert_array_equal(pull({"a": np.zeros(3), "b": 3, "n": 0})[0], [3, 3, 3])


def test_what_is_kept_is_not_changed_by_the_caller() -> None:
    x = X.copy()
    value, pull = tracefn.vjp(lambda x: np.tanh(x * x), x)
    x[:] = value[:] = 0
    np.testing.assert_allclose(pull(np.ones(3))[0], 2 * X * (1 - np.tanh(X * X) ** 2))


def of_numbers(x: Any) -> Any:
    y = x[0]
    while y < 100:
        y = y * x[1]
    return y


def of_rounds(x: Any) -> Any:
    y, i = 2.0, 0
    while y < 100:
        y, i = y * x[1] + i, i + 1
    return y


def of_arrays(x: Any) -> Any:
    y = x
    while np.sum(y) < 1000:
        y = y * x
    return np.sum(y)


@pytest.mark.parametrize("loop", [of_numbers, of_rounds, of_arrays])
def test_rounds_that_values_decide(loop: Any) -> None:
    for x in (np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.5, 3.0])):  # of which each needs another number of rounds
        expected = [(loop(x + e) - loop(x - e)) / 2e-6 for e in 1e-6 * np.eye(3)]
        value, pull = tracefn.vjp(loop, x)
        assert value == pytest.approx(loop(x))
        np.testing.assert_allclose(pull(1.0)[0], expected, rtol=1e-6, atol=1e-5)
        _, push = tracefn.linearize(loop, x)
        np.testing.assert_allclose(push(X), X @ expected, rtol=1e-6)
        with tracefn.GradientTape() as tape:
            watched = tape.watch(x)
            y = tracefn.function(loop)(watched)
        np.testing.assert_allclose(tape.gradient(y, watched), expected, rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.mean(x[x > 0] ** 2),
        lambda x: np.sum(x[x > 0]) * x[x > 0].shape[0],
        lambda x: np.sum(np.broadcast_to(np.sum(x[x > 0] ** 2), x[x > 0].shape)),
        lambda x: np.mean(np.union1d(x, x[:2]) ** 2) + np.sum(np.tanh(x[x > 1])),
    ],
)
def test_lengths_that_values_decide(f: Any) -> None:
    for x in (X, np.array([1.5, 2.0, 3.0]), np.array([-1.0, 4.0, -2.0])):
        expected = tracefn.grad(f)(x)
        for _ in range(2):
            value, pull = tracefn.vjp(f, x)
            assert value == pytest.approx(f(x))
            np.testing.assert_allclose(pull(1.0)[0], expected)
        np.testing.assert_allclose(tracefn.linearize(f, x)[1](X), expected @ X)


def test_defaults_are_no_primals() -> None:
    def f(x: Any, scale: Any = 3.0, mode: str = "twice") -> Any:
        return scale * x * (2 if mode == "twice" else 1)

    (by_x,) = tracefn.vjp(f, X)[1](np.ones(3))
    np.testing.assert_allclose(by_x, [6, 6, 6])
    by_x, by_scale = tracefn.vjp(f, X, 4.0)[1](np.ones(3))
    np.testing.assert_allclose(by_x, [8, 8, 8])
    assert by_scale == pytest.approx(2 * X.sum())
    np.testing.assert_allclose(tracefn.linearize(f, X)[1](X), 6 * X)


def test_calls_of_a_library_that_take_the_cotangent() -> None:
    a, t = np.diag([1.0, 2.0, 3.0]) + 0.1, np.arange(9.0).reshape(3, 3)
    expected = (scipy.linalg.expm(a + 1e-6 * t) - scipy.linalg.expm(a - 1e-6 * t)) / 2e-6
    _, pull = tracefn.vjp(scipy.linalg.expm, a)
    for cotangent in (t, np.eye(3)):
        assert np.sum(pull(cotangent)[0] * t) == pytest.approx(np.sum(expected * cotangent), rel=1e-6)
    np.testing.assert_allclose(tracefn.linearize(scipy.linalg.expm, a)[1](t), expected, rtol=1e-6)


def test_errors_of_the_backward_pass() -> None:
    @tracefn.custom_gradient
    def f(a: Any) -> Any:
        return np.sum(a), lambda g: g * np.linalg.inv(a)

    _, pull = tracefn.vjp(f, np.zeros((2, 2)))
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        pull(1.0)


def test_random_numbers_are_drawn_once() -> None:
    rng = np.random.default_rng(0)
    value, pull = tracefn.vjp(lambda x: x * rng.random(3), X)
    np.testing.assert_allclose(pull(np.ones(3))[0], value / X)


@pytest.mark.parametrize(
    ("cotangent", "words"),
    [(np.ones(2), "shape"), ([np.ones(3)], "structure"), (np.ones(3) * 1j, "complex")],
)
def test_cotangents_that_do_not_fit(cotangent: Any, words: str) -> None:
    _, pull = tracefn.vjp(np.tanh, X)
    with pytest.raises(GradientError, match=words):
        pull(cotangent)
    traced = tracefn.function(lambda x, g: tracefn.vjp(np.tanh, x)[1](g), on_unsupported="error")
    with pytest.raises(GradientError, match=words):
        traced(X, cotangent)


def test_pushing_forward() -> None:
    value, tangent = tracefn.jvp(parts, (X, 2.0), (np.ones(3), 1.0))
    np.testing.assert_allclose(tangent["a"], 2 * D + np.tanh(X))
    assert tangent["b"] == 3.0 and tangent["n"] == 0
    again, push = tracefn.linearize(parts, X, 2.0)
    np.testing.assert_array_equal(again["a"], value["a"])
    np.testing.assert_allclose(push(np.ones(3), 0.0)["a"], 2 * D)
    np.testing.assert_allclose(push(np.zeros(3), 1.0)["a"], np.tanh(X))


@pytest.mark.parametrize("f", [lambda x: np.sum(x * x) if x[0] > 0 else np.sum(x), lambda x: np.float64(3.0), np.sum])
def test_tangents_of_numbers_are_numbers(f: Any) -> None:
    expected = 0 if f(X * 9) == 3 else np.sum(X) if f is np.sum else np.sum(2 * X * X)
    for tangent in (tracefn.jvp(f, (X,), (X,))[1], tracefn.linearize(f, X)[1](X)):
        assert type(tangent) is np.float64 and tangent == pytest.approx(expected)
    assert type(tracefn.jacfwd(lambda t: f(X * t))(1.0)) is np.float64


def test_aux() -> None:
    value, pull, aux = tracefn.vjp(lambda x: (x * x, x + 1), X, has_aux=True)
    np.testing.assert_array_equal(aux, X + 1)
    np.testing.assert_array_equal(pull(np.ones(3))[0], 2 * X)
    assert tracefn.jvp(lambda x: (x * x, "text"), (3.0,), (1.0,), has_aux=True) == (9.0, 6.0, "text")
    np.testing.assert_array_equal(tracefn.jacrev(lambda x: (x * 2.0, x), has_aux=True)(X)[0], 2 * np.eye(3))
    second, aux = tracefn.hessian(lambda x: (np.sum(x * x), {"double": 2 * x}), has_aux=True)(X)
    np.testing.assert_array_equal(second, 2 * np.eye(3))
    np.testing.assert_array_equal(aux["double"], 2 * X)


@tracefn.function
def inside(x: Any) -> Any:
    _, pull = tracefn.vjp(lambda x: np.tanh(x) * x, x)
    _, tangent = tracefn.jvp(lambda x: np.tanh(x) * x, (x,), (np.ones_like(x),))
    _, push = tracefn.linearize(lambda x: np.tanh(x) * x, x)
    return pull(np.ones_like(x))[0], tangent, push(np.ones_like(x))


def test_inside_of_a_traced_function() -> None:
    for found in inside(X):
        np.testing.assert_allclose(found, D * X + np.tanh(X))


@pytest.mark.parametrize("jacobian", [tracefn.jacrev, tracefn.jacfwd, tracefn.jacobian])
def test_jacobians(jacobian: Any) -> None:
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(jacobian(lambda x: x * x)(x), np.diag(2 * x.ravel()).reshape(2, 3, 2, 3))
    np.testing.assert_array_equal(jacobian(lambda t: t * X)(2.0), X)
    of_struct = jacobian(lambda p, q: [np.sum(p["w"] * q), p["w"] * 2.0], argnums=(0, 1))({"w": X}, X + 1)
    np.testing.assert_array_equal(of_struct[0][0]["w"], X + 1)
    np.testing.assert_array_equal(of_struct[0][1], X)
    np.testing.assert_array_equal(of_struct[1][0]["w"], 2 * np.eye(3))
    np.testing.assert_array_equal(of_struct[1][1], np.zeros((3, 3)))


def cubes(x: Any) -> Any:
    return np.sum(x * x * x)


def test_second_derivatives() -> None:
    np.testing.assert_allclose(tracefn.hessian(cubes)(X), np.diag(6 * X))
    np.testing.assert_allclose(tracefn.hvp(cubes, (X,), (X + 1,)), 6 * X * (X + 1))
    by_x, by_y = tracefn.hvp(lambda x, y: np.sum(x * x * y), (X, X), (np.ones(3), np.zeros(3)))
    np.testing.assert_allclose(by_x, 2 * X)
    np.testing.assert_allclose(by_y, 2 * X)
    of_open = tracefn.function(tracefn.hessian(cubes), input_signature=[tracefn.TensorSpec((None,), float)])
    for n in (3, 2):
        np.testing.assert_allclose(of_open(X[:n]), np.diag(6 * X[:n]))


def test_elementwise() -> None:
    np.testing.assert_allclose(tracefn.elementwise_grad(np.tanh)(X), D)
    second = tracefn.elementwise_grad(tracefn.elementwise_grad(np.tanh))
    np.testing.assert_allclose(second(X), -2 * np.tanh(X) * D)


def test_tangents_are_named_by_their_arguments():
    for call in (
        lambda: tracefn.jvp(np.sin, (X,), (np.ones(2),)),
        lambda: tracefn.linearize(np.sin, X)[1](np.ones(2)),
    ):
        with pytest.raises(GradientError, match=r"tangents\[0\] has shape \(2,\), and its argument has \(3,\)"):
            call()
