"""`items += …`: a list takes the items of a list, and NumPy's operator is asked first where the other is an array."""

import numpy as np
import pytest
from agreement import assert_all_agree


def array_to_known_items(x):
    items = [1, 2]
    items += x
    return items


def array_to_traced_items(x):
    items = [x[0], 2]
    items += x
    items[0] = 9
    return items


def scalar(x):
    items = [1, 2]
    items += x[0]
    return items


def array_in_a_branch(x):
    items = [x[0]]
    if x[0] > 2:
        items += x
    return len(items) * 1.0


def to_an_item_of_a_dict(x):
    found = {"items": [1, 2]}
    found["items"] += x
    return found


def list_in_a_branch(x):
    items = [x[0], x[1]]
    if x[0] > 2:
        items += [1.0, x[0]]
    return items, len(items)


def in_both_branches(x):
    items = other = [x[0]]
    if x[0] > 2:
        items += (5.0,)
    else:
        items += [3.0, 4.0]
    other.append(1.0)
    return items, other is items


def itself(x):
    items = [x[0]]
    if x[0] > 2:
        items += items
    return items


def in_an_inner_function(x):
    items = [x[0]]

    def add(value):
        nonlocal items
        items += [value]

    if x[0] > 2:
        add(x[1])
    return items


def after_a_loop(x):
    items = []
    for _ in range(int(x[0])):
        items.append(x[1])
    items += [x[0]]
    return items


@pytest.mark.parametrize(
    "function",
    [
        array_to_known_items,
        array_to_traced_items,
        scalar,
        array_in_a_branch,
        to_an_item_of_a_dict,
        list_in_a_branch,
        in_both_branches,
        itself,
        in_an_inner_function,
        after_a_loop,
    ],
)
def test_as_eager(function):
    assert_all_agree(function, *[(np.array([first, 2.0]),) for first in (1.0, 3.0)])
