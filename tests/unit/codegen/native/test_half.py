"""float16 in kernels: computed as float32 and rounded after each operation, as NumPy does."""

import numpy as np
import pytest
import tracefn
from native_outcomes import native, with_warnings
from tracefn.codegen.machine import abi
from tracefn.codegen.machine.processor import has_half

pytestmark = pytest.mark.skipif(bool(abi.unavailable()) or not has_half(), reason="no conversions of float16")

RNG = np.random.default_rng(0)


def test_every_number():
    x = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    y = np.roll(x, 12345)

    def f(x, y):
        return x + y, x - y, x * y, x / y, np.sqrt(x), np.maximum(x, y), x < y, x.astype(np.float32), np.rint(x), -x

    with np.errstate(all="ignore"):
        for a, b in zip(native(f, x, y)(x, y), f(x, y), strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)


def test_each_operation_is_rounded():
    x, y = RNG.random((2, 1000)).astype(np.float16)
    traced = native(lambda x, y: x * y + x - y * 3, x, y)
    np.testing.assert_array_equal(traced(x, y), x * y + x - y * 3)


def test_functions():
    x = RNG.random(1000).astype(np.float16)

    def f(x):
        return np.exp(x), np.log(x + 1), np.tanh(x) * 2, x**1.5

    for a, b in zip(native(f, x)(x), f(x), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=2 * np.finfo(np.float16).eps)


@pytest.mark.parametrize("z", [np.float16(2.5), 2.5, 3, np.array(0.5, np.float16)])
def test_scalars(z):
    x = RNG.random(100).astype(np.float16)
    traced = native(lambda x, z: x * z + z, x, z)
    np.testing.assert_array_equal(traced(x, z), x * z + z, strict=True)


def test_overflow_warns():
    x = np.full(100, 300, np.float16)
    traced = native(lambda x: x * x + 1, x / 4)
    assert [w[0] for w in with_warnings(traced, x)[1]] == [w[0] for w in with_warnings(lambda x: x * x + 1, x)[1]] != []


def test_reductions_are_numpys_but_for_those_to_other_dtypes():
    x = RNG.random((30, 40)).astype(np.float16)

    def f(x):
        return (x * 2).sum(), x.mean(0), x.var(), (x * 2).max(1), x.argmax(0), x.cumsum(0), (x > 0).sum(), x.any(0)

    for a, b in zip(tracefn.function(f, jit="now")(x), f(x), strict=True):
        np.testing.assert_array_equal(a, b, strict=True)
    np.testing.assert_allclose(native(lambda x: x.sum(dtype=np.float32), x)(x), x.sum(dtype=np.float32), rtol=1e-6)
