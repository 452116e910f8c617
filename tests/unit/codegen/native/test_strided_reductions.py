"""Reductions and running totals of arrays in any memory layout, as kernels of their own, against NumPy."""

import numpy as np
import pytest
import roundings
import tracefn
from native_outcomes import native, numbers
from tracefn.codegen.machine import abi
from tracefn.runtime.laid_out import MOST_STRIDES
from tracefn.runtime.native_kernel import NativeKernel

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

SHAPE = (30, 40, 50)

LAYOUTS = {
    "fortran": np.asfortranarray,
    "permuted": lambda x: x.transpose(1, 0, 2).copy().transpose(1, 0, 2),
    "reversed": lambda x: x[::-1, :, ::-1].copy()[::-1, :, ::-1],
    "every other": lambda x: np.repeat(np.repeat(x, 2, axis=0), 2, axis=2)[::2, :, ::2],
    "cut out": lambda x: np.pad(x, 2, mode="wrap")[2:-2, 2:-2, 2:-2],
}


@pytest.fixture
def no_numpy(monkeypatch):
    """No program of NumPy's takes the place of a kernel."""
    monkeypatch.setattr(NativeKernel, "_numpy", property(lambda kernel: pytest.fail("left to NumPy")))


FUNCTIONS = {
    "all": lambda x: ((x * 2 - 1).sum(), x.max(), x.mean()),
    "first": lambda x: ((x * 2).sum(axis=0), x.max(axis=0)),
    "last": lambda x: ((x + 1).sum(axis=2), x.min(axis=-1)),
    "two": lambda x: ((x + x).sum(axis=(0, 2)), x.max(axis=(2, 0), keepdims=False)),
    "kept": lambda x: (x * 2).sum(axis=1, keepdims=True),
    "positions": lambda x: ((x + x).argmax(axis=1), x.argmin(axis=0)),
    "and elements": lambda x: (x * 2, (x * 2).sum(axis=1)),
    "running": lambda x: np.cumsum(x * 2, axis=0),
    "running along": lambda x: np.cumsum(x + 1, axis=2),
}


@pytest.mark.sampled(3, everywhere=True)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_layouts(name, layout, no_numpy):
    f, x = FUNCTIONS[name], np.random.default_rng(0).normal(size=SHAPE)
    traced, given = native(f, x), LAYOUTS[layout](x)
    assert not given.flags.c_contiguous
    roundings.assert_alike(traced(given), f(given), strides=True)
    roundings.assert_alike(traced(x), f(x), strides=True)


@pytest.mark.parametrize("char", "?bhilBHILfdFD")
def test_dtypes(char, no_numpy):
    f = lambda x: ((x + x).sum(axis=0), np.cumsum(x * x, axis=1))  # noqa: E731
    x = numbers(char, SHAPE)
    roundings.assert_alike(native(f, x)(np.asfortranarray(x)), f(np.asfortranarray(x)), strides=True)


def test_arguments_that_lie_otherwise(no_numpy):
    f = lambda x, y, z: (x * y + z).sum(axis=0)  # noqa: E731
    x, y = np.random.default_rng(0).normal(size=(2, *SHAPE))
    traced = native(f, x, y, x[0])
    for given in ((np.asfortranarray(x), y, x[0]), (x[::-1], np.asfortranarray(y), y[0].T.copy().T)):
        roundings.assert_alike(traced(*given), f(*given), strides=True)


def test_large_arrays_on_several_threads(no_numpy):
    f = lambda x: ((x * 2).sum(), (x * 2).max(), (x + 1).mean())  # noqa: E731
    x = np.random.default_rng(0).normal(size=(900, 1000))
    roundings.assert_alike(native(f, x)(np.asfortranarray(x)), f(np.asfortranarray(x)), strides=True)


def test_stretched_arrays_are_left_to_numpy():
    f = lambda x: ((x * 2).sum(axis=0), x.argmax(axis=1), np.cumsum(x, axis=0))  # noqa: E731
    x = np.random.default_rng(0).normal(size=SHAPE)
    roundings.assert_alike(
        native(f, x)(np.broadcast_to(x[:, :1], SHAPE)), f(np.broadcast_to(x[:, :1], SHAPE)), strides=True
    )


def test_few_layouts_are_compiled_for():
    f = lambda x: (x * 2).sum(axis=0)  # noqa: E731
    base = np.random.default_rng(0).normal(size=(200, 100 * (MOST_STRIDES + 4)))
    traced = tracefn.function(f, jit="now")
    for step in range(1, MOST_STRIDES + 4):
        x = base[:, : 100 * step : step]
        roundings.assert_alike(traced(x), f(x), strides=True)


def test_warnings_of_other_layouts():
    f = lambda x: (x * 2).sum(axis=0)  # noqa: E731
    x = np.ones(SHAPE)
    traced = native(f, x)
    x[1, 2, 3] = 1e308
    with pytest.warns(RuntimeWarning, match="overflow"):
        roundings.assert_alike(traced(np.asfortranarray(x)), f(np.asfortranarray(x)), strides=True)
