"""Reductions over leading, middle and several axes as kernels against NumPy; variances; products."""

import math
import threading

import numpy as np
import pytest
import tracefn
from native_outcomes import native, numbers, same, taken_in_turns, with_warnings
from tracefn.codegen.machine import abi
from tracefn.codegen.native.kernels import column_nest

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

AXES = [0, 1, 2, 3, (0, 1), (0, 2), (0, 3), (1, 2), (3, 1), (0, 1, 2), (0, 2, 3), (-4, -2)]
SHAPES = [(3, 4, 5, 6), (2, 1, 3, 70), (40, 3, 1, 2), (1, 1, 1, 1)]


@pytest.mark.sampled(3, everywhere=True)
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("keepdims", [False, True])
def test_axes(axis, keepdims):
    def f(x):
        y = x * 2 + 1
        return (
            y.sum(axis, keepdims=keepdims),
            y.max(axis, keepdims=keepdims),
            y.mean(axis),
            (y > 2).any(axis),
            (y > 2).all(axis),
            y,
        )

    for shape in SHAPES:
        x = numbers("d", shape) / 2
        same(native(f, x)(x), f(x))


COLUMNS = [(1, 1), (7, 3), (9, 64), (30, 65), (100, 300), (3, 2000), (17, 1025)]


@pytest.mark.sampled(3, everywhere=True)
@pytest.mark.parametrize(("char", "shape"), taken_in_turns("?fd", COLUMNS))
def test_dtypes(char, shape):
    def f(x):
        return *[getattr(np, name)(x, axis=0) for name in ("sum", "max", "min", "mean", "any", "all")], x.sum((0, 1))

    x = numbers(char, shape)
    same(native(f, x)(x), f(x), ulps=10_000 if char == "l" else 100)  # what is left of large numbers


@pytest.mark.parametrize("shape", [(7, 3), (30, 65), (17, 1025)])
def test_arrays_of_all_elements_beside_sums(shape):
    def f(x):
        y = x * 2
        return y.sum(axis=0), y, y.max(axis=0)

    x = numbers("d", shape)
    same(native(f, x)(x), f(x))


def test_open_lengths():
    def f(x, y):
        z = x * y
        return z.sum(axis=0), z.max(axis=1), z.mean(axis=(0, 2), keepdims=True), z.min(axis=(0, 1))

    specs = [tracefn.TensorSpec((None, None, None), np.float64), tracefn.TensorSpec((None,), np.float64)]
    traced = tracefn.function(f, jit="now", input_signature=specs)
    for shape in ((1, 1, 1), (4, 7, 3), (30, 3, 200), (2, 1000, 5), (70, 90, 60)):
        x, y = numbers("d", shape), numbers("d", shape[-1:])
        same(traced(x, y), f(x, y), ulps=1000)  # NumPy adds rows one after the other
    assert traced.concrete_functions[0].plan == "native"


def test_views_and_stretched_arrays():
    def f(x, y):
        return (x[1:] - y).sum(0), (x[:, ::-1] * y[0]).max(0), x.T.sum(0), (x[1::2] + y[::2, :1]).mean(0)

    x, y = numbers("d", (41, 50)), numbers("d", (40, 50), 1)
    y[:] = np.arange(50)
    same(native(f, x, y)(x, y), f(x, y), ulps=2000)  # differences cancel


def test_methods_of_ufuncs():
    def f(x, i, b):
        return (
            np.add.reduce(x),
            np.add.reduce(x, axis=(0, 1)),
            np.maximum.reduce(x, axis=1, keepdims=True),
            np.minimum.reduce(x, axis=None),
            np.multiply.reduce(i),
            np.bitwise_xor.reduce(i, axis=1),
            np.bitwise_and.reduce(i),
            np.bitwise_or.reduce(i, axis=(0, 1)),
            np.logical_or.reduce(x),
            np.logical_and.reduce(b, axis=1),
            np.add.reduce(b),
        )

    args = numbers("d", (30, 70)), numbers("i", (30, 70)), numbers("?", (30, 70))
    same(native(f, *args)(*args), f(*args))


def test_special_values():
    def f(x):
        return x.sum(0), x.max(0), x.min(0), x.mean(0), x.any(0), x.all(0)

    traced = native(f, np.ones((9, 70)))
    for value in (0.0, -0.0, np.inf, -np.inf, np.nan, 1e308, 1e-300):
        x = -numbers("d", (9, 70))
        x[4, ::3] = value
        x[5, ::9] = -value
        with np.errstate(all="ignore"):
            got, wanted = traced(x), f(x)
        same(got, wanted)
        for a, b in zip(got[::3], wanted[::3], strict=True):  # the sums
            kept = ~np.isnan(b)
            np.testing.assert_array_equal(np.signbit(a[kept]), np.signbit(b[kept]))
    zeros = np.full((9, 70), -0.0)
    for a, b in zip(traced(zeros)[:4], f(zeros)[:4], strict=True):
        np.testing.assert_array_equal(np.signbit(a), np.signbit(b))


@pytest.mark.parametrize("shape", [(20, 30), (3000, 900), (90_000, 30)])
def test_overflow_warns_at_the_users_line(shape):
    def f(x):
        return np.sum(x * 2, axis=0)

    x = np.full(shape, 1e300)
    traced = native(f, np.ones(shape))
    assert with_warnings(traced, x / 1e10)[1] == []
    x[:, 3] = 8e307
    warned = [("overflow encountered in reduce", __file__, f.__code__.co_firstlineno + 1)]
    assert with_warnings(traced, x)[1] == warned
    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        traced(x)


@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("rows", [10, 1000, 30_000])
def test_sums_are_as_accurate_as_pairwise_ones(char, rows):
    rng = np.random.default_rng(rows)
    sums = native(lambda x: x.sum(axis=0), np.ones((rows, 5), char))
    x = (rng.normal(size=(rows, 5)) * 10.0 ** rng.integers(-3, 3, (rows, 5))).astype(char)
    x[:, 4] = rng.random(rows)
    for got, column in zip(sums(x), x.T, strict=True):
        exact, scale = math.fsum(column.astype(float)), math.fsum(np.abs(column.astype(float)))
        bound = column_nest.BLOCK + math.log2(rows)
        assert abs(float(got) - exact) <= bound * np.finfo(char).eps * scale


@pytest.mark.parametrize("shape", [(1500, 2100), (60_000, 40), (40, 90_000), (300, 200, 60)])
def test_threads_change_nothing(shape):
    def f(x):
        y = x * 1.1
        return y.sum(axis=0), y.mean(axis=0), y.max(axis=0), y.sum(axis=1), y

    x = numbers("d", shape)
    traced = native(f, x)
    results = []
    for count in (1, 2, 3, 7):
        with tracefn.config.threads(count):
            results.append(traced(x))
    for result in results:
        for a, b in zip(result, results[0], strict=True):
            np.testing.assert_array_equal(a, b)
    same(results[0], f(x), ulps=100_000)  # NumPy adds rows one after the other


@pytest.mark.sampled(3, everywhere=True)
@pytest.mark.parametrize("char", "fdib")
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
def test_moments(char, axis):
    def f(x):
        return (
            x.var(axis),
            np.std(x, axis=axis, keepdims=True),
            np.var(x, axis=axis, ddof=1),
            np.std(x * 2, axis),
            np.average(x, axis=axis),
        )

    for shape in ((4, 5), (70, 90)):
        x = numbers(char, shape)
        same(native(f, x)(x), f(x), ulps=30)


def test_moments_of_too_few_numbers_warn():
    def f(x):
        return np.var(x * 2 + 1, ddof=3), (x * 2 + 1).sum()

    x = numbers("d", 3)
    traced = native(f, x)
    got, wanted = with_warnings(traced, x), with_warnings(f, x)
    assert [w[0] for w in got[1]] == [w[0] for w in wanted[1]] != []
    same(got[0], wanted[0])


def test_products_whose_parts_are_too_small_are_those_of_numpy():
    x = np.tile([1e-200, 1e200], 500)
    y = np.concatenate([np.repeat(1e-3, 64), np.repeat(1e3, 64)] * 8)
    for f in (lambda x: x.prod(), lambda x: x.reshape(-1, 4).prod(0), lambda x: np.multiply.reduce(x)):
        traced = native(f, np.ones(x.shape))
        same(traced(x), f(x), ulps=1000)
        traced = native(f, np.ones(y.shape))
        same(traced(y), f(y), ulps=1000)
        assert np.all(traced(y * 1e-5) == f(y * 1e-5))  # nothing is left


def test_nothing_to_reduce():
    def f(x):
        return x.sum(axis=0), x.any(axis=0), (x * 2).sum(axis=0, keepdims=True)

    specs = [tracefn.TensorSpec((None, None), np.float64)]
    traced = tracefn.function(f, jit="now", input_signature=specs)
    for shape in ((0, 3), (3, 0), (0, 0), (2, 2)):
        same(traced(np.ones(shape)), f(np.ones(shape)))


def test_any_memory_layout():
    def f(x):
        return (x * 2).sum(axis=0), x.max(0), x.mean(0)

    x = numbers("d", (30, 40))
    traced = tracefn.function(f, jit="now", input_signature=[tracefn.TensorSpec((None, None), np.float64)])
    for given in (x, x.T, x[::2, ::-1], np.asfortranarray(x), np.broadcast_to(x[0], (9, 40))):
        same(traced(given), f(given))


def test_threads_with_small_stacks():
    def f(x):
        return *[getattr(x * k, name)(axis=0) for k in range(1, 4) for name in ("sum", "max", "min", "mean")], x + 1

    traced = tracefn.function(f, jit="now", input_signature=[tracefn.TensorSpec((None, None), np.float64)])
    x = numbers("d", (100, 900))
    same(traced(x), f(x), ulps=100)
    found = []
    before = threading.stack_size(1 << 19)
    try:
        thread = threading.Thread(target=lambda: found.append(traced(x)))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    same(found[0], f(x), ulps=100)


def test_llvm_says_nothing(capfd):
    def f(x):
        return x.max(0), x.max(1), x.min(), x * 3, (x * 2).sum(0)

    for shape in ((1, 5), (5, 1), (3, 4), (70, 65)):
        native(f, numbers("d", shape))
    assert capfd.readouterr().err == ""
