"""`np.nditer` of traced arrays: the order of the elements, writes into them, and its attributes."""

import numpy as np
import pytest
from agreement import assert_all_agree, assert_all_agree_anyway

M = np.arange(6.0).reshape(2, 3)
LAYOUTS = [M, np.asfortranarray(M), M[:, ::-1], M[::-1].T, np.arange(5.0)[::-1], np.array(3.0)]


def mixed(x):
    total = 0.0
    for item in np.nditer(x):
        total = total * 2 + item
    return total


def doubled(x):
    with np.nditer(x, op_flags=["readwrite"]) as items:
        for item in items:
            item[...] = 2 * item + 1
    return x


def by_hand(x):
    items, total = np.nditer(x, flags=["multi_index", "c_index"], op_flags=[["readwrite"]]), 0.0
    while not items.finished:
        items[0] = items[0] * 2 + sum(items.multi_index) + items.index
        total = total + items.value
        items.iternext()
    items.reset()
    return x, total, items.itersize, items.shape, items.nop


def in_pairs(x):
    return [a * b for a, b in np.nditer([x, x[:1] * 2 if x.ndim else x], order="C")]


def until(x):
    for item in np.nditer(x, order="F"):
        if item > 3:
            return item + 0
    return None


@pytest.mark.parametrize("function", [mixed, doubled, by_hand, in_pairs, until])
def test_elements_come_in_the_order_of_memory(function):
    assert_all_agree(function, *[(x.copy(order="K"),) for x in LAYOUTS])


def read_only(x):
    for item in np.nditer(x):
        item[...] = 1


def without_index(x):
    return np.nditer(x).multi_index


def at_the_end(x):
    items = np.nditer(x)
    for item in items:
        x = x + item
    return items.shape


@pytest.mark.parametrize("function", [read_only, without_index, at_the_end])
def test_errors_are_those_of_numpy(function):
    assert_all_agree(function, (M,), (np.zeros(0),))


def over_axes(x):
    return [left + 2 * right for left, right in np.nditer([x, x], [], None, None, "C", "safe", [[0, 1], [1, 0]])]


def test_other_options_run_eagerly():
    assert_all_agree_anyway(over_axes, (M[:, :2].copy(),))
