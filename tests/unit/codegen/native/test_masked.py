"""Elements that a mask picks, computed with and written in kernels, against NumPy: values, warnings, what is fused."""

import numpy as np
import pytest
import tracefn
from native_outcomes import native, numbers, same, with_warnings
from tracefn.codegen.machine import abi
from tracefn.codegen.native.fusion.regions import KERNEL
from tracefn.codegen.native.pipeline import with_kernels
from tracefn.runtime.native_kernel import NativeKernel

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(40, 30)), RNG.normal(size=(40, 30))


def graph_of(f, *args):
    return with_kernels(tracefn.function(f, jit="off").get_concrete_function(*args).graph)


def is_one_kernel(f, *args):
    steps = [n for n in graph_of(f, *args).nodes if not n.is_leaf and n.op.name != "item"]
    return len(steps) == 1 and steps[0].op is KERNEL


def squared(x, y):
    z = x * 2
    inside = z < y
    z[inside] = z[inside] ** 2 + y[inside]
    return z


def test_what_is_computed_of_picked_elements_is_one_kernel_with_the_write():
    assert is_one_kernel(squared, X, Y)
    same(native(squared, X, Y)(X, Y), squared(X, Y))


@pytest.mark.parametrize("char", "?bhilBHILefdFD")
def test_dtypes(char):
    def f(x, y, m):
        z = np.where(m, x, y)
        z[m] = y[m] + x[m]
        z[~m] = 1
        z[x == y] = x[x == y]
        return z

    x, y = numbers(char, (30, 20), 1), numbers(char, (30, 20), 2)
    m = RNG.random((30, 20)) < 0.5
    same(native(f, x, y, m)(x, y, m), f(x, y, m))


@pytest.mark.parametrize("value", [3, 2.5, True, np.float32(0.1), np.int8(-3)])
def test_numbers(value):
    def f(x):
        z = x + 1
        z[z > 0] = value
        return z

    for x in (X, (X * 100).astype(int), X.astype(np.float32)):
        same(native(f, x)(x), f(x))


def test_values_that_are_found_out_in_a_call():
    def f(x, y):
        z = x + y
        z[z > 0] = y.sum()
        z[z < -1] = z[z < -1] * y[0, 0]
        return z

    same(native(f, X, Y)(X, Y), f(X, Y))


def test_elements_that_are_not_picked_raise_no_flag(monkeypatch):
    def f(x):
        z = x * 1.0
        z[z > 0] = 1 / z[z > 0]
        w = np.sqrt(z)
        w[w > 0] = np.log(w[w > 0]) + 1 / (w[w > 0] * 2)
        return z, w

    monkeypatch.setattr(NativeKernel, "_flagged", lambda kernel, *args: pytest.fail("a flag was raised"))
    x = np.where(X > 0, X, 0.0)
    traced = native(f, x)
    (got, warned), (wanted, none) = with_warnings(traced, x), with_warnings(f, x)
    same(got, wanted)
    assert warned == none == []


@pytest.mark.parametrize("wrong", [0.0, np.inf])
def test_picked_elements_warn_at_the_users_line(wrong):
    def f(x):
        z = x * 1.0
        z[z >= 0] = 1 / (z[z >= 0] - z[z >= 0])
        z[z == 7] = z[z == 7] / 0.5
        return z

    x = -np.abs(X) - 1
    traced = native(f, x)
    assert with_warnings(traced, x)[1] == with_warnings(f, x)[1] == []
    x[3, 4] = wrong
    (got, warned), (wanted, by_numpy) = with_warnings(traced, x), with_warnings(f, x)
    same(got, wanted)
    assert warned == by_numpy != []


def test_integers_divided_by_zero_only_where_they_are_picked():
    def f(x, y):
        z = x + 0
        z[y != 0] = x[y != 0] // y[y != 0] - x[y != 0] % y[y != 0]
        return z

    x, y = RNG.integers(-50, 50, (2, 40, 30))
    assert (y == 0).any()
    traced = native(f, x, y)
    (got, warned), (wanted, none) = with_warnings(traced, x, y), with_warnings(f, x, y)
    same(got, wanted)
    assert warned == none == []


def test_picked_elements_that_are_needed_otherwise_stay_with_numpy():
    def f(x, y):
        z = x + y
        inside = z > 0
        picked = z[inside] * 2
        z[inside] = picked
        return z, picked, picked.sum()

    traced = native(f, X, Y)
    for a, b in zip(traced(X, Y), f(X, Y), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-14)


def test_masks_that_differ_and_counts_that_do_not_fit():
    def other(x, y):
        z = x + y
        z[z > 0] = z[y > 0] * 2
        return z

    def long(x, y):
        z = x + y
        z[z > 0] = np.arange(5.0)
        return z

    for f in (other, long):
        traced = tracefn.function(f, jit="now")
        with pytest.raises(ValueError) as eager:
            f(X, Y)
        with pytest.raises(ValueError) as found:
            traced(X, Y)
        assert str(found.value) == str(eager.value)
    same(native(other, X, X)(X, X), other(X, X))


def test_masks_of_leading_axes_and_masks_that_broadcast():
    def f(x, y):
        z = x * y
        z[z[:, 0] > 0] = z[z[:, 0] > 0] * 2
        z[:, z[0] > 0] = 1.0
        return z

    same(tracefn.function(f, jit="now")(X, Y), f(X, Y))


def test_arguments_that_are_written_into_are_the_callers():
    def f(x, y):
        x[x > 0] = x[x > 0] * y[x > 0]
        x[x < -1] = 0
        y[y < 0] = np.sqrt(-y[y < 0])
        return x + y

    traced = native(f, X.copy(), Y.copy())
    x, y, a, b = X.copy(), Y.copy(), X.copy(), Y.copy()
    same(traced(x, y), f(a, b))
    np.testing.assert_array_equal(x, a)
    np.testing.assert_array_equal(y, b)


def test_what_was_there_before_a_write_stays():
    def f(x, y):
        z = x * y
        w = z[:10]
        before = w.copy()
        total = z + 1
        z[z > 0] = -z[z > 0]
        return z, w, before, total

    same(native(f, X, Y)(X, Y), f(X, Y))


def test_other_memory_layouts():
    traced = native(squared, X, Y)
    large = RNG.normal(size=(300, 200))
    for x, y in ((np.asfortranarray(X), Y), (X[::-1], Y[:, ::-1]), (X.T.copy().T, Y.T.copy().T)):
        got, wanted = traced(x, y), squared(x, y)
        np.testing.assert_array_equal(got, wanted)
        assert got.strides == wanted.strides
    for x, y in ((np.asfortranarray(large), np.asfortranarray(large) + 1), (large[::-1], large), (large.T, large.T)):
        got, wanted = native(squared, x, y)(x, y), squared(x, y)
        np.testing.assert_array_equal(got, wanted)
        assert got.strides == wanted.strides


def test_open_lengths():
    specs = [tracefn.TensorSpec((None, 3), np.float64)] * 2
    traced = tracefn.function(squared, jit="now", input_signature=specs)
    for size in (0, 1, 2, 7, 500):
        x, y = np.resize(X, (size, 3)), np.resize(Y, (size, 3))
        same(traced(x, y), squared(x, y))
    assert traced.concrete_functions[0].plan == "native"


def test_reductions_of_what_was_written():
    def f(x, y):
        z = x + y
        z[z > 1] = np.abs(z[z > 1]) - 1
        return z.sum(axis=1), z.max()

    same(native(f, X, Y)(X, Y), f(X, Y))


@pytest.mark.parametrize("precise", [False, True])
def test_precise(precise):
    def f(x, y):
        z = x + y
        z[z > 0] = np.exp(z[z > 0])
        z[z < -1] = z[z < -1] * 3
        return z

    got, wanted = native(f, X, Y, precise=precise)(X, Y), f(X, Y)
    np.testing.assert_array_equal(got, wanted) if precise else same(got, wanted)


BOUNDS = [2.0, 1e-170, 1e170, 0.0, -1.0, float("inf"), float("nan"), 1, 0.3]
PARTS = [0.0, -0.0, 1.0, -2.0, 1e200, 1e-200, 3e170, np.inf, -np.inf, np.nan, 0.3]


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("char", "FD")
def test_sizes_of_complex_numbers_beside_known_ones(char, bound):
    def f(z):
        return abs(z) < bound, bound < abs(z), np.abs(z) <= bound, abs(z) >= bound, np.less(np.absolute(z), bound)

    with np.errstate(all="ignore"):
        z = np.array([complex(a, b) for a in PARTS for b in PARTS]).astype(char)
    (got, warned), (wanted, none) = with_warnings(native(f, z), z), with_warnings(f, z)
    same(got, wanted)
    assert set(warned) == set(none)


def test_sizes_of_many_complex_numbers():
    z = (RNG.normal(size=20000) + 1j * RNG.normal(size=20000)) * 2.0 ** RNG.integers(-1070, 1020, 20000)
    few = RNG.normal(size=300) + 1j * RNG.normal(size=300)
    for x in (z, few.astype(np.complex64)):
        with np.errstate(all="ignore"):
            exact = np.hypot(x.real.astype(np.longdouble), x.imag.astype(np.longdouble))
            got = native(lambda x: abs(x) + 0, x)(x)
            unit, off = np.spacing(exact.astype(got.dtype)), np.abs(got.astype(np.longdouble) - exact)
        assert np.all((off <= 2 * unit)[np.isfinite(got)])
