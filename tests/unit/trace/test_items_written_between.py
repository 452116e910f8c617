"""Loops over the items of an array that write into the array: each round gets its item as it is then."""

import numpy as np
import pytest
from agreement import assert_all_agree


def of_an_array(x):
    for item in x:
        if item > 1:
            continue
        x[1:] += 1


def counted(x):
    total = 0
    for i, item in enumerate(x):
        x[1:] += i
        total += item
    return total


def in_pairs(x):
    total = 0
    for item, after in zip(x, x[1:], strict=False):
        x[1:] -= 1
        total += item * after
    return total


def backwards(x):
    total = 0
    for item in reversed(x):
        x[:-1] *= 2
        total += item
    return total


def of_the_flat_array(x):
    total = 0
    for item in x.reshape(1, -1).flat:
        x[1:] += item
        total -= item
    return total


def until_one_is_large(x):
    for item in x:
        if item > 4:
            break
        x[-1] += item
    return item


def unpacked(x):
    x[0], first = 7, x[0]
    (x[1], x[2]), (a, b) = x[:2], x[1:3]
    return first, a, b


def comprehended(x):
    return [x.__setitem__(slice(1, None), x[1:] + 1) or item for item in x if item < 3]


@pytest.mark.parametrize(
    "function",
    [of_an_array, counted, in_pairs, backwards, of_the_flat_array, until_one_is_large, unpacked, comprehended],
    ids=lambda f: f.__name__,
)
def test_items_are_read_when_they_are_reached(function):
    assert_all_agree(function, *[(x,) for x in (np.array([2, -1, 4, 0]), np.array([-3, 1, 1]), np.arange(9.0)[::2])])
