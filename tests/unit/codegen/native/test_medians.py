"""Medians of few numbers as comparisons of arrays, against NumPy."""

import itertools

import numpy as np
import pytest
import tracefn
from native_outcomes import native, same, with_warnings
from tracefn.codegen.machine import abi
from tracefn.codegen.native.pipeline import with_kernels
from tracefn.codegen.native.rewrites.medians import MOST, _network

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

RNG = np.random.default_rng(0)


def names_of(f, *args):
    return [n.op.name for n in with_kernels(tracefn.function(f, jit="off").get_concrete_function(*args).graph).nodes]


@pytest.mark.parametrize("count", range(2, MOST + 1))
def test_networks_leave_the_middle_in_the_middle(count):
    middle = {(count - 1) // 2, count // 2}
    if count < 12:  # what sorts all zeros and ones sorts all
        rows = [list(row) for row in itertools.product((0, 1), repeat=count)]
    else:
        rows = RNG.integers(0, 2, (3000, count)).tolist() + RNG.normal(size=(300, count)).tolist()
    for row in rows:
        wanted = sorted(row)
        for low, high, _ in _network(count, middle):
            row[low], row[high] = min(row[low], row[high]), max(row[low], row[high])
        assert all(row[k] == wanted[k] for k in middle)


@pytest.mark.sampled(3, everywhere=True)
@pytest.mark.parametrize("count", [2, 3, 4, 5, 9, 16, 25])
@pytest.mark.parametrize("char", "bBhHiIlLfd")
def test_along_an_axis(char, count):
    x = (RNG.normal(size=(count, 12, 9)) * 100).astype(char)
    f = lambda x: np.median(x, axis=0) * 1  # noqa: E731
    same(tracefn.function(f, jit="now")(x), f(x))
    assert ("median" in names_of(f, x)) == (char in "fd" and count % 2 == 0)


def test_of_arrays_that_are_stacked():
    def f(x):
        views = [x[i : i + 30, j : j + 40] for i in range(3) for j in range(3)]
        return np.median(np.stack(views), axis=0), np.median(np.stack(views, axis=-1), axis=2)

    x = RNG.integers(0, 255, (32, 42)).astype(np.uint8)
    same(native(f, x)(x), f(x))
    assert not {"stack", "median"} & set(names_of(f, x))


def test_stacks_that_others_need():
    def f(x, y):
        both = np.stack([x, y, x + y])
        return np.median(both, axis=0), both, np.median(both, axis=1), np.median(np.stack([x, y > 0, y]), axis=0)

    x, y = RNG.normal(size=(2, 30, 20))
    same(native(f, x, y)(x, y), f(x, y))


def test_several_axes_and_windows():
    def f(x):
        windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3))
        return np.median(windows, axis=(2, 3)) - x[1:-1, 1:-1], np.median(x[:, :5], axis=-1)

    x = RNG.normal(size=(70, 80))
    same(native(f, x)(x), f(x))


@pytest.mark.parametrize("count", [3, 5, 9])
def test_numbers_that_are_special(count):
    values = [np.nan, np.inf, -np.inf, 0.0, -1.0, 1e308, -1e308, 5e-324]
    x = RNG.choice(values, (count, 4000))
    f = lambda x: np.median(x, axis=0)  # noqa: E731
    traced = native(f, x)
    (got, warned), (wanted, by_numpy) = with_warnings(traced, x), with_warnings(f, x)
    np.testing.assert_array_equal(got, wanted)
    assert {text for text, *_ in warned} == {text for text, *_ in by_numpy}
    for place in range(count):
        x = np.ones((count, 100))
        x[place, 7] = np.nan
        np.testing.assert_array_equal(tracefn.function(f, jit="now")(x), f(x))


def test_other_memory_layouts():
    f = lambda x: np.median(x, axis=1)  # noqa: E731
    for x in (RNG.normal(size=(200, 5, 90)), RNG.normal(size=(90, 200, 5)).transpose(1, 2, 0)):
        traced = native(f, x)
        for given in (x, np.asfortranarray(x), x[::-1, ::-1]):
            same(traced(given), f(given))


def test_what_is_left_to_numpy():
    x = RNG.normal(size=(30, 40))
    for f in (
        lambda x: np.median(x),
        lambda x: np.median(x, axis=0),
        lambda x: np.median(x[:3, :20], axis=0),
        lambda x: np.median(x[:3], axis=0, keepdims=True),
        lambda x: np.median(x[:4], axis=0),
    ):
        assert "median" in names_of(f, x)


def test_precise():
    x = RNG.normal(size=(7, 100))
    f = lambda x: np.median(x, axis=0)  # noqa: E731
    np.testing.assert_array_equal(native(f, x, precise=True)(x), f(x))


def test_open_lengths():
    traced = tracefn.function(
        lambda x: np.median(x, axis=0), jit="now", input_signature=[tracefn.TensorSpec((5, None), np.float32)]
    )
    for size in (0, 1, 7, 1000):
        x = RNG.normal(size=(5, size)).astype(np.float32)
        same(traced(x), np.median(x, axis=0))
