"""Positions in loop kernels against NumPy: of the first extremum, of a number in a sorted array, lists as indices."""

import copy

import numpy as np
import pytest
import tracefn
from loop_outcomes import equal, is_native, outcome
from tracefn.codegen.machine import abi

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

RNG = np.random.default_rng(0)


def agrees(traced, f, *args):
    wanted, found = outcome(f, copy.deepcopy(args), __file__), outcome(traced, copy.deepcopy(args), __file__)
    assert all(equal(a, b) for a, b in zip(wanted[0::2], found[0::2], strict=True)), (wanted, found)


def held_against(f, *args):
    """The traced function, after it did what NumPy does, as a kernel."""
    traced = tracefn.function(f, jit="now")
    agrees(traced, f, *args)
    assert is_native(traced.concrete_functions[0]), traced.concrete_functions[0].native_program
    return traced


def extrema(x, n):
    rows, columns = np.zeros((n, 4), np.int64), np.zeros((n, x.shape[2]), np.int64)
    for k in range(n):
        rows[k, 0], rows[k, 1] = x[k].argmax(), np.argmin(x[k])
        rows[k, 2], rows[k, 3] = np.argmax(x[k, 0]), x[k, :, 1].argmin()
        columns[k] = x[k].argmax(axis=0) + (x[k] * 2).argmin(axis=0)
        columns[k, 0] += np.argmax(x[k], axis=-1)[3]
    return rows, columns


@pytest.mark.parametrize("char", "bHd")
def test_extrema(char):
    x = (RNG.integers(0, 9, (40, 5, 70)) - (4 if char in "bl" else 0)).astype(char)
    traced = held_against(extrema, x, np.int64(40))
    if char in "fd":
        x[::3, ::2, ::9] = np.nan
        x[1] = np.inf
        x[2] = -np.inf
        x[4, 0] = np.nan
        agrees(traced, extrema, x, np.int64(40))


def test_extrema_of_slices_of_any_length():
    def f(x, ends):
        found = np.zeros(len(ends), np.int64)
        for k in range(len(ends)):
            found[k] = np.argmax(x[: ends[k]])
        return found

    x, ends = RNG.random(1000), RNG.integers(1, 1000, 50)
    traced = held_against(f, x, ends)
    ends[20] = 0
    agrees(traced, f, x, ends)


@pytest.mark.parametrize("chars", ["dd", "fl", "LL"])
def test_searches(chars):
    def f(a, v, n):
        found = np.zeros((n, 4), np.int64)
        for k in range(n):
            found[k, 0], found[k, 1] = np.searchsorted(a, v[k]), np.searchsorted(a[:k], v[k], side="right")
            found[k, 2], found[k, 3] = np.searchsorted(a[::2], v[k], "left"), np.searchsorted(a, 3)
        return found

    a, v = np.sort(RNG.integers(0, 20, 60)).astype(chars[0]), RNG.integers(0, 22, 80).astype(chars[1])
    traced = held_against(f, a, v, np.int64(60))
    agrees(traced, f, RNG.permutation(a), v, np.int64(60))
    if chars == "dd":
        v[3::7] = np.nan
        agrees(traced, f, a, v, np.int64(60))
        a[40:] = np.nan
        agrees(traced, f, a, v, np.int64(60))
        a[::4] = np.nan
        agrees(traced, f, a, v, np.int64(60))


def test_rows_that_change_places():
    def f(a, b, n):
        for k in range(n):
            p = k + np.argmax(np.abs(a[k:, k]))
            a[[k, p]] = a[[p, k]]
            b[[p, k]] = b[[k, p]]
            a[:, [k, -1]] = a[:, [-1, k]]
            a[[k, 0], [p, 1]] += 1.0
        return a, b

    a, b = RNG.normal(size=(40, 40)), RNG.random(40)
    traced = held_against(f, a, b, np.int64(40))
    agrees(traced, f, a, b, np.int64(41))


def test_rows_of_compressed_matrices():
    def f(starts, columns, data, x):
        y, z = np.zeros(len(starts) - 1), np.zeros(len(starts) - 1)
        for i in range(len(starts) - 1):
            a, b = starts[i], starts[i + 1]
            y[i] = (data[a:b] * x[columns[a:b]]).sum()
            z[columns[a:b]] += data[a:b]
        return y, z

    count = 60
    starts = np.concatenate([[0], np.cumsum(RNG.integers(0, 9, count))])
    columns = np.concatenate([np.sort(RNG.permutation(count)[:n]) for n in np.diff(starts)])
    data, x = RNG.integers(1, 9, len(columns)) * 1.0, RNG.integers(1, 9, count) * 1.0
    traced = held_against(f, starts, columns, data, x)
    columns[100] = count
    agrees(traced, f, starts, columns, data, x)
    columns[100] = -1
    agrees(traced, f, starts, columns, data, x)
    open_ = tracefn.function(f, jit="now", reduce_retracing=True)
    for n in (20, 30, 40):
        end = starts[n]
        agrees(open_, f, starts[: n + 1], columns[:end] % n, data[:end], x[:n])
