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
