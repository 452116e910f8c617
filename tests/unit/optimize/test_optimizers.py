"""Optimizers against their formulas, written out for one number, and traced against eager."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import tracefn
from numpy.testing import assert_allclose
from tracefn import optimize

STEPS = 6


def gradient(w):
    """That of a function with a curved valley."""
    return 3 * w**3 - 2 * w + 0.5


def _sgd(w, momentum, nesterov):
    v = 0.0
    for _ in range(STEPS):
        g = gradient(w)
        v = momentum * v + g
        w -= 0.05 * (g + momentum * v if nesterov else v)
    return w


def _adam(w, decay):
    m = v = 0.0
    for t in range(1, STEPS + 1):
        g = gradient(w)
        m, v = 0.8 * m + 0.2 * g, 0.95 * v + 0.05 * g * g
        w -= 0.05 * (m / (1 - 0.8**t) / (math.sqrt(v / (1 - 0.95**t)) + 1e-8) + decay * w)
    return w


def _rmsprop(w, momentum):
    v = u = 0.0
    for _ in range(STEPS):
        g = gradient(w)
        v = 0.9 * v + 0.1 * g * g
        u = momentum * u + g / (math.sqrt(v) + 1e-8)
        w -= 0.05 * u
    return w


CASES = {
    "sgd": (optimize.sgd(0.05), lambda w: _sgd(w, 0, False)),
    "momentum": (optimize.sgd(0.05, 0.9), lambda w: _sgd(w, 0.9, False)),
    "nesterov": (optimize.sgd(0.05, 0.9, nesterov=True), lambda w: _sgd(w, 0.9, True)),
    "adam": (optimize.adam(0.05, 0.8, 0.95), lambda w: _adam(w, 0)),
    "adamw": (optimize.adamw(0.05, 0.8, 0.95, weight_decay=0.1), lambda w: _adam(w, 0.1)),
    "rmsprop": (optimize.rmsprop(0.05), lambda w: _rmsprop(w, 0)),
    "rmsprop with momentum": (optimize.rmsprop(0.05, momentum=0.5), lambda w: _rmsprop(w, 0.5)),
}


@pytest.mark.parametrize(("optimizer", "reference"), CASES.values(), ids=CASES)
def test_formula(optimizer, reference):
    first = [0.3, -1.2, 2.0]
    params = {"w": np.array(first[:2]), "more": [(np.float64(first[2]),)]}
    expected = [reference(w) for w in first]

    def step(params, state):
        gradients = {"w": gradient(params["w"]), "more": [(gradient(params["more"][0][0]),)]}
        updates, state = optimizer.update(gradients, state, params)
        return optimize.apply_updates(params, updates), state

    traced = tracefn.function(step)
    for run in (step, traced):
        now, state = params, optimizer.init(params)
        for _ in range(STEPS):
            now, state = run(now, state)
        assert state.count == STEPS
        assert_allclose([*now["w"], now["more"][0][0]], expected, rtol=1e-12)
    assert len(traced.concrete_functions) == 1


@pytest.mark.parametrize(("optimizer", "reference"), CASES.values(), ids=CASES)
def test_single_precision_stays(optimizer, reference):
    chained = optimize.chain(optimize.clip_by_global_norm(1.0), optimizer)
    w = np.float32([0.3, -1.2])

    @tracefn.function
    def update(g, state, w):
        return chained.update(g, state, w)

    for run in (chained.update, update):
        updates, state = run(3 * w, chained.init(w), w)
        updates, state = run(3 * w, state, w)
        assert updates.dtype == np.float32
        assert {np.asarray(part).dtype for part in state[1] if part is not None} <= {np.dtype("f4"), np.dtype("i8")}


@pytest.mark.parametrize("optimizer", [optimize.sgd(0.1, 0.9), optimize.adamw(0.1), optimize.rmsprop(0.1)])
def test_complex_numbers_step_by_their_sizes(optimizer):
    w, turned = np.array([3.0 + 4.0j, -1.0j]), np.exp(0.7j)
    for run in (optimizer.update, tracefn.function(optimizer.update)):
        state, of_turned = optimizer.init(w), optimizer.init(w * turned)
        for _ in range(3):
            updates, state = run(w, state, w)
            also, of_turned = run(w * turned, of_turned, w * turned)
            assert updates.dtype == w.dtype
            assert_allclose(also, updates * turned)


def test_an_object_keeps_parameters_and_state():
    class Model:
        def __init__(self):
            self.params = {"w": np.array([1.0, -2.0]), "b": np.zeros(2)}
            self.optimizer = optimize.adam(optimize.cosine_decay(0.1, 10))
            self.state = self.optimizer.init(self.params)

        def step(self, x):
            gradients = {"w": self.params["w"] * x, "b": self.params["b"] + 1}
            updates, self.state = self.optimizer.update(gradients, self.state, self.params)
            self.params = optimize.apply_updates(self.params, updates)

    ours, theirs = Model(), Model()
    step = tracefn.function(ours.step)
    for x in (1.0, 2.0, 0.5):
        step(np.full(2, x))
        theirs.step(np.full(2, x))
    for name in ("w", "b"):
        np.testing.assert_array_equal(ours.params[name], theirs.params[name])
    assert (type(ours.state), ours.state.count) == (optimize.AdamState, 3)
    assert len(step.concrete_functions) == 1


@pytest.mark.parametrize(
    "schedule",
    [
        optimize.linear(1.0, 0.1, 4),
        optimize.exponential_decay(1.0, 0.5, 2, staircase=True),
        optimize.warmup_cosine_decay(1.0, 2, 5),
        optimize.warmup_cosine_decay(1.0, 0, 5),
        optimize.warmup_cosine_decay(1.0, 5, 5, last=0.25),
        optimize.piecewise_constant([2, 4], [1.0, 0.5, 0.1]),
    ],
)
def test_schedules_in_traced_functions(schedule):
    traced = tracefn.function(lambda step: schedule(step), on_unsupported="error")
    for step in range(7):
        assert_allclose(traced(np.array(step)), schedule(step), rtol=1e-15)


def test_schedules_and_norms_at_their_borders():
    assert [optimize.warmup_cosine_decay(1.0, 0, 4)(step) for step in (0, 4)] == [1.0, 0.0]
    assert [optimize.warmup_cosine_decay(1.0, 4, 4, last=0.25)(step) for step in (0, 2, 4)] == [0.0, 0.5, 0.25]
    assert optimize.linear(1.0, 0.5, 0)(0) == 0.5
    for max_norm in (0.0, 1.0):
        assert_allclose(optimize.clip_by_global_norm(max_norm).update({"a": np.zeros(2)}, ())[0]["a"], 0)
    assert_allclose(tracefn.grad(optimize.global_norm)([np.zeros(2), 0.0])[0], 0)


def test_a_users_schedule_may_branch():
    def schedule(step):
        if step < 2:
            return 1.0
        return 0.25

    optimizer = optimize.sgd(schedule)

    @tracefn.function
    def update(g, state):
        return optimizer.update(g, state)

    state, g = optimizer.init(np.zeros(1)), np.ones(1)
    rates = []
    for _ in range(4):
        updates, state = update(g, state)
        rates.append(-float(updates[0]))
    assert rates == [1, 1, 0.25, 0.25]


@dataclasses.dataclass
class Layer:
    weights: np.ndarray
    activation: object

    def __call__(self, x):
        return self.activation(x @ self.weights)


@pytest.mark.parametrize("optimizer", [case[0] for case in CASES.values()], ids=CASES)
def test_models_hold_functions_beside_arrays(optimizer):
    optimizer = optimize.chain(optimize.clip_by_global_norm(1.0), optimizer)

    @tracefn.function
    def step(layers, state, x):
        value, gradients = tracefn.value_and_grad(lambda layers: np.sum(layers[0](x)))(layers)
        updates, state = optimizer.update(gradients, state, layers)
        return optimize.apply_updates(layers, updates), state, value

    layers = [Layer(np.ones((2, 2)), np.tanh)]
    state, values = optimizer.init(layers), []
    for _ in range(3):
        layers, state, value = step(layers, state, np.array([0.1, 0.2]))
        values.append(value)
    assert (type(layers[0]), layers[0].activation) == (Layer, np.tanh)
    assert values == sorted(values, reverse=True)
    assert values[0] > values[-1]


def test_clipping():
    gradients = {"a": np.array([3.0, 0.0]), "b": np.array(-4.0)}
    same, _ = optimize.clip_by_global_norm(5.0).update(gradients, ())
    np.testing.assert_array_equal(same["a"], gradients["a"])
    half, _ = optimize.clip_by_global_norm(2.5).update(gradients, ())
    assert_allclose(half["a"], [1.5, 0])
    assert_allclose(half["b"], -2)
    none, _ = optimize.clip_by_global_norm(1.0).update(np.zeros(3), ())
    np.testing.assert_array_equal(none, np.zeros(3))


def test_errors():
    with pytest.raises(TypeError, match="adamw needs the parameters"):
        optimize.adamw().update(np.ones(2), optimize.adamw().init(np.ones(2)))
    with pytest.raises(ValueError, match=r"the structures differ: \['w'\] and one array"):
        optimize.apply_updates({"w": np.ones(2)}, np.ones(2))
    with pytest.raises(ValueError, match="3 values have 2 boundaries"):
        optimize.piecewise_constant([1], [1.0, 0.5, 0.25])
