"""Bounds of slices that are Python numbers or NumPy scalars, as traced values decide: `x[max(0, k - 2) : k + 3]`."""

import numpy as np
import pytest
from agreement import assert_all_agree, assert_all_agree_anyway


def window(x):
    k = np.argmax(x)
    return x[max(0, k - 2) : min(len(x), k + 3)].sum()


def written_window(x):
    i, j = np.unravel_index(np.argmax(x), x.shape)
    x[max(0, i - 1) : i + 2, max(0, j - 1) : j + 2] = 0
    return x


def view_of_a_window(x):
    k = np.argmax(x)
    part = x[max(0, k - 2) : k + 3]
    part[0] = 5
    part += 1
    return x, part


def step(x):
    k = 1 if x[0] > 0 else np.int16(2)
    x[k::k] = np.array([k])
    return x


def float_bound(x):
    x[max(0, x[0]) : 3] = 1
    return x


X = np.linspace(-1, 1, 12)


@pytest.mark.parametrize("function", [window, view_of_a_window, step])
def test_of_one_axis(function):
    assert_all_agree(function, (X,), (X[::-1].copy(),), (np.roll(X, 5),))


def test_of_two_axes():
    assert_all_agree(written_window, (X.reshape(3, 4),), (-X.reshape(3, 4),), (np.roll(X, 5).reshape(3, 4),))


def test_a_float_is_no_bound():
    assert_all_agree_anyway(float_bound, (X,), (X[::-1].copy(),))
