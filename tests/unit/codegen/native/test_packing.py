"""Elements that do not lie one after the other, and rows of few elements, are copied together: NumPy's results for each
shape and each memory layout."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import tracefn
from native_outcomes import native, same, with_warnings
from tracefn.codegen.machine import abi
from tracefn.codegen.machine.processor import vector_bits

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

RNG = np.random.default_rng(0)


def waves(x, y):
    return np.tanh(x / y) * 2, np.log(x + y) > 0.5


def numbers(*shape, dtype="d"):
    return (RNG.random(shape) + 0.5).astype(dtype)


SHAPES = [(1, 3), (7, 1), (170, 3), (171, 3), (1000, 2), (40, 16), (9, 100), (3, 255), (3, 257), (2, 511), (2, 1025)]


@pytest.mark.sampled(3, everywhere=True)
@pytest.mark.parametrize(("shape", "dtype"), [*[(shape, "d") for shape in SHAPES], ((171, 3), "f"), ((2, 1025), "f")])
def test_rows_beside_what_is_the_same_for_all(shape, dtype):
    rows, columns = shape
    x = numbers(rows, columns, dtype=dtype)
    for y in (numbers(columns, dtype=dtype), numbers(rows, 1, dtype=dtype), numbers(1, columns, dtype=dtype)):
        same(native(waves, x, y)(x, y), waves(x, y))


@pytest.mark.parametrize("shape", [(60, 300), (30, 200, 3), (300, 60), (20, 30, 40), (18_000,)])
def test_arrays_that_lie_in_other_ways(shape):
    whole = numbers(*[2 * n for n in shape])
    x = whole[tuple([slice(None, None, 2)] * len(shape))]
    f = native(waves, x.copy(), x.copy())
    layouts = [x, x[::-1], np.asfortranarray(x), np.broadcast_to(x[:1], x.shape), x.copy()]
    for a in layouts:
        for b in layouts:
            same(f(a, b), waves(a, b))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: (np.where(x.real > 0.7, x, 1j) * np.exp(x), abs(x)),
        lambda x: (x.real.astype(np.int8) * 2, np.exp(x.real)),
        lambda x: (x.imag > 0.7, x.real.astype(np.float16) + 1, np.log(x.imag)),
    ],
)
def test_elements_of_other_sizes(function):
    x = numbers(400, 82).view("D")[:, 1:-3:2]
    for got, wanted in zip(native(function, x.copy())(x), function(x), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=2e-15)
        assert (got.dtype, got.strides) == (wanted.dtype, wanted.strides)


def test_what_fills_a_part_raises_no_flag():
    def f(x, y):
        return np.log(x) / y

    x, y = numbers(171, 3), numbers(3)
    g = native(f, x, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(g(x, y), f(x, y))
        with np.errstate(all="raise"):
            same(g(x, y), f(x, y))
    x[170, 2] = 0.0
    (got, warned), (wanted, expected) = with_warnings(g, x, y), with_warnings(f, x, y)
    same(got, wanted)
    assert warned == expected and len(warned) == 1


def test_open_lengths():
    specs = [tracefn.TensorSpec((None, None)), tracefn.TensorSpec((None,))]
    f = tracefn.function(waves, jit="now", input_signature=specs)
    for rows, columns in SHAPES:
        x, y = numbers(rows, columns), numbers(columns)
        same(f(x, y), waves(x, y))
    x = numbers(0, 3)
    same(f(x, x.sum(0) + 1), waves(x, x.sum(0) + 1))


def test_sums_of_elements_apart():
    def f(x):
        return np.exp(x).sum(), np.exp(x).mean(axis=0), (np.exp(x) > 2).sum(axis=1)

    whole = numbers(600, 140)
    g = native(f, whole[::2, ::2].copy())
    for x in (whole[::2, ::2], whole[::2, 69::-1], whole[::-2, 1::2]):
        same(g(x), f(x))


def test_small_elements_apart():
    a, b = RNG.integers(0, 3, (2, 50_000)).astype(np.uint8)

    def f(a, b):
        return (a != b).sum()

    assert native(f, a[:25_000], b[:25_000])(a[::2], b[::-2]) == f(a[::2], b[::-2])


@pytest.mark.parametrize("char", ["?", "B", "h", "f", "d"])
def test_rows_that_are_no_whole_number_of_vectors(char):
    def f(m):
        o = m.copy()
        o[:, 1:] |= m[:, :-1]
        o[1:] |= m[:-1]
        o[:, :-1] |= m[:, 1:]
        return o

    def g(m):
        return (m[:, 1:] + m[:, :-1]) * m[:, 1:], np.where(m[:, 1:] > m[:, :-1], m[:, 1:], 0)

    for columns in (10, 21, 100):
        x = (RNG.random((400, columns)) * 90).astype(char) if char != "?" else RNG.random((400, columns)) > 0.7
        for function in (f, g) if char in "?Bh" else (g,):
            traced = tracefn.function(function, jit="now")
            same(traced(x), function(x))
    assert traced.concrete_functions[0].plan == "native"


@pytest.mark.skipif(vector_bits() < 512, reason="vectors of which a part is left out are those of AVX-512")
def test_what_is_left_of_a_row_is_one_vector():
    def masks(columns):
        f = tracefn.function(lambda m: m[:, 1:] + m[:, :-1] * 2, jit="now")
        f(np.ones((4, columns + 1), np.float32))
        (kernel,) = f.concrete_functions[0]._execution.native.kernels
        return 'predicate.enable", i1 true' in kernel.text

    assert masks(9) and masks(31)
    assert not masks(7) and not masks(32) and not masks(36) and not masks(1033)
