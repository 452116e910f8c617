"""Kernels that read through views of their arguments: stencils, transposes, reversed arrays."""

import numpy as np
import pytest
import tracefn
from tracefn.codegen.machine import abi
from tracefn.runtime import native_kernel

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())


def base(*shape, dtype=np.float64):
    return np.random.default_rng(0).random(shape).astype(dtype)


PROGRAMS = {
    "differences": lambda x: (x[1:] - x[:-1]) * 2,
    "heat": lambda x: x[1:-1, 1:-1] + 0.1 * (x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2]),
    "steps": lambda x: x[::2, ::3] * 2 + x[1::2, 1::3][: len(x[::2]), : len(x[0, ::3])] if len(x) % 2 == 0 else x + x,
    "transposed": lambda x: x.T * 2 + x.T,
    "both": lambda x: x[:4, :4].T * 2 + x[:4, :4],
    "reversed": lambda x: x[::-1] * 2 + x[:, ::-1],
    "new axes": lambda x: x[:, None] * 2 + x[None, :, :],
    "one row": lambda x: x[0] * 2 + x,
    "rows": lambda x: x[0] * 2 + x[1],
    "reshaped": lambda x: x.reshape(-1) * 2 + x.ravel(),
    "reshaped and cut": lambda x: x.reshape(2, -1)[:, 1:] * 2 + 1,
    "copied": lambda x: x.T.reshape(-1) * 2 + 1,
    "diagonal": lambda x: np.diagonal(x) * 2 + x[:4, 0],
    "stretched": lambda x: np.broadcast_to(x[0], x.shape) * 2 + x,
    "flipped": lambda x: np.flip(x) * 2 + np.rot90(x, 2),
    "views of views": lambda x: x[1:][:, 1:].T[::-1] * 2 + 1,
    "several results": lambda x: (x[1:] * 2 + x[:-1], x[1:] - x[:-1] * 3),
    "a view that is also a result": lambda x: (x[1:], x[1:] * 2 + x[:-1]),
    "empty": lambda x: x[3:3] * 2 + x[2:2],
    "a single element": lambda x: x[1:2, 1:2] * 2 + x[0:1, 0:1],
    "of something computed": lambda x: (np.sqrt(x) + x)[1:] * 2 + x[:-1],
}
LAYOUTS = {
    "C": lambda x: x,
    "Fortran": np.asfortranarray,
    "strided": lambda x: np.repeat(x, 2, axis=0)[::2],
    "reversed": lambda x: x[::-1],
}


@pytest.fixture(autouse=True)
def small_arrays_are_worth_planning(monkeypatch):
    monkeypatch.setattr(native_kernel, "WORTH_PLANNING", 0)


@pytest.mark.parametrize("name", PROGRAMS)
def test_views(name):
    eager = PROGRAMS[name]
    f = tracefn.function(eager, jit="now")
    for dtype in (np.float64, np.int16, np.bool_):
        whole = (base(4, 6) * 9).astype(dtype)
        for layout in LAYOUTS.values():
            x = layout(whole)
            try:
                wanted = eager(x)
            except TypeError:  # booleans are not subtracted
                continue
            got = f(x)
            for a, b in zip(*[r if isinstance(r, tuple) else (r,) for r in (got, wanted)], strict=True):
                assert (a.dtype, a.shape) == (b.dtype, b.shape)
                np.testing.assert_array_equal(a, b)
    if name not in ("new axes", "one row"):  # of which each shape has one operation alone
        assert f.concrete_functions[0].plan == "native"


def test_the_program_makes_no_views():
    f = tracefn.function(PROGRAMS["heat"], jit="now")
    f(base(5, 5))
    assert f.concrete_functions[0].native_program.splitlines()[1:] == ["    v1 = kernel0(x)", "    return v1"]


def test_views_of_open_lengths_are_left_to_numpy():
    eager = PROGRAMS["differences"]
    f = tracefn.function(eager, jit="now", input_signature=[tracefn.TensorSpec((None,), np.float64)])
    for n in (2, 5, 1):
        np.testing.assert_array_equal(f(base(n)), eager(base(n)))


def test_writes_between_are_not_read_too_early():
    def eager(x):
        y = x[1:] * 2 + x[:-1]
        x[0] = 100.0
        z = x[1:] * 2 + x[:-1]
        x[1:] = y
        return y, z, x * 2 + x[::-1]

    f = tracefn.function(eager, jit="now")
    for _ in range(2):
        a, b = base(5), base(5)
        for got, wanted in zip(f(a), eager(b), strict=True):
            np.testing.assert_array_equal(got, wanted)
        np.testing.assert_array_equal(a, b)


def test_large_stencils_in_threads():
    eager = PROGRAMS["heat"]
    f = tracefn.function(eager, jit="now")
    for shape in ((1500, 400), (3, 300_000)):
        x = base(*shape)
        for count in (1, 3):
            with tracefn.config.threads(count):
                np.testing.assert_array_equal(f(x), eager(x))
