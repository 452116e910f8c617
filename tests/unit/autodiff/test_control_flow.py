"""Derivatives through branches and loops, against finite differences; and second ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tracefn

X = np.array([0.3, 0.6, 0.9])
WEIGHTS = np.array([1.0, 2.0, 3.0])


def branch(x: Any) -> Any:
    if x[0] > 0.5:
        return np.sum(np.tanh(x))
    elif x[1] > 0.5:
        return np.sum(x * x * x)
    return x[0]


def write_in_branch(x: Any) -> Any:
    y = x.copy()
    if x.sum() > 0:
        y[0] = x[1] * x[2]
        y *= 2
    return np.sum(y * y)


def switch(x: Any) -> Any:
    return np.sum(tracefn.switch((x[0] * 5).astype(int), [lambda: x, lambda: np.sin(x), lambda: x * x]))


def static_rounds(x: Any) -> Any:
    y = x
    for i in range(50):
        y = np.tanh(y * x + i * 0.01)
    return np.sum(y)


def rounds_of_a_length(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        total = total * 0.5 + x[i] * x[i]
    return total


def backwards_in_steps(x: Any) -> Any:
    total = x[0]
    for i in range(7, -2, -3):
        total = total * x[1] + i * x[2]
    return total


def rows(x: Any) -> Any:
    total = 0.0
    for v in x:
        for w in x:
            if v > w:
                total += v * w
    return total


def writes(x: Any) -> Any:
    y = np.zeros_like(x)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = y[i - 1] * 0.5 + x[i] * x[i]
    return np.sum(y * y)


def augmented_writes(x: Any) -> Any:
    y = x.copy()
    for i in range(6):
        y[i % 3] *= x[(i + 1) % 3] + 1
    return np.sum(y)


def heat(x: Any) -> Any:
    u = np.zeros((8, 3))
    u[0] = x
    for t in range(7):
        u[t + 1, 1:-1] = u[t, 1:-1] + 0.1 * (u[t, 2:] - 2 * u[t, 1:-1] + u[t, :-2])
        u[t + 1, 0] = u[t, 0]
        u[t + 1, -1] = u[t, -1] * x[1]
    return np.sum(u[-1] ** 2)


def until(x: Any) -> Any:
    n, y = 0, x
    while np.sum(y * y) < 100:
        y = y * 1.5 + x
        n += 1
    return np.sum(y) * n


def ended(x: Any) -> Any:
    y = x
    for _ in range(100):
        y = np.tanh(y * x + 0.1)
        if np.sum(y) > 0.3:
            break
    return np.sum(y)


def nested(x: Any) -> Any:
    s = x
    for _ in range(4):
        for j in range(3):
            s = np.sin(s + x * j)
        s = s * x
    return np.sum(s)


def branch_in_loop(x: Any) -> Any:
    s = 0.0
    for i in range(12):
        if x[0] * i > 1.1:
            s = s + x[1] * i
        else:
            s = s * x[2] + x[0]
    return s


def recurrent(x: Any) -> Any:
    w, h = np.outer(x, x), np.zeros(3)
    for _ in range(10):
        h = np.tanh(w @ h + x)
    return np.sum(h)


def recurrent_batch(x: Any) -> Any:
    w, u, h, c = np.outer(x, x), np.outer(x, x + 1), np.zeros((2, len(x))), 0.0
    inputs = np.sin(np.arange(80.0)).reshape(40, 2, 1) + x
    for i in range(40):
        z = inputs[i] @ w + h @ u
        c = 0.5 * c * np.tanh(z) + 0.3 * x
        h = np.tanh(c)
    return np.sum(h)


def scanned(x: Any) -> Any:
    def step(carry: Any, row: Any) -> Any:
        carry = np.tanh(carry * row + x[0])
        return carry, carry * row

    carry, ys = tracefn.scan(step, 0.5, x)
    return np.sum(ys * ys) + carry


def mapped(x: Any) -> Any:
    return np.sum(tracefn.map_fn(lambda row: np.sin(row) * x[1], x))


def functional(x: Any) -> Any:
    of_range = tracefn.fori_loop(0, 5, lambda i, s: s * x[0] + x[1] * i, 1.0)
    return of_range + tracefn.while_loop(lambda y, n: n < 5, lambda y, n: (y * x, n + 1), (x, 0))[0].sum()


def listed(x: Any) -> Any:
    found = [x[0], x[1]]
    for _ in range(5):
        found.append(found[-1] * found[-2] + x[2])
    found.pop()
    return np.sum(np.array(found) ** 2) + found[1] * found[0]


def stacked(x: Any) -> Any:
    found, y = [], x
    for _ in range(len(x)):
        y = np.tanh(y * x)
        found.append(y)
    return np.sum(np.stack(found, axis=1) ** 2)


def lists_in_a_loop(x: Any) -> Any:
    outer, v = [], x
    for _ in range(len(x)):
        inner = []
        for _ in range(len(x)):
            v = np.tanh(v)
            inner.append(v * x[0])
        outer.append(np.sum(np.stack(inner), axis=0) * v)
    return np.sum(np.stack(outer))


def loop_in_a_branch(x: Any) -> Any:
    v, w = x, x * 0.5
    if np.sum(v) > 1:
        for _ in range(len(x)):
            for _ in range(2):
                w = np.exp(-v * v)
            v = v * 0.4
    return np.sum(v * w) + np.sum(v)


def views_of_cotangents(x: Any) -> Any:
    v, w = x, x * 0.5
    if x[0] > 0:
        v = np.exp(-w * w)
    v = np.stack([w, v]).mean(axis=0)
    return np.sum(v) + x[0]


def array_of_results(x: Any) -> Any:
    made = tracefn.TensorArray(np.float64, size=0, dynamic_size=True)
    made = made.write(0, x[0])
    for i in range(1, 5):
        made = made.write(i, made.read(i - 1) * x[1] + x[2])
    return np.sum(made.stack() ** 2) + made.read(3)


def drawn(x: Any) -> Any:
    rng, y = np.random.default_rng(0), x
    for _ in range(4):
        y = y * (1 + 0.1 * rng.normal(size=3)) + x * rng.normal()
    return np.sum(y)


def draws_in_branches(x: Any) -> Any:
    rng, y = np.random.default_rng(0), x
    for _ in range(40):
        if y[0] > 0.2:
            for _ in range(len(x)):
                y = np.tanh(y * x + rng.normal(size=len(x))) if y[1] > 0 else np.sin(y) + 0.1 * rng.uniform()
        else:
            y = np.tanh(y + rng.normal(y * x, 1.0))
    return np.sum(y)


def draws_until(x: Any) -> Any:
    rng, y = np.random.default_rng(0), x
    for _ in range(100):
        z = rng.normal(size=len(x))
        if z[0] > 1.9:
            break
        for _ in range(35):
            if rng.uniform() > 0.9:
                break
            y = np.tanh(y * x + z)
    return np.sum(y)


def draws_of_a_checkpoint(x: Any) -> Any:
    rng, y = np.random.default_rng(0), x

    def layer(y: Any) -> Any:
        return np.tanh(rng.normal(x * x, x) * y) if y[0] > 0 else np.sin(y + rng.normal())

    for _ in range(35):
        y = tracefn.checkpoint(layer)(y)
    return np.sum(y * rng.normal())


def draws_and_state(x: Any) -> Any:
    rng, y, log = np.random.default_rng(0), x, np.zeros_like(x)
    for _ in range(40):
        if y[0] > 0:
            log[:] = np.tanh(log * x + rng.normal(size=len(x)))
            y = np.tanh(y * x * log)
        else:
            y = y + np.random.default_rng(3).uniform(size=len(x)) * log
    return np.sum(y)


def products_in_a_branch(x: Any) -> Any:
    y = np.outer(x, x)
    if x[0] > 0:
        z = y @ y
        y = np.tanh(z @ z) @ z
    else:
        y = np.linalg.inv(y + np.eye(len(x))) @ y
    return np.sum(y)


def differences(function: Any, x: Any) -> Any:
    """Central differences."""
    steps = np.eye(x.size) * 1e-5
    return np.array([(function(x + s) - function(x - s)) / 2e-5 for s in steps])


ALL = [
    branch, write_in_branch, switch, static_rounds, rounds_of_a_length, backwards_in_steps, rows, writes,
    augmented_writes, heat, until, ended, nested, branch_in_loop, recurrent, recurrent_batch, scanned, mapped,
    functional, listed, stacked, lists_in_a_loop, loop_in_a_branch, views_of_cotangents, array_of_results, drawn,
    draws_in_branches, draws_until, draws_of_a_checkpoint, draws_and_state, products_in_a_branch,
]  # fmt: skip


@pytest.mark.parametrize("length", [3, None])
@pytest.mark.parametrize("function", ALL, ids=lambda f: f.__name__)
def test_first_derivatives(function: Any, length: int | None) -> None:
    found = tracefn.value_and_grad(function)
    with tracefn.config.on_unsupported("error"):
        traced = tracefn.function(lambda x: found(x), input_signature=[tracefn.TensorSpec((length,), np.float64)])
        value, derivative = traced(X)
    np.testing.assert_allclose(value, function(X), rtol=1e-13)
    np.testing.assert_allclose(derivative, differences(function, X), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("function", ALL, ids=lambda f: f.__name__)
def test_second_derivatives(function: Any) -> None:
    first = tracefn.grad(function)
    with tracefn.config.on_unsupported("error"):
        found = tracefn.grad(lambda x: np.sum(first(x) * WEIGHTS))(X)
    expected = differences(lambda x: np.sum(first(x) * WEIGHTS), X)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)


def test_open_bounds_have_one_trace() -> None:
    def power(x: Any, n: Any) -> Any:
        y = 1.0
        for _ in range(n):
            y = y * x
        return y

    derivative = tracefn.grad(power)
    assert [derivative(2.0, np.int64(n)) for n in (3, 0, 1, 10)] == [12.0, 0.0, 1.0, 5120.0]
    assert derivative.tracing_count == 1


def test_jacobian_of_a_loop() -> None:
    def f(x: Any) -> Any:
        for _ in range(3):
            x = np.tanh(x * x)
        return x

    expected = np.diag(tracefn.elementwise_grad(f)(X))
    np.testing.assert_allclose(tracefn.jacrev(f)(X), expected)
    np.testing.assert_allclose(tracefn.jacfwd(f)(X), expected)


def test_what_rounds_keep_is_what_the_way_back_needs() -> None:
    """A loop that writes into an array keeps numbers of each round, and not the array."""
    graph = tracefn.grad(writes).get_concrete_function(np.ones(100)).graph
    loops = [n for n in graph.nodes if n.op.is_loop]
    assert len(loops) == 2
    assert max(t.size for loop in loops for t in loop.types) <= 100


def test_branches_keep_what_takes_time_to_compute() -> None:
    graph = tracefn.grad(products_in_a_branch).get_concrete_function(X).graph
    inner = [n.op.name for body in graph.bodies for n in body.graph.nodes]
    assert inner.count("linalg.inv") == 1
    assert [len(n.types) for n in graph.nodes if n.op.name == "cond"] == [2, 1]  # the arms share a result


def test_effects_happen_once_and_in_order(capsys: Any) -> None:
    noise = np.random.default_rng(0)
    calls = tracefn.Variable(0.0)

    def noisy(x: Any) -> Any:
        y = x
        for i in range(3):
            if y[0] > -9:
                y = np.tanh(y * x + noise.normal(size=3))
                calls.assign_add(np.sum(y))
                print(i, round(float(calls), 3))
        return np.sum(y * noise.normal())

    with tracefn.config.on_unsupported("error"):
        found = tracefn.grad(tracefn.checkpoint(noisy))(X)
    printed, state, total = capsys.readouterr().out, noise.bit_generator.state, calls.numpy()
    noise.bit_generator.state = np.random.default_rng(0).bit_generator.state
    calls.assign(0.0)
    noisy(X)
    assert (capsys.readouterr().out, noise.bit_generator.state, calls.numpy()) == (printed, state, total)
    fixed = np.random.default_rng(0).normal(size=10)

    def expected(x: Any) -> Any:
        y = x
        for i in range(3):
            y = np.tanh(y * x + fixed[3 * i : 3 * i + 3])
        return np.sum(y * fixed[9])

    np.testing.assert_allclose(found, differences(expected, X), rtol=1e-6)


def test_sums_of_products_are_one_product_after_the_loop() -> None:
    graph = tracefn.grad(recurrent_batch).get_concrete_function(X).graph
    back = [n for n in graph.nodes if n.op.is_loop][1].bodies[0].graph
    assert [n.op.name for n in back.nodes].count("matmul") == 2  # of four: of the state and of the inputs


def test_training_with_a_loop_over_batches() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20, 8, 3))
    y = x @ WEIGHTS

    def error(w: Any, x: Any, y: Any) -> Any:
        return np.mean((x @ w - y) ** 2)

    @tracefn.function(on_unsupported="error")
    def train(w: Any, x: Any, y: Any) -> Any:
        for i in range(len(x)):
            loss, g = tracefn.value_and_grad(error)(w, x[i], y[i])
            w = w - 0.2 * g
        return w, loss

    w, loss = train(np.zeros(3), x, y)
    np.testing.assert_allclose(w, WEIGHTS, atol=1e-2)
    assert loss < 1e-3


def test_orders_in_memory_in_branches() -> None:
    weights = np.arange(6.0)

    def f(x: Any, p: Any) -> Any:
        return np.sum(np.reshape(x.T, -1, order="A") * weights) if p > 0 else np.sum(np.ravel(x.T, order="K") ** 2)

    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(tracefn.grad(f)(x, np.float64(1.0)), weights.reshape(2, 3))
    np.testing.assert_array_equal(tracefn.grad(f)(x, np.float64(-1.0)), 2 * x)
