"""Powers that are products and roots in kernels, against NumPy: special values, warnings, the last places."""

import numpy as np
import pytest
from native_outcomes import native, numbers, same, with_warnings
from tracefn.codegen.machine import abi
from tracefn.codegen.native.scalar.rules import POWERS

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, -3.0, np.inf, -np.inf, np.nan, 1e-300, 1e300, -1e-300, -1e300, 5e-324, 1e-154]


@pytest.mark.parametrize("exponent", POWERS)
@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("errors", ["warn", "ignore"])
def test_special_values(exponent, char, errors):
    with np.errstate(all="ignore"):
        x = np.array(SPECIAL * 3, char)
    f = lambda x: x**exponent + 0  # noqa: E731
    with np.errstate(all=errors, under="ignore"):
        traced = native(f, x)
        (got, warned), (wanted, by_numpy) = with_warnings(traced, x), with_warnings(f, x)
        assert {text for text, *_ in warned} == {text for text, *_ in by_numpy}
        np.testing.assert_allclose(got, wanted, rtol=4 * np.finfo(char).eps, atol=4 * np.finfo(char).smallest_subnormal)
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(np.signbit(1 / got), np.signbit(1 / wanted))


@pytest.mark.parametrize("exponent", POWERS)
@pytest.mark.parametrize("char", "fd")
def test_last_places(exponent, char):
    limit = np.log2(np.finfo(char).max) / max(abs(exponent), 1) - 1
    rng = np.random.default_rng(0)
    x = (2.0 ** rng.uniform(-limit, limit, 50_000)).astype(char)
    got = native(lambda x: x**exponent + 0, x)(x)
    exact = x.astype(np.longdouble) ** np.longdouble(exponent)
    units = np.abs(got.astype(np.longdouble) - exact) / np.spacing(exact.astype(char))
    assert units.max() <= 3


@pytest.mark.parametrize("char", "?bhilBHIL")
def test_integers(char):
    x = numbers(char, (40, 30))
    f = lambda x: (x**3 - 1, x**4 + x)  # noqa: E731
    same(native(f, x)(x), f(x))


def test_precise_powers_are_numpys():
    x = np.random.default_rng(0).random(1000) + 0.5
    f = lambda x: (x * 2 + 1) ** 3 + (x + 1) ** -1.5  # noqa: E731
    np.testing.assert_array_equal(native(f, x, precise=True)(x), f(x))
