"""The graph of a traced function is there already: its derivative records it once more, and runs no Python of it."""

import numpy as np
import pytest
import tracefn

X = np.array([0.5, 1.0, 2.0])
WEIGHTS = np.array([1.0, -2.0, 3.0])
POWER = 2


def loss(x, rounds=2):
    for _ in range(rounds):
        x = np.tanh(x * WEIGHTS) ** POWER
    return np.sum(x)


def replayed(f, *args, derivative=tracefn.grad):
    """The derivative, and the signatures whose graphs it has recorded."""
    made = derivative(f)
    with tracefn.events.record() as events:
        result = made(*args)
    return result, [e.replayed for e in events if e.type == "trace.finished"]


@pytest.mark.parametrize("derivative", [tracefn.grad, tracefn.value_and_grad, tracefn.jacrev, tracefn.jacfwd])
def test_python_does_not_run_again(derivative):
    f = tracefn.function(loss)
    f(X)
    result, found = replayed(f, X, derivative=derivative)
    assert found == [(f"{f.function_id}/1",)]
    np.testing.assert_allclose(np.hstack(result), np.hstack(derivative(loss)(X)), rtol=1e-12)
    other = X.astype(np.float32)
    assert replayed(f, other, derivative=derivative)[1] == [()]  # of this one there is no graph


def test_the_guards_of_the_graph_hold_for_the_derivative(monkeypatch):
    f = tracefn.function(loss)
    f(X)
    derivative = tracefn.grad(f)
    for name, value in (("POWER", 3), ("WEIGHTS", 2 * WEIGHTS), ("np", type("np", (), dict(vars(np), tanh=np.sin)))):
        derivative(X)
        monkeypatch.setitem(globals(), name, value)
        np.testing.assert_allclose(derivative(X), tracefn.grad(lambda x: loss(x))(X), rtol=1e-12)


def _stopped(x):
    return np.sum(tracefn.stop_gradient(x) * x)


def _branches(x):
    return np.sum(x * 2 if x[0] > 0 else x)


def _written(x):
    x[0] = 3.0
    return np.sum(x * x)


@pytest.mark.parametrize("function", [_stopped, _branches, _written, lambda x: np.sum(x) + np.random.random() * 0])
def test_what_more_than_computes_is_traced(function):
    f = tracefn.function(function)
    f(X.copy())
    result, found = replayed(f, X.copy())
    assert found == [()]
    np.testing.assert_allclose(result, tracefn.grad(function)(X.copy()))


def test_arguments_without_a_signature_are_for_python_alone():
    f = tracefn.function(lambda x, note=None: np.sum(x * x))
    f(X)
    result = tracefn.function(lambda x: tracefn.grad(f)(x, np.array([None])))(X)
    np.testing.assert_allclose(result, 2 * X)
    with pytest.raises(TypeError, match="positional"):
        tracefn.grad(f)(X, 1, 2)
