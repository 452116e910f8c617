"""Writes into arrays that a traced number picks from a list, and into arrays that a list holds."""

import numpy as np
import pytest
from agreement import assert_all_agree, assert_all_agree_anyway


def view_of_an_array(x, y, n):
    parts = [x[:2], x[1:3]]
    parts[int(n)][0] = 9
    return x.sum()


def own_arrays(x, y, n):
    made = [x + 1, x + 2]
    made[n] *= 3
    made[-n] += 1
    return made


def arguments_of_a_tuple(x, y, n):
    (x, y)[n - 1][0] = 9
    return x + y


def views_in_an_appended_list(x, y, n):
    parts = []
    for i in range(len(x) - 1):
        parts.append(x[i : i + 2])
    parts[n][0] = y[0]
    return x.dot(x)


def view_that_shows_a_later_write(x, y, n):
    picked = [x[:2], y[1:3]][n]
    x[0] = 100
    return picked.sum(), picked


def picked_in_a_loop(x, y, n):
    buffers = [x, y, x * 1]
    for i in range(n + 2):
        buffers[(i + n) % 3][0] += buffers[i % 2][1]
    return buffers[2]


def pairs_of_views(x, y, n):
    to, of = ([x[1:], y[1:]], [y[:-1], x[:-1]])[n]
    to += of


ARGUMENTS = [(np.arange(4.0), np.arange(4.0) + 10, np.int64(n)) for n in (0, 1, 0, 1)]


@pytest.mark.parametrize(
    "function",
    [
        view_of_an_array, own_arrays, arguments_of_a_tuple, views_in_an_appended_list, view_that_shows_a_later_write,
        picked_in_a_loop, pairs_of_views,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_arrays_that_a_number_picks(function):
    assert_all_agree(function, *ARGUMENTS)


def of_a_growing_list(x, y, n):
    made = []
    for i in range(n + 2):
        made.append(x * i)
    made[-1][0] = 50
    return made


def row_by_row_of_a_growing_list(x, y, n):
    made = []
    for i in range(n + 2):
        made.append(x * i)
    for array in made:
        array += 1
    return made


def popped_from_a_growing_list(x, y, n):
    made, same = [], x * 2
    for _ in range(n + 2):
        made.append(same)
    last = made.pop()
    last[0] = 99
    return made, last


def views_in_a_growing_list(x, y, n):
    made = []
    for _ in range(n + 1):
        made.append(x[:2])
    x[0] = 100
    return made[0].sum()


@pytest.mark.parametrize(
    "function",
    [of_a_growing_list, row_by_row_of_a_growing_list, popped_from_a_growing_list, views_in_a_growing_list],
    ids=lambda f: f.__name__,
)
def test_arrays_that_a_list_of_the_graph_holds(function):
    assert_all_agree_anyway(function, *ARGUMENTS)


def extended(array):
    """A list of one or two arrays, as the array decides."""
    found = [array]
    if array.sum() > 0:
        found.append(found[-1] * 2)
    return found


def item_written(x, y, n):
    last = extended(x)[-1]
    last[0] = 7
    return last


def view_of_an_item_written(x, y, n):
    own = x * 1
    last = extended(own)[-1][1:]
    last -= 1
    return own, last


def held_array_written(x, y, n):
    found = extended(x)
    x[0] = 7
    return found[-1].copy()


def held_in_a_branch_and_written_behind_it(x, y, n):
    if x[-1] > y[0]:
        found = extended(x)
        y = y + found[-1]
    x[0] = 7
    return y


def item_of_a_written_array(x, y, n):
    x[1] = 5
    found = extended(x)
    return found[-1], found[0]


SIGNS = [(sign * np.arange(4.0), np.ones(4), 1) for sign in (1, -1, 1)]


@pytest.mark.parametrize(
    "function",
    [
        item_written,
        view_of_an_item_written,
        held_array_written,
        held_in_a_branch_and_written_behind_it,
        item_of_a_written_array,
    ],
    ids=lambda f: f.__name__,
)
def test_lists_that_a_branch_extends_have_the_arrays_themselves(function):
    traced = assert_all_agree(function, *SIGNS)
    for x, y, n in SIGNS:
        mine, theirs = x.copy(), x.copy()
        found, wanted = traced(mine, y, n), function(theirs, y, n)
        assert (found is mine) == (wanted is theirs)
        if type(found) is tuple:
            assert [part is mine for part in found] == [part is theirs for part in wanted]


def filled_with_a_written_array(x, y, n):
    x[1] = 5
    found, left = [], n + 1
    while left > 0:
        found.append(x)
        left = left - y[0]
    return found[-1]


def test_an_item_of_a_filled_list_is_the_written_array():
    traced = assert_all_agree_anyway(filled_with_a_written_array, *SIGNS)
    for x, y, n in SIGNS:
        mine = x.copy()
        assert traced(mine, y, n) is mine and mine[1] == 5
