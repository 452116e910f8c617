"""Reductions as kernels against NumPy: dtypes, axes, special values, accuracy, threads, warnings."""

import gc
import math
import sys

import numpy as np
import pytest
import tracefn
from native_outcomes import native, numbers, same, taken_in_turns, with_warnings
from tracefn.codegen.machine import abi
from tracefn.codegen.native.fusion.regions import KERNEL
from tracefn.codegen.native.pipeline import with_kernels

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

NAMES = ["sum", "prod", "max", "min", "mean", "any", "all"]


def everything(x):
    """All reductions at once, over all axes."""
    return tuple([getattr(np, name)(x) for name in NAMES])


@pytest.mark.sampled(3, everywhere=True)
@pytest.mark.parametrize(("char", "size"), taken_in_turns("?fd", [1, 3, 31, 33, 511, 513, 2000]))
def test_dtypes(char, size):
    x = numbers(char, size)
    same(native(everything, x)(x), everything(x), ulps=max(8, size))  # products of many factors


@pytest.mark.parametrize("axis", [None, -1, 2, (1, 2), (2, 1), (0, 1, 2), (-1, 0, 1)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_axes(axis, keepdims):
    def f(x):
        y = x * 2 + 1
        return *[getattr(y, name)(axis=axis, keepdims=keepdims) for name in NAMES[:5]], y, (y > 2).any(axis)

    for shape in ((4, 5, 6), (1, 1, 1), (3, 2, 700), (2, 40, 50)):
        x = numbers("d", shape) / 2
        traced = native(f, x)
        same(traced(x), f(x), ulps=100)  # products of many factors
        assert len(traced.concrete_functions[0]._execution.native.kernels) == 1


@pytest.mark.parametrize(
    "shapes", [((4, 5), (5,)), ((4, 5), (4, 1)), ((4, 5), ()), ((4, 1), (1, 5)), ((3, 4, 5), (3, 1, 5))]
)
def test_broadcast_producers(shapes):
    def f(x, y):
        return ((x - y) ** 2).sum(), (x * y).mean(axis=-1), np.where(x > y, x, y).max(axis=-1, keepdims=True)

    x, y = numbers("d", shapes[0]), np.asarray(numbers("d", shapes[1], 1))
    same(native(f, x, y)(x, y), f(x, y))


def test_views_as_producers():
    def f(x):
        return (x[1:] - x[:-1]).sum(), (x[:, 2:] * x[:, :-2]).max(-1), x[::2, 1].sum(), x.T.sum(-1), x[::-1].mean(1)

    x = numbers("d", (40, 50))
    same(native(f, x)(x), f(x), ulps=200)  # differences cancel


def test_dtype_arguments():
    def f(x, y):
        return x.sum(dtype=np.float64), y.sum(dtype=np.int8), y.mean(dtype=np.float32), x.mean(dtype=np.float64)

    x, y = numbers("f", 100), numbers("i", 100)
    same(native(f, x, y)(x, y), f(x, y))


def test_counts():
    def f(x):
        all_axes = np.count_nonzero(x, axis=(0, 1), keepdims=True)
        return np.count_nonzero(x, axis=-1), all_axes, (x > 0).sum(), (x > 1).mean(-1)

    for char in "?bId":
        x = numbers(char, (30, 40)) * numbers("?", (30, 40))
        same(native(f, x)(x), f(x))


def test_results_that_others_read():
    def f(x):
        shifted = np.exp(x - x.max(axis=-1, keepdims=True))
        return shifted / shifted.sum(axis=-1, keepdims=True), x.sum() * x.sum(axis=1).sum()

    x = numbers("d", (20, 30))
    same(native(f, x)(x), f(x))


def test_a_result_of_the_shape_of_its_source_is_not_read_in_the_same_loop():
    def f(x):
        return x * 2 - (x * 2).sum(keepdims=True) + 1

    x = np.array([3.0])
    same(native(f, x)(x), f(x))


def test_open_lengths():
    def f(x, y):
        return (x * y).sum(), x.max(axis=1), x.mean(axis=-1, keepdims=True) + 0.5, x + y

    specs = [tracefn.TensorSpec((None, None), np.float64), tracefn.TensorSpec((None,), np.float64)]
    traced = tracefn.function(f, jit="now", input_signature=specs)
    for n, m in ((1, 1), (4, 7), (300, 3), (2, 1000), (700, 900)):
        same(traced(numbers("d", (n, m)), numbers("d", m)), f(numbers("d", (n, m)), numbers("d", m)))
    assert traced.concrete_functions[0].plan == "native"


def test_special_values():
    def f(x):
        return x.sum(), x.max(), x.min(), x.mean(), x.any(), x.all(), x.prod(), np.max(x * 1, axis=0)

    odd = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e308, -1e308, 1e-300]
    traced = {}
    for size in (2, 8, 40, 1100):
        for where in (0, size // 2, size - 1):
            for value in odd:
                for char in "fd":
                    with np.errstate(all="ignore"):
                        x = np.linspace(-2, -1, size).astype(char)
                        x[where] = value
                        if (char, size) not in traced:
                            traced[char, size] = native(f, x)
                        same(traced[char, size](x), f(x), ulps=max(8, size))


def test_zeros_keep_the_sign_that_numpy_gives_them():
    for size in (1, 7, 40):
        x = np.full(size, -0.0)
        for f in (lambda x: x.sum(), lambda x: x.mean(), lambda x: x.max(), lambda x: x.reshape(1, -1).sum(-1)):
            assert np.all(np.signbit(native(f, x)(x)) == np.signbit(f(x)))


def test_infinities_of_both_signs_warn():
    def f(x):
        return np.sum(x)

    x = np.array([np.inf, -np.inf, 1.0])
    traced = native(f, np.ones(3))
    (warned,), (meant,) = with_warnings(traced, x)[1], with_warnings(f, x)[1]
    assert warned[:2] == (meant[0], __file__)


@pytest.mark.parametrize("size", [100, 400_000])
def test_overflow_warns_at_the_users_line(size):
    def f(x):
        return np.sum(x * 2)

    x = np.full(size, 1e304)
    traced = native(f, np.ones(size))
    assert with_warnings(traced, x / 1e10)[1] == []
    x[:] = 8e307
    (warned,), (meant,) = with_warnings(traced, x)[1], with_warnings(f, x)[1]
    assert warned[:2] == (meant[0], __file__)
    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        traced(x)
    with np.errstate(over="ignore"):
        assert traced(x) == np.inf


def test_many_elements_that_overflow_only_together():
    x = np.full(400_000, 1e303)
    traced = native(lambda x: x.sum(), np.ones(400_000))
    with np.errstate(over="ignore"):
        assert traced(x * 1e5) == np.inf
    assert [w[0] for w in with_warnings(traced, x * 1e4)[1]] == ["overflow encountered in reduce"]


def test_nothing_to_reduce():
    def f(x):
        return x.sum(), x.prod(), x.any(), (x * 2).sum(axis=1)

    specs = [tracefn.TensorSpec((None, None), np.float64)]
    traced = tracefn.function(f, jit="now", input_signature=specs)
    for shape in ((0, 3), (3, 0), (0, 0)):
        same(traced(np.ones(shape)), f(np.ones(shape)))
    largest = tracefn.function(lambda x: x.max(), jit="now", input_signature=[tracefn.TensorSpec((None,), np.float64)])
    assert largest(np.ones(3)) == 1
    with pytest.raises(ValueError, match="zero-size array"):
        largest(np.ones(0))


def test_zero_dimensional_arrays():
    def f(x):
        return x.sum(), (x * 2).max()

    x = np.array(3.0)
    same(tracefn.function(f, jit="now")(x), f(x))


def test_any_memory_layout():
    def f(x):
        return (x * 2).sum(axis=1), x.max(), x.mean()

    x = numbers("d", (30, 40))
    traced = tracefn.function(f, jit="now", input_signature=[tracefn.TensorSpec((None, None), np.float64)])
    for given in (x, x.T, x[::2, ::-1], np.asfortranarray(x), np.broadcast_to(x[0], (9, 40))):
        same(traced(given), f(given))


@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("size", [10, 100, 1000, 30_000, 600_000])
def test_sums_are_as_accurate_as_those_of_numpy(char, size):
    rng = np.random.default_rng(size)
    eps = np.finfo(char).eps
    sums = native(lambda x: (x.sum(), x.mean()), np.ones(size, char))
    errors = []
    for kind in range(8):
        x = rng.normal(size=size) * 10.0 ** rng.integers(-3, 3, size) if kind % 2 else rng.random(size)
        x = x.astype(char)
        x[-1] -= x[:-1].sum() if kind > 3 else 0  # what is left is small
        exact, scale = math.fsum(x.astype(float)), math.fsum(np.abs(x.astype(float)))
        got, mean = sums(x)
        errors.append((abs(float(got) - exact) / scale, abs(float(np.sum(x)) - exact) / scale))
        assert abs(float(mean) * size - exact) <= abs(float(got) - exact) + 2 * eps * abs(exact)
    ours, theirs = np.max(errors, axis=0)
    assert ours <= 2 * theirs + eps


def test_threads_change_nothing():
    def f(x):
        y = x * 1.1
        return y.sum(), y.mean(), y.max(), y.sum(axis=-1), y

    x = numbers("d", (1500, 700))
    traced = native(f, x)
    results = []
    for count in (1, 2, 3, 7):
        with tracefn.config.threads(count):
            results.append(traced(x))
    for result in results:
        for a, b in zip(result, results[0], strict=True):
            np.testing.assert_array_equal(a, b)
    same(results[0], f(x))


def test_one_kernel_for_several_results():
    def f(x, y):
        d = x - y
        return d.sum(), (d * d).sum(), abs(d).max(), d

    graph = tracefn.function(f, jit="off").get_concrete_function(np.ones(9), np.ones(9)).graph
    kernels = [n for n in with_kernels(graph).nodes if n.op is KERNEL]
    assert [len(k.args[0].graph.outputs) for k in kernels] == [4]


def test_what_numpy_does_better_is_left_to_it():
    def f(x):
        return np.sum(x, where=x > 0), np.max(x, initial=5.0)

    graph = tracefn.function(f, jit="off").get_concrete_function(np.ones((3, 4))).graph
    assert [n.op.name for n in with_kernels(graph).nodes] == ["input", "greater", "sum", "max"]
    graph = tracefn.function(np.any, jit="off").get_concrete_function(np.ones((3, 4))).graph
    assert [n.op.name for n in with_kernels(graph).nodes] == ["input", "any"]


def test_no_references_are_lost():
    def f(x):
        return x.sum(), (x * 2).sum(axis=-1, keepdims=True)

    x = numbers("d", (3, 4))
    traced = native(f, x)
    dtype = np.dtype(np.float64)
    gc.collect()
    before = sys.getrefcount(dtype), sys.getrefcount(x)
    for _ in range(1000):
        traced(x)
    gc.collect()
    after = sys.getrefcount(dtype), sys.getrefcount(x)
    assert all(b - a <= 1 for a, b in zip(before, after, strict=True))


@pytest.mark.parametrize("count", [2, 3, 8])
def test_short_rows_that_are_stretched_along(count):
    def f(x, w, y):
        return ((x - w) * w).sum(), (x * w).max(), (y * w + 1).mean(axis=(1, 2)), ((y - w) ** 2).sum(axis=(0, 2))

    rng = np.random.default_rng(0)
    x, w, y = rng.normal(size=(3000, count)), rng.normal(size=count), rng.normal(size=(20, 300, count))
    for got, wanted in zip(native(f, x, w, y)(x, w, y), f(x, w, y), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-12)
    with np.errstate(over="ignore"):
        x[7, 1] = np.inf
        np.testing.assert_allclose(native(f, x, w, y)(x, w, y)[1], f(x, w, y)[1])
