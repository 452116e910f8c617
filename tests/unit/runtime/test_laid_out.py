"""Arguments that often lie in memory in another way than C's: machine code takes these calls, too, with the results,
warnings and layouts of NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import tracefn
from native_outcomes import same, with_warnings
from tracefn.codegen.machine import abi
from tracefn.runtime.laid_out import MOST_STRIDES, OFTEN
from tracefn.runtime.worker import wait_until_built

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

RNG = np.random.default_rng(0)
X, Y = RNG.random((2, 12, 8)) + 0.5
F = np.asfortranarray

CASES = {
    "mixed": (lambda x, y: ((x + y) * 2, x > y), (X, F(Y))),
    "reversed": (lambda x, y: (x * y + 1, np.exp(x)), (X[::-1], Y[:, ::-1])),
    "columns and rows": (lambda x, y: x * y, (F(X[:, :1]), Y[:1, ::-1])),
    "views inside": (lambda x, y: 0.5 * (x[1:, ::-1] + y[:-1]), (F(X), X[:, ::-1])),
    "sums": (lambda x, y: ((x * y).sum(axis=1), x.mean(axis=0), (x - y).max()), (F(X), Y[::-1])),
    "totals": (lambda x, y: np.cumsum(x * 2, axis=0) + y, (F(X), Y[::-1])),
    "short sums": (lambda x, y: ((x.reshape(2, 6, 8) - y[:6]) ** 2).sum(axis=0), (X[:, ::-1], F(Y))),
    "complex": (lambda x, y: (x + 1j * y) * np.exp(1j * x), (X[::2, ::2], F(Y)[::2, ::2])),
    "bytes": (lambda x, y: (x & y) + 1, ((X * 90).astype(np.uint8)[:, ::-1], F((Y * 90).astype(np.uint8)))),
    "rounded": (lambda x, y: np.round(x, 1) + np.round(y, -1), (F(X)[::-1], F(Y))),
    "rounded alone": (lambda x, y: (np.round(x, 1), np.round(y, 1)), (F(X)[::-1], F(Y))),
    "masked": (lambda x, y: (np.where(x > 1, x, y), x[x > 1].sum()), (F(X), Y[::-1])),
    "rows": (lambda x, y: x - x.mean(axis=1, keepdims=True) + y, (F(X), Y[:, ::-1])),
    "one axis": (lambda x, y: np.tanh(x) + y, (X[:, 1], Y[::-1, 2])),
}


def often(f, *args):
    for _ in range(3):
        for _ in range(OFTEN):
            with_warnings(f, *args)
        wait_until_built()


def with_layouts(got, wanted):
    got, wanted = (r if isinstance(r, tuple) else (r,) for r in (got, wanted))
    for a, b in zip(got, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13)
        assert (type(a), a.dtype, a.strides) == (type(b), b.dtype, b.strides)


@pytest.mark.parametrize("name", CASES)
def test_results_and_layouts(name):
    f, args = CASES[name]
    traced = tracefn.function(f, jit="now")
    with_layouts(traced(*args), f(*args))
    often(traced, *args)
    with_layouts(traced(*args), f(*args))
    others = [a.copy() for a in args]
    with_layouts(traced(*others), f(*others))


def kernel_of(traced):
    (kernel,) = traced.concrete_functions[0]._execution.native.kernels
    return kernel


def test_python_is_not_asked(monkeypatch):
    f = lambda x, y: (x + y) * 2  # noqa: E731
    traced = tracefn.function(f, jit="now")
    often(traced, X, F(Y))
    kernel = kernel_of(traced)
    assert list(kernel._laid_out.functions) == [(X.strides, F(Y).strides)]
    monkeypatch.setattr(kernel, "_numpy", None)
    monkeypatch.setattr(type(kernel), "_computed", None)
    same(traced(X, F(Y)), f(X, F(Y)))


def test_warnings_and_errors():
    def f(x, y):
        return np.log(x) / y

    traced, x = tracefn.function(f, jit="now"), F(X)
    often(traced, x, Y)
    assert kernel_of(traced)._laid_out.functions
    x[3, 3] = 0
    (got, warned), (wanted, expected) = with_warnings(traced, x, Y), with_warnings(f, x, Y)
    same(got, wanted)
    assert warned == expected and len(warned) == 1
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        traced(x, Y)


def test_what_does_not_fit_is_left():
    f = lambda x, y: (x + y) * 2  # noqa: E731
    traced = tracefn.function(f, jit="now")
    often(traced, X, F(Y))
    memory = np.zeros(X.nbytes + 1, np.uint8)[1:].view(np.float64)  # no element is where it should be
    unaligned = np.ndarray(Y.shape, np.float64, memory, 0, F(Y).strides)
    unaligned[...] = Y
    assert not unaligned.flags.aligned
    with_layouts(traced(X, unaligned), f(X, unaligned))
    stretched = np.broadcast_to(Y[:, :1], Y.shape)
    often(traced, X, stretched)
    with_layouts(traced(X, stretched), f(X, stretched))
    assert len(kernel_of(traced)._laid_out.functions) == 1


def test_few_layouts_get_machine_code():
    f = lambda x: (x + 1) * 2  # noqa: E731
    traced = tracefn.function(f, jit="now")
    base = np.asfortranarray(RNG.random((12 * 20, 8)))
    for step in range(1, MOST_STRIDES + 4):
        x = base[: 12 * step : step]
        often(traced, x)
        with_layouts(traced(x), f(x))
    assert len(kernel_of(traced)._laid_out.functions) <= MOST_STRIDES
