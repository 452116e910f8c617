"""The memory layout of what kernels give: that of eager NumPy."""

import numpy as np
import pytest
import tracefn
from native_outcomes import native
from tracefn.codegen.machine import abi

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

RNG = np.random.default_rng(0)
C, F, ROW, COLUMN = RNG.random((200, 300)), RNG.random((300, 200)).T, RNG.random(300), RNG.random((200, 1))
CUBE = RNG.random((20, 30, 40))

CASES = {
    "mixed": (lambda x, y, z: (x * 2 + 1, (x + y) * z, y - z), (F, C, ROW)),
    "stretched": (lambda x, y: (x + y) * 2, (F, COLUMN)),
    "stretched first": (lambda x, y: (y + x) * 2, (F, COLUMN)),
    "choices": (lambda x, y: np.where(x > 0.5, y, 1) + x, (F, C)),
    "clip": (lambda x, y: np.clip(x, 0, y) * 2, (C[::2], np.asfortranarray(C[::2]))),
    "casts": (lambda x: x.astype(np.float32) * 2, (F,)),
    "copies": (
        lambda x: (np.broadcast_to(x, (2, 200, 300)).astype("F"), np.nan_to_num(np.broadcast_to(x, (2, 200, 300)))),
        (C,),
    ),
    "rounded": (lambda x: (np.round(x[::2].T, 2), np.round(x.T, 1), np.round(x[::2].T)), (C,)),
    "cubes": (lambda x, y: (x + y) * 2 + x, (RNG.random((40, 30, 20)).T, RNG.random((20, 1, 40)))),
    "transposed inside": (lambda x: x.T * 2 + 1, (C,)),
    "turned inside": (lambda x: x[::-1, ::-1].T * 2 + 1, (C,)),
    "axes inside": (lambda x: x.transpose(2, 0, 1) * 2 + 1, (CUBE,)),
    "axes and all": (lambda x: (x.transpose(1, 0) + 1, x.T.sum(0)), (C,)),
    "sums 0": (lambda x: (x.transpose(2, 0, 1) * 2 + 1).sum(0), (CUBE,)),
    "sums 1": (lambda x: (x.transpose(2, 0, 1) * 2).sum(1, keepdims=True), (CUBE,)),
    "sums 2": (lambda x: (x.transpose(2, 0, 1) * 2).sum(2), (CUBE,)),
    "sums 0 2": (lambda x: (x.transpose(2, 0, 1) * 2).max((0, 2), keepdims=True), (CUBE,)),
    "positions": (lambda x: ((x.T * 2).argmax(), (x.T * 2).argmin(0), (x.T * 2).argmax(1)), (C,)),
}


@pytest.mark.parametrize("name", CASES)
def test_layouts(name):
    f, args = CASES[name]
    traced = native(f, *args)
    for threads in (1, 3):
        with tracefn.config.threads(threads):
            got, wanted = traced(*args), f(*args)
        got, wanted = (r if isinstance(r, tuple) else (r,) for r in (got, wanted))
        for a, b in zip(got, wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)
            assert (a.dtype, a.strides) == (b.dtype, b.strides)


def test_layouts_of_large_arrays():
    x = RNG.random((1300, 1500))

    def f(x):
        return x.T * 2 + 1, (x.T * 2).sum(0), (x.T * 2).sum(1)

    traced = native(f, x)
    for threads in (1, 3):
        with tracefn.config.threads(threads):
            for a, b in zip(traced(x), f(x), strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-12)
                assert a.strides == b.strides


SMALL = {
    "by columns": (lambda x, y: ((x + y) * 2, x < y), (F[:20, :30].copy("F"), C[:20, :30].copy("F"))),
    "casts by columns": (lambda x: (x.astype(np.float32) * 2, x > 0.5), (F[:20, :30].copy("F"),)),
    "alone": (lambda x: x + 1, (F[:5, :7].copy("F"),)),
    "by columns and by rows": (lambda x, y: (x + y) * 2, (F[:20, :30].copy("F"), C[:20, :30].copy())),
    "one row": (lambda x, y: (x + y) * 2, (F[:1, :30].copy("F"), C[:1, :30].copy())),
    "axes in another order": (lambda x, y: (x + y) * 2, (CUBE.transpose(1, 0, 2), CUBE.transpose(1, 0, 2) * 2)),
    "parts": (lambda x, y: (x + y) * 2, (F[:20, :30], C[:20, :30])),
    "sums of columns": (lambda x: (x.sum(0), (x * 2).max(1), x.mean()), (F[:20, :30].copy("F"),)),
    "rows": (lambda x: x - x.mean(-1, keepdims=True), (F[:60, :30].copy("F"),)),
    "many rows": (lambda x: np.exp(x - x.max(-1, keepdims=True)) * 2, (F.copy("F"),)),
}


@pytest.mark.sampled(3, everywhere=True)
@pytest.mark.parametrize("spec", [None, "open"])
@pytest.mark.parametrize("name", SMALL)
def test_layouts_of_small_arrays(name, spec):
    f, args = SMALL[name]
    options = {} if spec is None else {"input_signature": [tracefn.TensorSpec((None,) * a.ndim, a.dtype) for a in args]}
    traced = native(f, *args, **options)
    for got, wanted in zip(_parts(traced(*args)), _parts(f(*args)), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-14, atol=1e-15)
        assert got.flags.c_contiguous == wanted.flags.c_contiguous
        assert got.flags.f_contiguous == wanted.flags.f_contiguous


def _parts(result):
    return result if isinstance(result, tuple) else (result,)
