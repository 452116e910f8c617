"""`GradientTape` outside of traced functions: operations run at once, and are recorded."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import tracefn
from tracefn.errors import GradientError, NumericsError

X = np.array([0.5, -1.0, 2.0])


@pytest.fixture
def v() -> Any:
    return tracefn.Variable(X)


def test_variables(v: Any) -> None:
    w = tracefn.Variable(2.0)
    with tracefn.GradientTape() as tape:
        loss = np.sum(v * v) * w
        assert float(loss) == 2 * np.sum(X * X) and loss.shape == ()
    by_v, by_w = tape.gradient(loss, [v, w])
    assert type(by_v) is np.ndarray and type(by_w) is np.float64
    np.testing.assert_allclose(by_v, 4 * X)
    assert by_w == np.sum(X * X)
    assert type(loss + 1) is np.float64 and type(v.value()) is np.ndarray


@pytest.mark.parametrize("held", [2.0, np.float32(2), np.ones((2, 2))])
def test_a_variable_that_the_block_has_not_used(v: Any, held: Any) -> None:
    unused = tracefn.Variable(held)
    with tracefn.GradientTape(persistent=True) as tape:
        loss = np.sum(v * v)
    assert tape.gradient(loss, unused) is None
    by_v, zeros = tape.gradient(loss, [v, unused], unconnected_gradients="zero")
    np.testing.assert_allclose(by_v, 2 * X)
    np.testing.assert_array_equal(zeros, np.zeros_like(held), strict=True)


def test_a_variable_is_a_target() -> None:
    v = tracefn.Variable(np.array([1.0, 2.0]))
    with tracefn.GradientTape(persistent=True) as tape:
        y = v * 2.0
    np.testing.assert_array_equal(tape.gradient(v, v), [1.0, 1.0])
    np.testing.assert_array_equal(tape.gradient([v, y], v), [3.0, 3.0])
    np.testing.assert_array_equal(tape.jacobian(v, v), np.eye(2))
    assert tape.gradient(v, y) is None


def test_a_training_loop(v: Any) -> None:
    data = np.random.default_rng(0).normal(size=(40, 3))
    for _ in range(50):
        with tracefn.GradientTape() as tape:
            error = data @ v - data @ np.array([1.0, 2.0, 3.0])
            loss = np.mean(error**2)
        v.assign_sub(0.2 * tape.gradient(loss, v))
    np.testing.assert_allclose(v.numpy(), [1, 2, 3], atol=1e-3)


def test_control_flow_methods_and_writes_are_pythons() -> None:
    with tracefn.GradientTape() as tape:
        x = tape.watch(X)
        y = x.copy()
        for i in range(len(y)):
            if y[i] > 0:
                y[i] = y[i] * x[0]
        y *= 2
        total = (y.reshape(1, 3).T[:, 0]).sum()
    np.testing.assert_allclose(total.value(), 2 * (0.25 - 1 + 1))
    np.testing.assert_allclose(tape.gradient(total, X), [2 * (2 * 0.5 + 2.0), 2.0, 1.0])


def test_around_a_traced_function(v: Any) -> None:
    model = tracefn.function(lambda p, scale: {"out": np.sum(np.tanh(p["x"] * scale) * v), "n": 3})
    with tracefn.GradientTape() as tape:
        x = tape.watch(X + 1)
        result = model({"x": x * 2}, scale=1.0)
        loss = result["out"] * 3.0
    assert result["n"] == 3
    by_x, by_v = tape.gradient(loss, [x, v])
    np.testing.assert_allclose(by_v, 3 * np.tanh(2 * X + 2))
    np.testing.assert_allclose(by_x, 6 * X * (1 - np.tanh(2 * X + 2) ** 2))


@pytest.mark.parametrize("f", [lambda x: np.mean(x[x > 0] ** 2), lambda x: x[x > 0][0] * x[x > 0].shape[0]])
def test_lengths_in_a_traced_function_are_its_own(f: Any) -> None:
    y = np.array([1.0, 3.0, -2.0, 1.0])
    with tracefn.GradientTape() as tape:
        x, y = tape.watch(X), tape.watch(y)
        loss = np.mean(y[y > 0] ** 2) + tracefn.function(f)(x)
    by_x, by_y = tape.gradient(loss, [x, y])
    np.testing.assert_allclose(by_x, tracefn.grad(f)(X))
    np.testing.assert_allclose(by_y, [2 / 3, 2, 0, 2 / 3])


@pytest.mark.parametrize(
    "f",
    [
        lambda a: np.sum(np.abs(np.linalg.eigvals(a)) * X),
        lambda a: np.sum(np.abs(np.linalg.eig(a)[0]) * X),
        lambda a: np.sum(np.abs(np.emath.sqrt(a)) * X),
        lambda a: np.sum(a) * int(np.prod(np.shape(a[a > 0]))) + np.size(np.unique(a)),
    ],
)
@pytest.mark.parametrize("sign", [1, -1])
def test_choices_and_lengths_of_values_are_known(f: Any, sign: int) -> None:
    a = np.array([[2.0, sign, 0.0], [1.0, 2.5, 0.5], [0.0, 0.25, 3.0]])
    with tracefn.GradientTape() as tape:
        watched = tape.watch(a)
        y = f(watched)
    assert float(y) == pytest.approx(f(a))
    expected = [(f(a + e.reshape(3, 3)) - f(a - e.reshape(3, 3))) / 2e-6 for e in 1e-6 * np.eye(9)[a.ravel() != 0]]
    np.testing.assert_allclose(tape.gradient(y, watched)[a != 0], expected, rtol=1e-4, atol=1e-6)


def test_lengths_of_several_masks() -> None:
    with tracefn.GradientTape() as tape:
        x = tape.watch(X)
        above, all_of_them = x[x > 0], x[x > -2]
        loss = np.mean(above) + np.mean(all_of_them**2)
    assert (above.shape, all_of_them.shape) == ((2,), (3,))
    np.testing.assert_allclose(tape.gradient(loss, x), [0.5 + 1 / 3, -2 / 3, 0.5 + 4 / 3])


class Scaled:
    """Has a Variable, and takes one."""

    def __init__(self, v: Any) -> None:
        self.weight = v

    def __call__(self, x: Any) -> Any:
        return np.sum(self.weight * x * x)


def assigned(x: Any, w: Any) -> Any:
    w.assign(w * x * 2)
    return np.sum(w * x)


def many_rounds(x: Any, w: Any) -> Any:
    y = np.sum(x * w)
    while y < 100:
        y = y * x[2]
    return y


@pytest.mark.parametrize(
    "call",
    [
        lambda run, x, w: run(lambda x, w: np.sum(x * w * x))(x, w),
        lambda run, x, w: run(lambda x, w: np.sum(x * w) * np.sum(x))(x, x),
        lambda run, x, w: run(lambda x: np.sum(x * w) * np.sum(w))(x),
        lambda run, x, w: run(lambda d: np.sum(d["x"] * d["w"][0]) * d["n"])({"x": x, "w": [w], "n": 3}),
        lambda run, x, w: run(lambda x, *more, factor=2.0, **named: np.sum(x * named["w"]) * factor)(
            x, factor=3.0, w=w
        ),
        lambda run, x, w: run(Scaled(w).__call__)(x),
        lambda run, x, w: run(Scaled(w))(x),
        lambda run, x, w: run(lambda layer, x: layer(x))(Scaled(w), x),
        lambda run, x, w: run(assigned)(x, w),
        lambda run, x, w: run(many_rounds)(x, w),
    ],
)
@pytest.mark.parametrize("first", [tracefn.Variable, np.array])
def test_what_a_traced_function_is_given(call: Any, first: Any) -> None:
    found = []
    for run in (lambda f: f, tracefn.function):
        x, w = first(X + 1.5), tracefn.Variable(X + 2)
        with tracefn.GradientTape() as tape:
            x = tape.watch(x)
            y = call(run, x, w)
        found.append(tape.gradient(y, [x, w]))
    for eager, traced in zip(*found, strict=True):
        assert (eager is None) == (traced is None)
        if eager is not None:
            np.testing.assert_allclose(traced, eager)


def test_nested_tapes(v: Any) -> None:
    with tracefn.GradientTape() as outer:
        with tracefn.GradientTape() as inner:
            loss = np.sum(v * v * v)
        first = inner.gradient(loss, v)
    np.testing.assert_allclose(first, 3 * X * X)
    np.testing.assert_allclose(outer.gradient(first, v), 6 * X)


def test_jacobians_and_pauses() -> None:
    x = np.arange(6.0).reshape(2, 3) + 1
    with tracefn.GradientTape(persistent=True) as tape:
        z = tape.watch(x)
        with tape.stop_recording():
            factor = z * 2
        y = z * z + factor * 0
    whole, rows = tape.jacobian(y, z), tape.batch_jacobian(y, z)
    np.testing.assert_allclose(whole, np.diag(2 * x.ravel()).reshape(2, 3, 2, 3))
    np.testing.assert_allclose(rows, [np.diag(2 * x[0]), np.diag(2 * x[1])])


@dataclasses.dataclass
class Line:
    slope: Any
    offset: Any


def test_what_is_watched_in_a_dataclass() -> None:
    square = tracefn.custom_gradient(lambda line: (line.slope * 2.0, lambda g: [g * 20.0, g * 0.0]))
    with tracefn.GradientTape(persistent=True) as tape:
        line = tape.watch(Line(X, 3.0))
        y = np.sum(line.slope) * line.offset
        z = square(line)
    found = tape.gradient(y, line)
    np.testing.assert_array_equal(found.slope, [3, 3, 3])
    assert type(found) is Line and found.offset == 1.5
    np.testing.assert_array_equal(tape.gradient(z, line).slope, [20, 20, 20])


def test_jacobians_of_what_has_none_are_named() -> None:
    with tracefn.GradientTape(persistent=True) as tape:
        x = tape.watch(np.ones((3, 2)))
        y = np.sum(x, axis=0)
    with pytest.raises(GradientError, match="2 rows and 3 rows"):
        tape.batch_jacobian(y, x)
    with pytest.raises(GradientError, match="3 rows and no rows"):
        tape.batch_jacobian(x, np.sum(x.value()))
    with pytest.raises(GradientError, match="a Jacobian is asked of a list"):
        tape.jacobian([y, y], x)


@pytest.mark.parametrize("run", [lambda f: f, tracefn.function])
def test_numerics_are_checked_on_the_way_back(run: Any) -> None:
    root = run(lambda x: np.sqrt(x))
    line = sys._getframe().f_lineno - 1
    with tracefn.debugging.enable_check_numerics(), np.errstate(divide="ignore"), tracefn.GradientTape() as tape:
        x = tape.watch(np.array([0.0, 4.0]))
        y = root(x)
        with pytest.raises(NumericsError, match=rf"Inf in 1 of 2 elements(.|\n)*test_eager_tape.py line {line}\n"):
            tape.gradient(y, x)


def test_arrays_that_change_do_not_matter() -> None:
    a = X.copy()
    with tracefn.GradientTape() as tape:
        x = tape.watch(X)
        y = np.sum(x * a * x)
    a[:] = 0
    np.testing.assert_allclose(tape.gradient(y, x), 2 * X * X)


def test_values_of_the_moment_do_not_disturb(v: Any) -> None:
    with tracefn.GradientTape() as tape:
        with pytest.raises(ValueError, match="broadcast"):
            v + np.ones(2)
        y = np.sum(v[v.value() > 0] * 2)
    np.testing.assert_allclose(tape.gradient(y, v), [2, 0, 2])
    assert tracefn.function(lambda x: x + v)(X)[0] == 1.0


def test_what_was_not_recorded_is_named() -> None:
    with tracefn.GradientTape() as tape:
        tape.watch(X)
        y = X * X
    with pytest.raises(GradientError, match="x = tape.watch"):
        tape.gradient(y, X)


def test_second_derivatives_go_through_calls_of_traced_functions():
    @tracefn.function
    def cubes(x):
        return np.sum(x**3)

    v = tracefn.Variable(np.array([1.0, 2.0]))
    with tracefn.GradientTape() as outer:
        with tracefn.GradientTape() as inner:
            y = cubes(v * 1.0)
        slope = inner.gradient(y, v)
    np.testing.assert_allclose(outer.jacobian(slope, v), [[6.0, 0.0], [0.0, 12.0]])
    with tracefn.GradientTape(persistent=True) as tape:
        y = cubes(v * 1.0)
        total = np.sum(tape.gradient(y, v))
    np.testing.assert_allclose(tape.gradient(total, v), [6.0, 12.0])


def test_what_derivatives_rest_on_is_not_written_into() -> None:
    with tracefn.GradientTape() as tape:
        x = tape.watch(X)
        y = x * 2
        y += 1
        loss = np.sum(y * y)
        loss += 3.0
    writes = [lambda: y.fill(0), lambda: np.add(y, 1, out=y), lambda: y.__setitem__(0, 1), lambda: np.put(y, [0], 9)]
    for write in writes:
        with pytest.raises(GradientError, match="written into.*\n  at .*test_eager_tape.*\n.*copy"):
            write()
    with pytest.raises(ValueError, match="read-only"):
        y[1:].fill(0)
    y.numpy()[0] = 100
    shown = loss
    shown += 1.0
    assert shown == np.sum((2 * X + 1) ** 2) + 4
    np.testing.assert_array_equal(tape.gradient(loss, x), 4 * (2 * X + 1))


def by_gradient():
    return tracefn.custom_gradient(lambda x: (x * x, lambda g: g * 10 * x))


def by_vjp():
    square = tracefn.custom_vjp(lambda x: x * x)
    square.defvjp(lambda x: (x * x, x), lambda x, g: (g * 10 * x,))
    return square


def by_jvp():
    square = tracefn.custom_jvp(lambda x: x * x)
    square.defjvps(lambda tangent, value, x: tangent * 10 * x)
    return square


@pytest.mark.parametrize("made", [by_gradient, by_vjp, by_jvp])
def test_derivatives_of_the_users_own(made: Any, v: Any) -> None:
    square = made()
    with tracefn.GradientTape() as outer:
        with tracefn.GradientTape() as tape:
            x = tape.watch(X)
            y = np.sum(square(x) * tracefn.stop_gradient(x) + square(v) + tracefn.stop_gradient(v) * v)
        by_x, by_v = tape.gradient(y, [x, v])
        assert type(tracefn.stop_gradient(X)) is np.ndarray
    np.testing.assert_allclose(y, np.sum(X**3 + 2 * X * X))
    np.testing.assert_allclose(by_x, 10 * X * X)
    np.testing.assert_allclose(by_v, 11 * X)
    np.testing.assert_allclose(outer.gradient(by_v, v), 10)


def test_variables_that_are_not_watched(v: Any) -> None:
    w = tracefn.Variable(2.0)
    with tracefn.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(v)
        y = np.sum(v * w)
    np.testing.assert_allclose(tape.gradient(y, {"v": v, "w": w})["v"], 2.0)
    with tracefn.GradientTape(persistent=True) as tape:
        y = np.sum(v * v)
    assert tape.gradient(y, [v, w])[1] is None
    by_v, by_w = tape.gradient(y, [v, w], unconnected_gradients="zero")
    np.testing.assert_allclose(by_v, 2 * X)
    assert by_w == 0 and by_w.dtype == np.float64


@pytest.mark.parametrize("run", [lambda f: f, tracefn.function])
def test_numbers(run: Any) -> None:
    def second() -> Any:
        with tracefn.GradientTape() as outer:
            x = outer.watch(3.0)
            with tracefn.GradientTape() as inner:
                inner.watch(x)
                y = x**3
            slope = inner.gradient(y, x)
        return slope, outer.gradient(slope, x)

    np.testing.assert_allclose(run(second)(), [27, 18])


@pytest.mark.parametrize(
    "detached",
    [
        lambda x: np.sum(scipy.linalg.expm(x)),
        lambda x: np.sum(np.array(x)),
        lambda x: np.sum(np.full(2, x[0, 0])),
        lambda x: np.sum(np.sin([x[0, 0], x[1, 1]])),
    ],
)
def test_what_a_tape_cannot_follow_is_no_constant(detached: Any) -> None:
    x = np.array([[0.1, 0.2], [0.3, 0.4]])
    with tracefn.GradientTape() as tape:
        w = tape.watch(x)
        with pytest.raises(GradientError, match=r"plain array.*\n.*line.*\n.*numpy\(\)"):
            detached(w)
        with tape.stop_recording():
            np.testing.assert_allclose(np.asarray(w), x)
        loss = np.sum(w**2) * np.max(w.numpy()) + np.sum(w.flat[[1, 2]] ** 2)
    np.testing.assert_allclose(tape.gradient(loss, w), 0.8 * x + 2 * np.fliplr(np.diag([0.2, 0.3])))


def test_numbers_that_a_library_computes_with_are_no_constants() -> None:
    w, v = tracefn.Variable(2.0), tracefn.Variable(3.0)
    with tracefn.GradientTape() as tape:
        assert (float(w * v), f"{w * v:.1f}", "%g" % (w * v)) == (6.0, "6.0", "6")
        with pytest.raises(GradientError, match=rf"plain float.*\n.*{__file__} line") as raised:
            v * scipy.integrate.quad(lambda t: t**3 * w, 0, 3)[0]
        y = v * w
    assert "tracefn.function" in str(raised.value)
    assert tape.gradient(y, w) == 3


def test_elements_of_plain_arrays_are_no_constants() -> None:
    w, table = tracefn.Variable(2.0), np.zeros((2, 2))
    with tracefn.GradientTape():
        with pytest.raises(ValueError, match="array element") as raised:  # NumPy's, of the one that says more
            table[0, 1] = w * w
        assert type(raised.value.__cause__) is GradientError and "plain float" in str(raised.value.__cause__)
        table[0, 1] = float(w * w)
    assert table[0, 1] == 4.0


def test_a_watched_value_that_is_not_used_is_named(v: Any) -> None:
    with tracefn.GradientTape(persistent=True) as tape:
        tape.watch(X)
        unused = tape.watch(X + 1)
        y = np.sum(v * X)
    with pytest.raises(GradientError, match="nothing was computed from the value that it has returned"):
        tape.gradient(y, X)
    assert tape.gradient(y, unused) is None


def in_sum(derivative: Any) -> Any:
    return lambda c: np.sum(derivative(c))


DERIVATIVES = {
    "grad": lambda c: tracefn.grad(lambda x: np.sum(np.tanh(x * c)))(0.3),
    "grad of grad": lambda c: tracefn.grad(tracefn.grad(lambda x: np.sum(np.tanh(c * x))))(0.3),
    "a loop": lambda c: tracefn.grad(lambda x: halved(x * np.sum(c)))(3.0),
    "vjp": lambda c: tracefn.vjp(lambda x: np.tanh(x * c), 0.3)[1](c)[0],
    "jvp": lambda c: tracefn.jvp(lambda x: np.tanh(x * c), (0.3,), (1.0,))[1],
    "linearize": lambda c: tracefn.linearize(lambda x: np.tanh(x * c), 0.3)[1](1.0),
    "hessian": lambda c: tracefn.hessian(lambda x: np.sum(np.tanh(x * c)))(X),
    "by an argument": lambda c: tracefn.grad(lambda x: np.sum(np.tanh(x) ** 2))(c),
    "a map": lambda c: tracefn.map_fn(lambda x: np.tanh(x * c), X),
}


def halved(x: Any) -> Any:
    while x > 1:
        x = x * x / 16
    return x


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("name", DERIVATIVES)
def test_through_derivatives_of_functions_that_watched_values_are_around(name: str, persistent: bool, v: Any) -> None:
    expected = tracefn.grad(in_sum(DERIVATIVES[name]))(X)
    with tracefn.GradientTape(persistent=persistent) as tape:
        watched = tape.watch(X)
        total = np.sum(DERIVATIVES[name](watched)) + np.sum(DERIVATIVES[name](v))
    for found in tape.gradient(total, [watched, v]):
        np.testing.assert_allclose(found, expected)


def test_a_traced_function_that_watched_values_are_around() -> None:
    with tracefn.GradientTape() as tape:
        c = tape.watch(X)
        y = tracefn.function(lambda x: np.sum(np.tanh(x * c)))(2.0)
    np.testing.assert_allclose(tape.gradient(y, c), 2 / np.cosh(2 * X) ** 2)


def test_derivatives_on_several_tapes_have_the_arrays_and_effects_of_their_call(v: Any) -> None:
    data, calls = np.ones(3), tracefn.Variable(0.0)

    def f(x: Any) -> Any:
        calls.assign_add(1.0)
        return np.sum(x * x * data * v) * calls

    with tracefn.GradientTape() as outer, tracefn.GradientTape() as inner:
        y = tracefn.grad(f)(1.0)
        data *= 10
        y = y + tracefn.grad(f)(1.0)
    data *= 10
    assert calls.numpy() == 2.0
    for tape in (outer, inner):
        np.testing.assert_allclose(tape.gradient(y, v), [42.0, 42.0, 42.0])


def test_values_of_a_tape_that_has_ended_are_constants_to_later_ones(v: Any) -> None:
    x = X
    with tracefn.GradientTape() as tape:
        x = tape.watch(x)
        old = x * 2.0
    with tracefn.GradientTape(persistent=True) as tape:
        new = v * 3.0
        a, b, c = old * new, new * old, np.where(X > 0, old, new)
    np.testing.assert_allclose(tape.gradient(a, v), 6 * X)
    np.testing.assert_allclose(tape.gradient(b, v, output_gradients=old), 12 * X**2)
    np.testing.assert_allclose(tape.gradient(c, v), 3.0 * (X <= 0))
    assert tape.gradient(a, old) is None
    np.testing.assert_array_equal(tape.gradient(a, old, unconnected_gradients="zero"), 0 * X)


def test_a_loop_watches_one_value_again() -> None:
    x = X
    for _ in range(3):
        with tracefn.GradientTape() as tape:
            x = tape.watch(x)
            y = np.sum(x * x)
        np.testing.assert_allclose(tape.gradient(y, x), 2 * X)
    with tracefn.GradientTape() as tape:
        again = tape.watch(x)
        y = np.sum(again * again)
    np.testing.assert_allclose(tape.gradient(y, x), 2 * X)
    w = tracefn.Variable(2.0)
    with tracefn.GradientTape() as tape:
        tape.watch(x)
        y = np.sum(x * w)
    with pytest.raises(GradientError, match="nothing was computed from the value that it has returned"):
        tape.gradient(y, x)


@pytest.mark.usefixtures("falls_back")
@pytest.mark.parametrize("k", [1.0, 2.0])
def test_values_of_ended_tapes_are_constants_to_functions_that_get_them_from_around(v: Any, k: float) -> None:
    with tracefn.GradientTape() as tape:
        old = tape.watch(X) * k
    np.testing.assert_allclose(tracefn.grad(lambda q: np.sum(q * q * old))(X), 2 * X * X * k)
    np.testing.assert_allclose(tracefn.function(lambda q: tracefn.grad(lambda p: np.sum(p * old))(q))(X), X * k)
    with tracefn.GradientTape(persistent=True) as tape:
        y = tracefn.grad(lambda q: np.sum(q * q * v * old))(X)
    np.testing.assert_allclose(tape.gradient(y, v), 2 * X * X * k)
