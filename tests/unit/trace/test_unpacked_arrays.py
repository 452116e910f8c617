"""`a, b = x[k : k + 2]`: arrays of which values decide how many items they have, unpacked into a number of targets."""

import numpy as np
import pytest
from agreement import assert_all_agree, assert_all_agree_anyway


def around_a_peak(x):
    k = np.argmax(x)
    left, top, right = x[k - 1 : k + 2]
    return k + 0.5 * (left - right) / (left - 2 * top + right)


def picked(x):
    a, b = x[x > 0]
    (k,) = np.flatnonzero(x == x.max())
    return a - b, k


def in_a_loop(x):
    total, rounds = 0.0, 0
    while total < 10:
        k = int(np.argmax(x))
        a, b, c = x[k - 1 : k + 2]
        total += a + b + c
        x[k] -= 1
        rounds += 1
    return total, rounds, x


def rows(x):
    first, (a, b) = x[x[:, 0] > 0]
    first[0] = 7
    return first, a, b, x


@pytest.mark.parametrize("function", [around_a_peak, in_a_loop])
def test_peaks(function):
    assert_all_agree(function, (np.array([1.0, 3, 2, 0]),), (np.array([0.0, 2, 5, 4]),))


def test_masks():
    assert_all_agree(picked, (np.array([1.0, -3, 2]),), (np.array([-1.0, 4, 3]),))
    assert_all_agree(rows, (np.array([[1.0, 2], [-3, 4], [5, 6]]),), (np.array([[-1.0, 2], [3, 4], [5, 6]]),))


@pytest.mark.parametrize("x", [[4.0, 3, 2], [2.0, 3, 4], [-1.0, 0, -2], [1.0, 2, 3, 2]])
def test_other_numbers_of_items_raise_what_python_raises(x):
    for function in (around_a_peak, picked):
        assert_all_agree_anyway(function, (np.array([1.0, 2, 0, -1]),), (np.array(x),))
