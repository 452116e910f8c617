"""Complex numbers in kernels against NumPy: arithmetic, special values, casts, sums, scalars, views of their parts."""

import numpy as np
import pytest
import tracefn
from agreement import assert_alike
from native_outcomes import native, with_warnings
from tracefn.codegen.machine import abi

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

PARTS = [0.0, -0.0, 1.0, -2.5, 3e10, -1e-8, np.inf, -np.inf, np.nan]


def special(char):
    """All pairs of parts that make trouble."""
    real, imag = np.meshgrid(PARTS, PARTS)
    found = np.empty(real.size, char)
    found.real, found.imag = real.ravel(), imag.ravel()
    return found


def some(char, shape=(30, 70), seed=0):
    rng = np.random.default_rng(seed)
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(char)


OPS = {
    "sums": (lambda x, y: (x + y, x - y, -x, +x, x.conj() + 0, x == y, x != y, x == x), 0),
    "products": (lambda x, y: (x * y, x**2, np.square(y), x * 2, 1j * y), 4),
    "quotients": (lambda x, y: (x / y, 1 / x, y / 3), 4),
    "sizes": (lambda x, y: (abs(x), np.absolute(y) * 2), 4),
    "tests": (lambda x, y: (np.isnan(x), np.isinf(x), np.isfinite(y), np.logical_not(x), (x != 0) & (y != 0)), 0),
    "choices": (lambda x, y: (np.where(x == y, x, y), np.where(abs(x) > 1, x, 0)), 0),
    "exp": (lambda x, y: (np.exp(x), np.exp(y * 0.5)), 8),
    "roots": (lambda x, y: (np.sqrt(x), np.sqrt(y * 0.5), x**0.5), 4),
    "logarithms": (lambda x, y: (np.log(x), np.log(y) * 2), 4),
    "waves": (lambda x, y: (np.sin(x), np.cos(y) + 0), 4),
    "hyperbolic": (lambda x, y: (np.sinh(x), np.cosh(y), np.tanh(x) + 0), 6),
    "powers": (lambda x, y: (x**3, y**4, x**3 + y), 8),
    "whole powers": (lambda x, y: (x**5, y**-1, x**-2, np.power(y, -3), np.power(x, 2), x**7.0), 24),
    "real powers": (lambda x, y: (x**2.5, y**-0.3, np.power(x, 0.5), x**y.real), 16),
    "complex powers": (lambda x, y: (x**y, y ** (0.5 - 1j), 2**x, np.power(y, 1j)), 24),
    "signs": (lambda x, y: (np.sign(x), np.reciprocal(y), np.sign(y) * 2), 4),
    "other bases": (lambda x, y: (np.exp2(x), np.expm1(y), np.log2(x), np.log10(y), np.log1p(x)), 8),
    "tangents": (lambda x, y: (np.tan(x), np.tan(y) + 0), 8),
}


@pytest.mark.sampled(3, everywhere=True)
@pytest.mark.parametrize("name", OPS)
@pytest.mark.parametrize("char", "FD")
def test_values_and_warnings(name, char):
    f, ulps = OPS[name]
    x = some(char)
    traced = native(f, x, x)
    assert_alike(traced(x, x[::-1].copy()), f(x, x[::-1]), ulps=ulps)
    pairs = np.meshgrid(special(char), special(char))
    odd = [np.resize(p, (94, 70)) for p in pairs]
    traced = native(f, odd[0], odd[1])
    (got, warned), (wanted, meant) = with_warnings(traced, *odd), with_warnings(f, *odd)
    assert_alike(got, wanted, ulps=ulps)
    assert {w[0] for w in warned} == {w[0] for w in meant}


FUNCTIONS = [np.sqrt, np.log, np.sin, np.cos, np.sinh, np.cosh, np.tanh, np.exp]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("char", "FD")
def test_last_places_of_both_parts(function, char):
    """Also next to the unit circle, where nearly all of a logarithm cancels."""
    rng, count = np.random.default_rng(0), 20_000
    angles, radii = rng.uniform(0, 7, count), 1 + rng.normal(size=count) * 1e-3
    near = radii * np.exp(1j * angles)
    mid = rng.normal(size=count) * 2 + 2j * rng.normal(size=count)
    for x in (near.astype(char), mid.astype(char)):
        got, exact = native(lambda x: function(x) + 0, x)(x), function(x.astype(np.clongdouble))
        for part in (np.real, np.imag):
            a, b = part(got).astype(np.longdouble), part(exact)
            units = np.abs(a - b) / np.spacing(np.abs(b).astype(part(got).dtype))
            assert units.max() <= (8 if function is np.tanh else 4)  # NumPy's own tanh: 5.3


@pytest.mark.parametrize("char", "FD")
def test_functions_of_large_and_small_numbers(char):
    rng, info = np.random.default_rng(0), np.finfo(char)
    sizes = 2.0 ** rng.uniform(np.log2(float(info.tiny)) - 10, info.maxexp - 1, (2, 3000))
    with np.errstate(all="ignore"):
        x = np.empty(3000, char)
        x.real, x.imag = sizes * rng.choice([-1, 1], (2, 3000))
    f = lambda x: (np.sqrt(x), np.log(x), np.tanh(x))  # noqa: E731
    (got, warned), (wanted, meant) = with_warnings(native(f, x), x), with_warnings(f, x)
    assert_alike(got, wanted, ulps=6)
    assert {w[0] for w in warned} == {w[0] for w in meant}


@pytest.mark.parametrize("char", "FD")
def test_divisors_that_are_zero_or_nan(char):
    """Few elements, which are no vectors: machine code compares vectors with NaN in another way."""
    divisors = [0, complex(-0.0, -0.0), complex(np.nan, 1), complex(1, np.nan), complex(np.nan, np.nan)]
    f = lambda x, y: (x / y, np.reciprocal(y))  # noqa: E731
    traced = native(f, np.ones(3, char), np.ones(3, char))
    for y in divisors:
        for x in (1, 0, 1j, complex(np.inf, 2), complex(3, np.nan)):
            args = np.full(3, x, char), np.full(3, y, char)
            (got, warned), (wanted, meant) = with_warnings(traced, *args), with_warnings(f, *args)
            assert_alike(got, wanted, ulps=0)
            assert warned == meant != []
            with np.errstate(all="ignore"):
                assert_alike(traced(*args), f(*args), ulps=0)


@pytest.mark.parametrize("char", "FD")
def test_zeros_raise_no_flags(char):
    x = np.zeros((30, 70), char)
    traced = native(lambda x: (abs(x) < 2, x * x + 1, np.exp(x)), x)
    (kernel,) = traced.concrete_functions[0]._execution.native.kernels
    kernel._flagged = None
    kernel.__dict__["_numpy"] = None
    assert_alike(kernel._computed((x,), False), (abs(x) < 2, x * x + 1, np.exp(x)), ulps=4)


def test_mixed_dtypes_and_casts():
    def f(x, y, r, i, b):
        return x + y, x * r, r + 1j * i, x + b, y.astype("D") * 2, r.astype("F") + i, x.astype(bool) | b, y - i

    rng = np.random.default_rng(0)
    args = some("F"), some("D"), rng.random((30, 70)), rng.integers(-9, 9, (30, 70), np.int32), rng.random(70) > 0.5
    assert_alike(native(f, *args)(*args), f(*args), ulps=4)


@pytest.mark.parametrize("char", "FD")
def test_scalars(char):
    x = some(char)
    for z in (2 - 3j, np.complex64(1 + 2j), np.complex128(-1j), np.array(1.5j), 4, 2.5):
        traced = native(lambda x, z: (x * z, x + z), x, z)
        assert_alike(traced(x, z), (x * z, x + z), ulps=4)


@pytest.mark.parametrize("char", "FD")
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
def test_reductions(char, axis):
    def f(x):
        return x.sum(axis), (x * x.conj()).sum(axis, keepdims=True), x.mean(axis), x.any(axis), (x == 1).all(axis)

    for shape in ((1, 1), (30, 70), (300, 3)):
        x = some(char, shape) + 2
        assert_alike(native(f, x)(x), f(x), ulps=40)


def test_threads_change_nothing():
    def f(x):
        return (x * x).sum(), (x * x).sum(axis=0), x * 2

    x = some("D", (1000, 1100)) + 2
    traced = native(f, x)
    results = []
    for count in (1, 3):
        with tracefn.config.threads(count):
            results.append(traced(x))
    for a, b in zip(*results, strict=True):
        np.testing.assert_array_equal(a, b)
    assert_alike(results[0], f(x), ulps=1000)


def test_parts_are_read_in_place():
    def f(x):
        return x.real**2 + x.imag**2, np.imag(x)[1:] * 2 + 1, x[::2].real - 1 + x[::2].imag

    for char in "FD":
        x = some(char)
        traced = native(f, x)
        assert_alike(traced(x), f(x), ulps=0)
        assert all(len(k.graph.inputs) == 1 for k in traced.concrete_functions[0]._execution.native.kernels)


def test_any_memory_layout():
    def f(x):
        return x * 2 + 1, abs(x) + 1

    x = some("D", (300, 400))
    traced = tracefn.function(f, jit="now", input_signature=[tracefn.TensorSpec((None, None), np.complex128)])
    for given in (x, x.T, x[::2, ::-1], np.asfortranarray(x)):
        got, wanted = traced(given), f(given)
        assert_alike(got, wanted, ulps=4)
        assert got[0].strides == wanted[0].strides


def test_what_depends_on_the_processor_is_numpys_in_precise_functions():
    x = some("D")

    def f(x):
        return x * x + 1, x + x - 1, abs(x)

    for a, b in zip(tracefn.function(f, jit="now", precise=True)(x), f(x), strict=True):
        np.testing.assert_array_equal(a, b)


def test_warnings_of_casts_stay_numpys():
    def f(x):
        return (x * 2).astype(np.float64) + 1

    x = some("D")
    traced = native(lambda x: f(x) + 1, x)
    assert [w[0] for w in with_warnings(traced, x)[1]] == [w[0] for w in with_warnings(f, x)[1]] != []


def test_powers_of_zero():
    def f(z):
        return z**0.5, z**2.5, z ** (1 + 1j), z**3, z**0

    z = np.zeros(100, complex)
    z[::3] = 2 - 1j
    traced = native(f, z)
    (got, warned), wanted = with_warnings(traced, z), f(z)
    assert_alike(got, wanted, ulps=8)
    assert not warned

    def inverse(z):
        return z**-1.5, z**-2

    (got, warned), (wanted, meant) = with_warnings(native(inverse, z), z), with_warnings(inverse, z)
    assert_alike(got, wanted, ulps=8)
    assert warned == meant


@pytest.mark.parametrize("char", "FD")
def test_whole_numbers_as_exponents_give_whole_numbers(char):
    z = np.array([1 + 2j, -3 + 1j, 4j, -2] * 20, char)
    w = np.array([1, 2, 3, 2] * 20, char)
    np.testing.assert_array_equal(native(lambda z, w: z**w, z, w)(z, w), z**w)
    np.testing.assert_array_equal(native(lambda z: z**5, z)(z), z**5)


@pytest.mark.parametrize("char", "FD")
def test_accuracy_of_powers(char):
    """What is lost grows with the logarithm of the result, as in C."""
    rng = np.random.default_rng(0)
    z = (rng.normal(size=5000) * 2 + 2j * rng.normal(size=5000)).astype(char)
    w = (rng.normal(size=5000) + 1j * rng.normal(size=5000)).astype(char)
    exact = z.astype(np.clongdouble) ** w
    size = 1 + np.abs(w * np.log(z))
    got = native(lambda z, w: z**w, z, w)(z, w)
    assert np.max(np.abs(got - exact) / np.abs(exact) / size) < 3 * np.finfo(char).eps
