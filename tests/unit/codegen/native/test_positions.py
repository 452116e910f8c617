"""Positions of extrema as kernels against NumPy: ties, NaN, axes, dtypes."""

import numpy as np
import pytest
import tracefn
from native_outcomes import native, numbers, same, taken_in_turns
from tracefn.codegen.machine import abi
from tracefn.codegen.native.fusion.regions import KERNEL
from tracefn.codegen.native.pipeline import with_kernels

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())


def positions(axis):
    """Both positions, of values that are computed in the same kernel."""

    def f(x):
        y = x * 2
        return y.argmax(axis), np.argmin(y, axis=axis, keepdims=True), y.max(axis)

    return f


@pytest.mark.sampled(3, everywhere=True)
@pytest.mark.parametrize(
    ("char", "shape"), taken_in_turns("fd", [(1, 1), (7, 3), (9, 70), (1, 700), (30, 1200), (400, 65)])
)
def test_dtypes(char, shape):
    x = numbers(char, shape) // 64 if np.dtype(char).kind in "iu" else numbers(char, shape)
    for axis in (None, 0, 1):
        traced = native(positions(axis), x)
        with np.errstate(all="ignore"):
            same(traced(x), positions(axis)(x))


@pytest.mark.parametrize("axis", [None, 0, 1, 2, -2])
def test_ties_are_won_by_the_first(axis):
    rng = np.random.default_rng(0)
    for shape in ((2, 3, 4), (30, 40, 50), (3, 1, 900), (70, 2, 1)):
        traced = native(positions(axis), np.ones(shape, np.int16))
        for high in (1, 2, 5):
            x = rng.integers(0, high, shape, np.int16)
            same(traced(x), positions(axis)(x))


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("char", "fd")
def test_special_values(axis, char):
    rng = np.random.default_rng(1)
    for shape in ((4, 5), (300, 70), (3, 2000)):
        traced = native(positions(axis), np.ones(shape, char))
        for value in (np.nan, np.inf, -np.inf, 0.0, -0.0):
            full = np.full(shape, value, char)
            some = rng.normal(size=shape).astype(char)
            some.flat[rng.integers(0, some.size, 3)] = value
            for x in (full, some, -some):
                same(traced(x), positions(axis)(x))


def test_without_flags_from_other_operations():
    def f(x):
        return np.argmax(np.where(x > 0, x, -x), axis=0), abs(x).argmin()

    x = np.random.default_rng(2).normal(size=(40, 90))
    x[[3, 30], 5] = np.nan
    same(native(f, x)(x), f(x))


def test_stretched_arrays_whose_axes_are_not_one():
    def f(x, y):
        return (x + y).argmax(), (x + y).argmin(axis=0), (x - y).argmax(axis=1)

    x, y = np.random.default_rng(3).random((2, 300, 80))
    same(native(f, x, y[:, :1].copy())(x, y[:, :1].copy()), f(x, y[:, :1]))


def test_open_lengths():
    def f(x):
        return (x * 2).argmax(axis=1), (x * 2).argmin(axis=0), (x * 2).argmax()

    traced = tracefn.function(f, jit="now", input_signature=[tracefn.TensorSpec((None, None), np.float64)])
    for shape in ((1, 1), (30, 4), (5, 900), (1200, 900)):
        x = numbers("d", shape)
        same(traced(x), f(x))
    with pytest.raises(ValueError, match="empty sequence"):
        traced(np.ones((0, 3)))


def test_threads_change_nothing():
    f = positions(0)
    x = numbers("d", (1500, 2500))
    traced = native(f, x)
    for count in (1, 2, 5):
        with tracefn.config.threads(count):
            same(traced(x), f(x))
            same(native(positions(None), x)(x), positions(None)(x))


def test_what_numpy_does_better_is_left_to_it():
    def f(x):
        return x.argmax(), (np.sort(x, axis=0) > 0.5).argmax(axis=1)

    graph = tracefn.function(f, jit="off").get_concrete_function(np.ones((3, 4))).graph
    assert not [n for n in with_kernels(graph).nodes if n.op is KERNEL]
    graph = tracefn.function(lambda x: x.argmax(axis=0), jit="off").get_concrete_function(np.ones((3, 4))).graph
    assert [n for n in with_kernels(graph).nodes if n.op is KERNEL]


def test_positions_in_views_lie_in_the_order_of_c():
    x = np.random.default_rng(0).normal(size=(20, 30, 40))
    f = lambda x: ((x.transpose(2, 0, 1) * 2).argmin(axis=1), (x.T + 1).argmax(axis=0))  # noqa: E731
    for got, wanted in zip(native(f, x)(x), f(x), strict=True):
        np.testing.assert_array_equal(got, wanted)
        assert got.strides == wanted.strides
