"""Upper and lower triangles in kernels, against NumPy."""

import numpy as np
import pytest
import tracefn
from agreement import assert_alike
from native_outcomes import native, numbers
from tracefn.codegen.machine import abi
from tracefn.codegen.native.fusion.regions import KERNEL
from tracefn.codegen.native.pipeline import with_kernels

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())


@pytest.mark.sampled(3, everywhere=True)
@pytest.mark.parametrize("char", "?bhilBHILefdFD")
@pytest.mark.parametrize("k", [0, 1, -2, 9, -9])
def test_triangles(char, k):
    def f(x):
        y = x + x
        return np.triu(y, k), np.tril(y, k), np.triu(x, k=k) + x

    for shape in ((6, 6), (5, 7), (3, 7, 5)):
        x = numbers(char, shape)
        assert_alike(native(f, x)(x), f(x), strides=True)
        assert_alike(native(f, x)(np.asfortranarray(x)), f(np.asfortranarray(x)), strides=True)


def test_what_is_computed_with_a_triangle_is_one_kernel():
    x = np.random.default_rng(0).normal(size=(30, 30))
    f = lambda x: np.triu(x * 2, 1) - np.tril(x, -1)  # noqa: E731
    graph = with_kernels(tracefn.function(f, jit="off").get_concrete_function(x).graph)
    assert [n.op for n in graph.nodes if not n.is_leaf and n.op.name != "item"] == [KERNEL]
    np.testing.assert_array_equal(native(f, x)(x), f(x))


def test_triangles_of_vectors_and_open_lengths_are_left_to_numpy():
    f = lambda x: np.triu(x) * 2 + 1  # noqa: E731
    x = np.arange(5.0)
    np.testing.assert_array_equal(tracefn.function(f, jit="now")(x), f(x))
    traced = tracefn.function(f, jit="now", input_signature=[tracefn.TensorSpec((None, 4), np.float64)])
    for length in (0, 3, 7):
        np.testing.assert_array_equal(traced(np.ones((length, 4))), f(np.ones((length, 4))))


def test_special_values_are_chosen_not_multiplied():
    x = np.full((20, 20), np.nan)
    x[3] = np.inf
    f = lambda x: (np.triu(x) + 0, np.tril(x, -3) + 0)  # noqa: E731
    assert_alike(native(f, x)(x), f(x), strides=True)
