"""Running totals as kernels against NumPy: the same bits, along any axis, with steps before and after."""

import numpy as np
import pytest
import tracefn
from native_outcomes import native, numbers, taken_in_turns, with_warnings
from tracefn.codegen.machine import abi
from tracefn.codegen.native.fusion.regions import KERNEL
from tracefn.codegen.native.pipeline import with_kernels

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())


def totals(axis):
    def f(x):
        return (
            np.cumsum(x, axis=axis),
            (x * 2).cumprod(axis) + 1,
            np.maximum.accumulate(x, axis=axis),
            np.minimum.accumulate(x * 2, axis=axis) - x,
            np.add.accumulate(x, axis),
            np.multiply.accumulate(x + 1, axis),
        )

    return f


def identical(got, wanted):
    for a, b in zip(got, wanted, strict=True):
        assert (a.dtype, a.shape, a.strides) == (b.dtype, b.shape, b.strides)
        np.testing.assert_array_equal(a, b)
        if b.dtype.kind == "f":
            kept = ~np.isnan(b)
            np.testing.assert_array_equal(np.signbit(a[kept]), np.signbit(b[kept]))


@pytest.mark.sampled(3, everywhere=True)
@pytest.mark.parametrize(
    ("char", "shape"), taken_in_turns("?fd", [(5,), (1000,), (7, 3), (1, 4), (4, 1), (30, 70), (4, 5, 6)])
)
def test_dtypes_and_axes(char, shape):
    x = numbers(char, shape)
    for axis in range(-1, len(shape) - 1):
        traced = native(totals(axis), x)
        with np.errstate(all="ignore"):
            identical(traced(x), totals(axis)(x))


@pytest.mark.parametrize("axis", [0, 1])
def test_special_values(axis):
    traced = native(totals(axis), np.ones((6, 7)))
    for value in (-0.0, np.nan, np.inf, -np.inf, 1e308):
        x = np.full((6, 7), -0.0)
        x[2, ::2] = x[4, 3] = value
        (got, warned), (wanted, meant) = with_warnings(traced, x), with_warnings(totals(axis), x)
        identical(got, wanted)
        assert {w[0] for w in warned} == {w[0] for w in meant}


def test_complex_sums():
    x = numbers("d", (30, 4)) - 1j * numbers("d", (30, 4), 1)

    def f(x):
        return x.cumsum(0) * 1.5, np.add.accumulate(x, axis=1)

    got, wanted = native(f, x)(x), f(x)
    np.testing.assert_allclose(got[0], wanted[0], rtol=1e-15)
    np.testing.assert_array_equal(got[1], wanted[1])


def test_without_an_axis_and_with_dtypes():
    def f(x, i):
        return x.cumsum(), np.cumsum(i, dtype=np.float32), np.cumprod(i.astype(np.int8), dtype=np.int8), x.cumprod()

    args = numbers("d", 90) / 2, numbers("i", 90)
    identical(native(f, *args)(*args), f(*args))


def test_steps_before_and_after():
    def f(x, y):
        total = np.cumsum(np.where(x > y, x, y), axis=0)
        return total / 2 - x, np.exp(np.cumsum(x, axis=1)), np.cumsum(np.sqrt(x)) * 2

    x, y = numbers("d", (40, 50)), numbers("d", (50,), 1)
    for a, b in zip(native(f, x, y)(x, y), f(x, y), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-14)


def test_open_lengths_and_other_layouts():
    def f(x):
        return (x * 2).cumsum(0), (x * 2).cumsum(1) + x

    traced = tracefn.function(f, jit="now", input_signature=[tracefn.TensorSpec((None, None), np.float64)])
    for shape in ((0, 3), (3, 0), (1, 1), (30, 4), (5, 900), (300, 200)):
        x = numbers("d", shape)
        identical(traced(x), f(x))
        identical(traced(x[::-1]), f(x[::-1]))
        identical(traced(np.asfortranarray(x)), f(np.asfortranarray(x)))


def test_large_arrays_on_threads():
    x = numbers("d", (1200, 1100)) - 1
    traced = native(lambda x: (x.cumsum(0), x.cumsum(1)), x)
    with tracefn.config.threads(3):
        identical(traced(x), (x.cumsum(0), x.cumsum(1)))


def test_functions_stay_vectors():
    graph = tracefn.function(lambda x: np.cumsum(np.exp(x)) * 2, jit="off").get_concrete_function(np.ones(9)).graph
    kernels = [n for n in with_kernels(graph).nodes if n.op is KERNEL]
    assert [[n.op.name for n in k.args[0].graph.nodes if not n.is_leaf] for k in kernels] == [["cumsum", "multiply"]]


def test_along_an_axis_before_some_that_are_stretched():
    def f(x, y, z):
        return np.cumsum(x * y, axis=0), np.cumsum(x[:, :, None] + z, axis=1)

    x, y, z = np.random.default_rng(0).normal(size=(3, 20, 30, 8))
    y, z = y[0, :, :1], z[:, :, None]
    np.testing.assert_array_equal(native(f, x, y, z)(x, y, z)[0], f(x, y, z)[0])
    np.testing.assert_array_equal(native(f, x, y, z)(x, y, z)[1], f(x, y, z)[1])
