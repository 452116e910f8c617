"""NumPy's functions that are several operations for native code: the same values, dtypes and warnings."""

import numpy as np
import pytest
import sizes
import tracefn
from native_outcomes import native, numbers, same, with_warnings
from tracefn.codegen.machine import abi

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())


def odd(char, shape):
    """Numbers with NaN, infinities and zeros among them."""
    found = numbers(char, shape, 3) - 1
    found.reshape(-1)[::7] = np.nan
    found.reshape(-1)[1::11] = np.inf
    found.reshape(-1)[2::13] = -np.inf
    found.reshape(-1)[3::5] = 0
    return found


EXACT = {
    "nan_to_num": lambda x, y: (np.nan_to_num(x), np.nan_to_num(y, nan=1.5, posinf=9.0), np.nan_to_num(x, neginf=-1)),
    "isclose": lambda x, y: (np.isclose(x, y), np.isclose(x, 0.5, atol=0.1), np.isclose(y, x, rtol=0.5)),
    "round": lambda x, y: (np.round(x), x.round(2), np.around(y, -1), np.fix(x * 9), np.rint(y)),
    "heaviside": lambda x, y: (np.heaviside(x, 0.5), np.heaviside(x, y)),
    "divisions": lambda x, y: (x % 0.3, x // 0.3, y // -0.7, np.fmod(x, 0.2), np.remainder(y, x), x % -0.3),
    "ptp": lambda x, y: (np.ptp(x), np.ptp(y, axis=0), np.ptp(x, axis=1, keepdims=True)),
    "diff": lambda x, y: (np.diff(x) * 2, np.diff(y, axis=0) + 1, np.diff(x, 2) * 2, abs(np.diff(y, n=2, axis=0))),
    "gradient": lambda x, y: (*np.gradient(x), np.gradient(y, 0.1, axis=0), *np.gradient(x, 0.5), np.gradient(y[0])),
    "outer": lambda x, y: (np.outer(x[0], y[:, 0]), np.outer(x[1], x[2]) + 1),
    "extrema without NaN": lambda x, y: (np.nanmax(x), np.nanmin(y, axis=0), np.nanmax(x - y, axis=1), np.nanmin(y)),
    "select": lambda x, y: (np.select([x < 0.7, x < 1], [x, y * 2], 0.5), np.select([x > y], [x])),
    "polynomials": lambda x, y: np.polyval([1.0, 2, -3.0], x) if x.dtype == float else x + y,
    "norms by extrema": lambda x, y: (
        np.linalg.norm(x, np.inf, axis=1),
        np.linalg.norm(y[0], -np.inf),
        np.linalg.norm(x[:, 0], 0),
        np.linalg.norm(y, np.inf, axis=0, keepdims=True),
    ),
}

ROUNDED = {
    "logaddexp": lambda x, y: (np.logaddexp(x, y), np.logaddexp2(x, -y), np.logaddexp(x * 1000, 3)),
    "sinc": lambda x, y: (np.sinc(x), np.sinc(y - y)),
    "norms": lambda x, y: (
        np.linalg.norm(x),
        np.linalg.norm(x, "fro"),
        np.linalg.norm(x - y),
        np.linalg.norm(x[0], 1),
        np.linalg.norm(y, 1, axis=0),
        np.linalg.norm(y, 2, axis=1),
        np.linalg.norm(x, keepdims=True),
        np.linalg.norm(x[:, 1]),
    ),
    "sums without NaN": lambda x, y: (np.nansum(x), np.nansum(y, axis=0), np.nansum(x * y, axis=1, keepdims=True)),
    "means without NaN": lambda x, y: (np.nanmean(x), np.nanmean(y, axis=0), np.nanmean(x, axis=1)),
    "trapezoid": lambda x, y: (
        np.trapezoid(x, dx=0.1),
        np.trapezoid(y, axis=0),
        np.trapezoid(y, x),
        np.trapezoid(y, x[0]),
    ),
    "convolve": lambda x, y: (
        np.convolve(x[0], y[0, :4], "valid"),
        np.convolve(y[1], x[0, :2], "valid"),
    ),
}


def agree(got, wanted, ulps):
    """Equal, but for so many units in the last place of the largest number."""
    got, wanted = (r if isinstance(r, tuple) else (r,) for r in (got, wanted))
    for a, b in zip(got, wanted, strict=True):
        assert (type(a), a.dtype, a.shape) == (type(b), b.dtype, b.shape)
        if not ulps or b.dtype.kind != "f":
            np.testing.assert_array_equal(a, b)
            continue
        near = ulps * np.finfo(b.dtype).eps
        np.testing.assert_allclose(a, b, rtol=near, atol=near * np.max(np.abs(b), initial=0, where=np.isfinite(b)))


def check(f, x, y, ulps):
    traced = native(f, x, y)
    (got, warned), (wanted, meant) = with_warnings(traced, x, y), with_warnings(f, x, y)
    agree(got, wanted, ulps)
    assert {w[0] for w in warned} == {w[0] for w in meant}


@pytest.mark.sampled(4, everywhere=True)
@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("name", [*EXACT, *ROUNDED])
def test_values(name, char):
    for shape in ((30, 70), (5, 6)):
        check((EXACT | ROUNDED)[name], numbers(char, shape), numbers(char, shape, 1), 0 if name in EXACT else 40)


@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("name", [*EXACT, *ROUNDED])
def test_special_values_and_warnings(name, char):
    check((EXACT | ROUNDED)[name], odd(char, (30, 70)), numbers(char, (30, 70), 1), 0 if name in EXACT else 100)


@pytest.mark.parametrize("char", "fd")
def test_convolutions_of_many_numbers(char):
    def f(x, y):
        short, shorter = np.array([0.5, 0.25, -1.0], y.dtype), np.array([0.5, -1.0], y.dtype)
        return np.convolve(y, short), np.convolve(y, short, "same"), np.convolve(x, shorter, "same")

    assert not np.isfinite(odd(char, (1, 6000))).all()
    check(f, numbers(char, 6000), numbers(char, 6000, 1), 40)
    check(f, odd(char, (1, 6000))[0], numbers(char, 6000, 1), 100)


def test_convolutions_of_few_numbers_are_left_to_numpy():
    traced = tracefn.function(lambda x: np.convolve(x, np.array([0.25, 0.5, 0.25]), "same"), jit="now")
    traced(numbers("d", 100))
    assert traced.concrete_functions[0].plan == "numpy"


def test_other_layouts():
    x, y = np.asfortranarray(numbers("d", (300, 400))), numbers("d", (600, 400), 1)[::2]
    for name, f in list((EXACT | ROUNDED).items())[:: sizes.of(3, 1)]:
        if name not in ("outer", "convolve"):
            agree(with_warnings(native(f, x, y), x, y)[0], with_warnings(f, x, y)[0], 0 if name in EXACT else 300)


def test_nothing_but_nan_warns_as_numpy_does():
    def f(x):
        return np.nanmean(x, axis=0), np.nansum(x, axis=0), np.nanmean(x), np.nanmax(x, axis=0)

    x = numbers("d", (40, 50))
    x[:, 3] = np.nan
    (got, warned), (wanted, meant) = with_warnings(native(f, x), x), with_warnings(f, x)
    same(got, wanted)
    assert [w[0] for w in warned] == [w[0] for w in meant] == ["Mean of empty slice", "All-NaN slice encountered"]


def test_what_numpy_does_in_libraries_is_silent():
    def f(x, k):
        return np.convolve(x, k, "valid") + 1

    x, k = np.full(100, 1e200), np.array([1e200, 1, -1e200])
    (got, warned), (wanted, meant) = with_warnings(native(f, x, k), x, k), with_warnings(f, x, k)
    agree(got, wanted, 0)
    assert warned == meant == []
    _, warned = with_warnings(native(lambda x: (np.linalg.norm(x), np.linalg.norm(x, axis=0)), x), x)
    assert [w[0] for w in warned] == ["overflow encountered in multiply"] * 2


def test_integers():
    def f(i, j):
        return (
            i**5 + j**7,
            np.bitwise_count(i),
            np.diff(i),
            np.ptp(j, axis=0),
            i % 7,
            np.round(i, 1),
            np.nansum(i, axis=1),
            np.nanmean(j),
            np.nan_to_num(i),
            np.fix(j),
            np.select([i > j], [i], 0),
        )

    for char in "bhilBHIL":
        i, j = numbers(char, (30, 70)), numbers(char, (30, 70), 1)
        same(native(f, i, j)(i, j), f(i, j), 100)


@pytest.mark.parametrize("char", "FD")
def test_complex_numbers(char):
    rng = np.random.default_rng(0)
    z = (rng.normal(size=(30, 70)) + 1j * rng.normal(size=(30, 70))).astype(char)

    def f(z):
        return np.angle(z), np.linalg.norm(z), np.linalg.norm(z, axis=1), np.linalg.norm(z, np.inf, axis=0)

    same(native(f, z)(z), f(z), 40)


def test_products_of_vectors():
    for shape in ((1000, 3), (4, 50, 3)):
        a, b = numbers("d", shape), numbers("d", shape, 1)
        same(native(np.cross, a, b)(a, b), np.cross(a, b), 0)


def test_single_operations_of_whole_programs_are_kernels():
    x, y = numbers("d", 100), numbers("d", 100, 1)
    for f in (np.add, np.hypot, np.less, lambda x, y: x[1:] - y[:-1]):
        same(native(f, x, y)(x, y), f(x, y))
    traced = tracefn.function(lambda x, y: (x @ y) + x, jit="now")
    traced(x, y)
    assert traced.concrete_functions[0].plan == "numpy"


def test_select_gives_c_order_whatever_it_is_given():
    def f(x):
        return np.select([x > 0.7, x < 0.2], [x * 2, x - 1], 0.5)

    x = np.asfortranarray(numbers("d", (30, 70)))
    assert native(f, x)(x).strides == f(x).strides == (560, 8)


@pytest.mark.parametrize("function", [np.logaddexp, np.logaddexp2])
def test_infinities_are_added_in_silence(function):
    x = np.tile([np.inf, -np.inf, -np.inf, 0.0, np.nan], 20)
    y = np.tile([np.inf, -np.inf, np.inf, -np.inf, 1.0], 20)
    f = native(lambda x, y: function(x, y) * 1, x, y)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(f(x, y), function(x, y), rtol=1e-15)
    (got, warned), (wanted, meant) = with_warnings(f, x, y), with_warnings(lambda x, y: function(x, y) * 1, x, y)
    np.testing.assert_allclose(got, wanted, rtol=1e-15)
    assert [w[0] for w in warned] == [w[0] for w in meant]
