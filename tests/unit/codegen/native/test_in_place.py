"""Whole arrays that are changed in place: one kernel where nobody else sees them on the way."""

from __future__ import annotations

import numpy as np
import pytest
import tracefn
from native_outcomes import with_warnings
from tracefn.codegen.machine import abi

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

RNG = np.random.default_rng(0)
X, Y = RNG.random((2, 60, 40)) + 0.5
F = np.asfortranarray


def chain(x, y):
    z = x * 2
    z += 1
    z *= y
    np.maximum(z, y, out=z)
    return z


def masks(x, y):
    m = x > 0.7
    m &= y > 0.7
    m |= x > y
    return m, m.sum()


def seen_before_and_after(x, y):
    z = x + y
    first, part = z[0].copy(), z[1:]
    z -= y[0]
    return first, part, z, z.mean()


def into_what_is_made(x, y):
    z = np.empty_like(x)
    np.multiply(x, y, out=z)
    np.add(z, y[0], out=z)
    z /= 3
    return z


def of_other_types(x, y):
    z = (x * 9).astype(np.int32)
    z += 1
    w = z.astype(np.float32)
    w += x.astype(np.float32)
    w *= y  # as float64, and then rounded
    z %= 7
    return z, w


def rows(x, y):
    z = x - x.max(axis=1, keepdims=True)
    np.exp(z, out=z)
    z /= z.sum(axis=1, keepdims=True)
    return z


def picked(x, y):
    z = x.copy()
    p = z[y > 1]
    p += 1
    p *= 2
    z[y > 1] = p
    return z, p.sum()


def loops(x, y):
    z = x * 1.0
    for _ in range(20):
        z *= 0.5
        z += y
    return z


FUNCTIONS = [chain, masks, seen_before_and_after, into_what_is_made, of_other_types, rows, picked, loops]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_results_and_layouts(function):
    traced = tracefn.function(function, jit="now")
    for x, y in ((X, Y), (F(X), Y), (X, F(Y)), (F(X), F(Y)), (X[::-1], Y[:, ::-1])):
        got, wanted = traced(x, y), function(x, y)
        got, wanted = (r if isinstance(r, tuple) else (r,) for r in (got, wanted))
        for a, b in zip(got, wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6 if b.dtype == np.float32 else 1e-13)
            assert (type(a), a.dtype, a.strides) == (type(b), b.dtype, b.strides)


def test_it_is_one_kernel():
    traced = tracefn.function(chain, jit="now")
    traced(X, Y)
    (kernel,) = traced.concrete_functions[0]._execution.native.kernels
    assert len(kernel.graph.outputs) == 1


def test_arguments_are_changed_where_they_are():
    def f(x, y):
        x *= 2
        x += y
        return x

    traced = tracefn.function(f, jit="now")
    a, b = X.copy(), X.copy()
    assert traced(a, Y) is a
    np.testing.assert_array_equal(a, f(b, Y))


def test_arguments_are_changed_before_an_error():
    def f(x, y):
        x[x > 1] = 1
        np.multiply(x, 2, out=x)
        x[x > 1.5] = y[:2, 0]
        return x

    traced, a, b = tracefn.function(f, jit="now"), X.copy(), X.copy()
    for function, x in ((traced, a), (f, b)):
        with pytest.raises(ValueError, match="cannot assign"):
            function(x, Y)
    np.testing.assert_array_equal(a, b)


def test_warnings():
    def f(x, y):
        z = x * 2
        z /= y
        np.log(z, out=z)
        return z

    traced, y = tracefn.function(f, jit="now"), Y.copy()
    traced(X, y)
    y[3, 3] = 0
    (got, warned), (wanted, expected) = with_warnings(traced, X, y), with_warnings(f, X, y)
    np.testing.assert_allclose(got, wanted, rtol=1e-14)
    assert warned == expected and len(warned) == 1
