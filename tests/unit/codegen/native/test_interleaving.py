"""Long loops compute several vectors side by side: the same elements, whatever the length."""

from __future__ import annotations

import re

import numpy as np
import pytest
import tracefn


def chain(x, y):
    h = np.tanh(x * y + 1.0)
    return np.sqrt(np.exp(-(y * y - x)) / 2.0 + h * h)


def traced(function, *arguments):
    """The results, and how many vectors are computed side by side."""
    f = tracefn.function(function, jit="now")
    found = f(*arguments)
    (kernel,) = f.concrete_functions[0]._execution.native.kernels
    return found, int(re.search(r'interleave.count", i32 (\d+)', kernel.text)[1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("length", [4096, 4097, 5003, 8191])
def test_elements_do_not_depend_on_the_length(dtype, length):
    x, y = np.random.default_rng(0).normal(size=(2, length)).astype(dtype)
    x[::100] = 0.0
    found, count = traced(chain, x, y)
    assert count > 1
    parts = [traced(chain, x[i : i + 100], y[i : i + 100]) for i in range(0, length, 100)]
    assert {count for _, count in parts} == {1}
    np.testing.assert_array_equal(found, np.concatenate([part for part, _ in parts]))
    np.testing.assert_allclose(found, chain(x, y), rtol=20 * np.finfo(dtype).eps)


def test_loops_without_functions_do_one_vector_at_a_time():
    x = np.ones((5000, 8))
    assert traced(lambda x, y: x * y + 1, x, x)[1] == 1
    assert traced(lambda x, y: np.exp(x) + y, x, x)[1] > 1
    assert traced(lambda x, y: np.exp(x) + y, x, x[:, :1])[1] > 1  # several rows at a time
