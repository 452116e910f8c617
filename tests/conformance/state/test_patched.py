"""Methods that are replaced between calls: the next call runs those that are there."""

import numpy as np
import pytest
import tracefn

X = np.arange(3.0)


def by(factor):
    return lambda self, x: x * factor


def direct(owner):
    return lambda x: owner.apply(x) + 1


def in_a_list(owner):
    layers = [owner]

    def run(x):
        for layer in layers:
            x = layer.apply(x)
        return x

    return run


@pytest.mark.parametrize("make", [direct, in_a_list])
def test_a_patched_method_is_seen(make):
    class Layer:
        def apply(self, x):
            return x * 2

    class Inherits(Layer):
        pass

    run = make(Inherits())
    traced = tracefn.function(run)
    for patched in (None, by(3.0), by(4.0), by(3.0), lambda self, x: x - 1):
        if patched is not None:
            Layer.apply = patched
        for _ in range(2):
            np.testing.assert_array_equal(traced(X), run(X))
    Inherits.apply = by(7.0)
    np.testing.assert_array_equal(traced(X), run(X))
    assert traced.tracing_count <= 6


def test_a_method_that_stays_needs_one_trace():
    class Layer:
        def apply(self, x):
            return x * 2

    run = direct(Layer())
    traced = tracefn.function(run)
    for _ in range(100):
        np.testing.assert_array_equal(traced(X), run(X))
    assert traced.tracing_count == 1
