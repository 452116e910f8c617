"""Arguments that decide shapes: known while tracing where they depend on constants alone, traced where an op can."""

import numpy as np
import pytest
import tracefn
from tracefn.errors import UnsupportedFunctionError

X = np.array([1.0, 2.0, 3.0])


def eager_and_traced(function, x):
    traced = tracefn.function(function)
    for _ in range(2):
        np.testing.assert_array_equal(traced(x), function(x), strict=True)
    assert traced.tracing_count == 1
    return traced


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.repeat(x, np.array([1, 2, 3])),
        lambda x: np.repeat(x, np.arange(3) + 1),
        lambda x: np.repeat(np.stack([x, x]), np.arange(2), axis=0),
        lambda x: np.tile(x, np.array([2, 1])),
        lambda x: x.reshape(np.array([3, 1])),
    ],
)
def test_constants_of_the_function_are_known(function):
    graph = eager_and_traced(function, X).concrete_functions[0].graph
    assert all(isinstance(n, int) for node in graph.outputs for n in node.type.shape)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.repeat(x, x.astype(int)),
        lambda x: np.repeat(x, repeats=x > 1),
        lambda x: np.repeat(x, x[1].astype(int)),
        lambda x: np.repeat(x, [x[0].astype(int), 2, 0]),
        lambda x: np.repeat(np.stack([x, -x]), x[1:].astype(int), axis=0),
        lambda x: np.repeat(np.stack([x, -x]), x[1:].astype(int), axis=-2),
        lambda x: x.repeat(x.astype(np.int32)),
        lambda x: np.repeat(np.stack([x, x]), np.arange(6) * x[0].astype(int)),
    ],
)
def test_repeats_may_be_traced(function):
    traced = eager_and_traced(function, X)
    for x in (np.array([0.0, 4.0, 1.0]), np.zeros(3)):
        np.testing.assert_array_equal(traced(x), function(x), strict=True)
    assert traced.tracing_count == 1


def test_two_traced_repeats_have_lengths_of_their_own():
    def both(x):
        n = x.astype(int)
        return np.concatenate([np.repeat(x, n), np.repeat(-x, n[::-1])])

    eager_and_traced(both, X)


@pytest.mark.parametrize(
    ("function", "error"),
    [
        (lambda x: np.repeat(x, x), TypeError),
        (lambda x: np.repeat(x, x[:2].astype(int)), ValueError),
        (lambda x: np.repeat(x, -x.astype(int)), ValueError),
        (lambda x: np.repeat(x, np.stack([x, x]).astype(int)), ValueError),
        (lambda x: np.repeat(x, x.astype(int), axis=1), ValueError),
    ],
)
def test_wrong_repeats_raise_what_numpy_raises(function, error):
    with pytest.raises(error):
        function(X)
    with pytest.raises(error):
        tracefn.function(function)(X)


def test_other_shapes_must_be_known():
    with pytest.raises(UnsupportedFunctionError, match="must be known while tracing"):
        tracefn.function(lambda x: np.tile(x, x.astype(int)))(X)
