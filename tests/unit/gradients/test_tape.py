"""`GradientTape` in traced functions: TensorFlow's contract."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import tracefn
from tracefn.errors import GradientError

X = np.array([0.5, -1.0, 2.0])


def traced(function: Any) -> Any:
    return tracefn.function(function, on_unsupported="error")


def test_arrays_are_watched_from_there_on() -> None:
    @traced
    def f(x: Any) -> Any:
        with tracefn.GradientTape() as tape:
            before = x * x
            tape.watch(x)
            y = before * x
        return tape.gradient(y, x)

    np.testing.assert_allclose(f(X), X * X)


def test_variables_are_watched_by_themselves() -> None:
    v, w = tracefn.Variable(X), tracefn.Variable(2.0, trainable=False)

    @traced
    def f() -> Any:
        with tracefn.GradientTape() as tape:
            loss = np.sum(v * v) * w
        by = tape.gradient(loss, {"v": v, "w": w})
        return by["v"], by["w"] is None, tape.watched_variables()[0] is v

    by_v, is_none, is_watched = f()
    np.testing.assert_allclose(by_v, 4 * X)
    assert is_none and is_watched
    v.assign(X + 1)
    np.testing.assert_allclose(f()[0], 4 * (X + 1))


@pytest.mark.parametrize("run", [traced, lambda f: f], ids=["traced", "eager"])
@pytest.mark.parametrize("change", [
    lambda v: v.assign(2 * X), lambda v: v.assign_add(1.0), lambda v: v.__setitem__(0, 5.0),
])  # fmt: skip
def test_a_variable_that_is_assigned_to_is_not_watched(run: Any, change: Any) -> None:
    v, w = tracefn.Variable(X), tracefn.Variable(2.0)

    @run
    def f() -> Any:
        with tracefn.GradientTape() as tape:
            change(v)
            loss = w * w
        watched = tape.watched_variables()
        return len(watched), watched[0] is w, tape.gradient(loss, w)

    assert f() == (1, True, 4.0)


def test_a_training_step() -> None:
    w = tracefn.Variable(np.zeros(3))
    x = np.random.default_rng(0).normal(size=(50, 3))
    y = x @ X

    @traced
    def step(x: Any, y: Any) -> Any:
        with tracefn.GradientTape() as tape:
            loss = np.mean((x @ w - y) ** 2)
        w.assign_sub(0.2 * tape.gradient(loss, w))
        return loss

    for _ in range(60):
        loss = step(x, y)
    assert loss < 1e-6 and step.tracing_count == 1
    np.testing.assert_allclose(w.numpy(), X, atol=1e-3)


def test_what_is_computed_inside_is_a_source_too() -> None:
    @traced
    def f(x: Any) -> Any:
        with tracefn.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
            z = np.sum(y * y)
        return tape.gradient(z, y), tape.gradient(z, [x, (y,)])

    by_y, (by_x, (again,)) = f(X)
    np.testing.assert_allclose(by_y, 2 * X * X)
    np.testing.assert_allclose(by_x, 4 * X**3)
    np.testing.assert_allclose(again, by_y)


def test_nested_tapes() -> None:
    @traced
    def f(x: Any) -> Any:
        with tracefn.GradientTape() as outer:
            outer.watch(x)
            with tracefn.GradientTape() as inner:
                inner.watch(x)
                y = np.sum(x * x * x)
            first = inner.gradient(y, x)
        return first, outer.gradient(first, x)

    first, second = f(X)
    np.testing.assert_allclose(first, 3 * X * X)
    np.testing.assert_allclose(second, 6 * X)


def test_factors_and_what_is_not_connected() -> None:
    @traced
    def f(x: Any, z: Any) -> Any:
        with tracefn.GradientTape(persistent=True) as tape:
            tape.watch([x, z])
            y = x * x
        return (
            tape.gradient(y, x, output_gradients=np.array([1.0, 10.0, 0.0])),
            tape.gradient(y, z) is None,
            tape.gradient(y, z, unconnected_gradients="zero"),
            tape.gradient([y, {"again": y}], x),
        )

    factored, is_none, zero, twice = f(X, X[:2])
    np.testing.assert_allclose(factored, [1.0, -20.0, 0.0])
    assert is_none
    np.testing.assert_array_equal(zero, np.zeros(2))
    np.testing.assert_allclose(twice, 4 * X)


def test_jacobians() -> None:
    @traced
    def f(x: Any) -> Any:
        with tracefn.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x * np.sum(x, axis=1, keepdims=True)
        return tape.jacobian(y, x), tape.batch_jacobian(y, x)

    x = np.arange(6.0).reshape(2, 3) + 1
    whole, rows = f(x)
    for i in range(2):
        expected = np.diag(2 * x[i] * x[i].sum()) + (x[i] ** 2)[:, None]
        np.testing.assert_allclose(rows[i], expected)
        np.testing.assert_allclose(whole[i, :, i], expected)
        assert not whole[i, :, 1 - i].any()


def test_pauses_and_new_starts() -> None:
    @traced
    def f(x: Any) -> Any:
        with tracefn.GradientTape() as tape:
            tape.watch(x)
            with tape.stop_recording():
                constant = x * 2
            y = np.sum(constant * x)
        with tracefn.GradientTape() as other:
            other.watch(x)
            z = np.sum(x * x)
            other.reset()
        return tape.gradient(y, x), other.gradient(z, x) is None

    by_x, is_none = f(X)
    np.testing.assert_allclose(by_x, 2 * X)
    assert is_none


def test_through_loops_and_calls() -> None:
    inner = tracefn.function(lambda x: np.tanh(x))

    @traced
    def f(x: Any, n: Any) -> Any:
        with tracefn.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(n):
                y = inner(y) * x
        return tape.gradient(y, x)

    expected = tracefn.elementwise_grad(lambda x: np.tanh(np.tanh(x) * x) * x)(X)
    np.testing.assert_allclose(f(X, np.int64(2)), expected)


def test_in_each_round_of_a_loop() -> None:
    @traced
    def f(x: Any, n: Any) -> Any:
        for _ in range(n):
            with tracefn.GradientTape() as tape:
                tape.watch(x)
                loss = np.sum(x * x)
            x = x - 0.25 * tape.gradient(loss, x)
        return x

    np.testing.assert_allclose(f(X, np.int64(3)), X / 8)


def test_misuse_is_named() -> None:
    @traced
    def twice(x: Any) -> Any:
        with tracefn.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x), tape.gradient(y, x)

    with pytest.raises(GradientError, match="used already.*\n.*\n.*persistent=True"):
        twice(X)
    with pytest.raises(GradientError, match="recorded nothing"):
        traced(lambda x: tracefn.GradientTape().gradient(x, x))(X)
    with pytest.raises(ValueError, match="'none' or 'zero'"):
        traced(lambda x: tracefn.GradientTape().gradient(x, x, unconnected_gradients="maybe"))(X)


def test_each_value_of_a_variable_is_a_source_of_its_own() -> None:
    v, w = tracefn.Variable(3.0), tracefn.Variable(2.0)

    def assigned() -> Any:
        v.assign(3.0)
        with tracefn.GradientTape() as tape:
            y = v * v
            v.assign(v * w)
            y = y + v * v * v
        return tape.gradient(y, [v, w])

    for f in (assigned, traced(assigned)):
        by_v, by_w = f()
        assert by_v == 2 * 3 + 3 * 6**2 and by_w is None
        assert v.numpy() == 6

    def watched(x: Any) -> Any:
        with tracefn.GradientTape() as tape:
            params = tape.watch({"a": x, "b": x * 2})
            y = np.sum(params["a"] * params["b"])
        return tape.gradient(y, params)

    for f in (watched, traced(watched)):
        found = f(X)
        np.testing.assert_array_equal(found["a"], 2 * X)
        np.testing.assert_array_equal(found["b"], X)


@pytest.mark.parametrize("trainable", [True, False])
def test_no_derivative_flows_through_an_assignment_to_a_variable_that_is_not_watched(trainable: bool) -> None:
    v, w = tracefn.Variable(3.0), tracefn.Variable(0.0, trainable=trainable)

    def f() -> Any:
        with tracefn.GradientTape(watch_accessed_variables=not trainable) as tape:
            tape.watch(v)
            w.assign(v * v)
            y = w * v + w
        return tape.gradient(y, v)

    assert f() == traced(f)() == 9.0


def test_a_variable_given_to_watch_is_watched_after_assignments_too() -> None:
    v = tracefn.Variable(3.0)

    def f() -> Any:
        v.assign(3.0)
        with tracefn.GradientTape(persistent=True, watch_accessed_variables=False) as outer:
            outer.watch(v)
            v.assign_add(1.0)
            with tracefn.GradientTape() as inner:
                y = v * v * v
            first = inner.gradient(y, v)
        return first, outer.gradient(y, v), outer.gradient(first, v)

    assert f() == traced(f)() == (48.0, 48.0, 24.0)


def test_arrays_are_watched_however_many_traces_that_takes() -> None:
    held = {"power": 0}

    @tracefn.function
    def f(x: Any) -> Any:
        with tracefn.GradientTape() as tape:
            tape.watch(x)
            y = x ** held["power"]
        return tape.gradient(y, x)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tracefn.errors.RetraceWarning)
        warnings.simplefilter("error", tracefn.errors.FallbackWarning)
        for power in range(18):
            held["power"] = power
            np.testing.assert_allclose(f(X), power * X ** max(power - 1, 0))


def test_numbers_of_pythons_are_no_sources() -> None:
    @tracefn.function
    def ignoring(b: Any) -> Any:
        with tracefn.GradientTape() as tape:
            tape.watch(b)
            y = b * b
        return tape.gradient(y, b)

    @tracefn.function
    def watching(b: Any) -> Any:
        with tracefn.GradientTape() as tape:
            b = tape.watch(b)
            y = b * b
        return tape.gradient(y, b)

    with pytest.raises(GradientError, match="a number of Python's, 0.5, which no tape"):
        ignoring(0.5)
    assert watching(0.5) == 1.0
