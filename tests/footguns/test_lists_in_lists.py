"""Lists and dicts of lists and tuples: chosen from by a traced value, and filled in loops of the graph."""

from collections import defaultdict

import numpy as np
import pytest
from footguns.agreement import same, same_anyway

X, N = np.ones(2), np.int64
CELLS = [[1, 2], [3, 4], [5, 6]]
MOVES = ((0, 1), (1, 0))
GRID = [[1, 0, 1], [0, 0, 1]]
TABLE = {0: [1, 2.5], 1: [3, 4.5]}
NAMES = [("a", 1), ("b", 2)]


def parts_of_one(x, i):
    p, q = CELLS[i]
    return p + x, q, CELLS[i][1], CELLS[int(i)][0], len(CELLS[i]), sum(CELLS[i])


def steps(x, i):
    dx, dy = MOVES[i]
    return x + np.array([dx, dy])


def looked_up(x, i):
    t = TABLE[int(i)]
    return t[0] + x, t[1]


def texts_and_numbers(x, i):
    name, number = NAMES[i]
    return name, number, f"{name}{number}"


def loops(x, i):
    total = 0
    for v in CELLS[i]:
        total = total + v
    return total, [v * 2 for v in CELLS[i]], max(CELLS[i]), np.array(CELLS[i])


@pytest.mark.parametrize("function", [parts_of_one, steps, looked_up, texts_and_numbers, loops])
def test_one_of_several(function):
    same(function, (X, N(0)), (X, N(1)), (X, N(0)))


def test_a_table():
    def cell(x, i, j):
        return GRID[i][j], x * GRID[i][j], 1 if GRID[i][j] else 0

    same(cell, (X, N(0), N(2)), (X, N(1), N(1)), (X, N(1), N(7)), (X, N(-1), N(-1)), (X, N(9), N(0)))


def given_back(x, i):
    return CELLS[i], CELLS[i] == [3, 4], CELLS[i] + [1]


def changed(x, i):
    cells = [[1, 2], [3, 4]]
    cells[i][0] = 7
    cells[i].append(x[0])
    return cells


def changed_in_a_dict(x, i):
    table = {0: [1], 1: [2]}
    table[int(i)].append(x[0])
    table[int(i)] += [x[1]]
    return table


def changed_in_a_dict_of_dicts(x, i):
    table = {0: {"n": 1}, 1: {"n": 2}}
    table[int(i)]["n"] += x[0]
    return table


@pytest.mark.parametrize("function", [given_back, changed, changed_in_a_dict, changed_in_a_dict_of_dicts])
def test_what_would_be_lost(function):
    same_anyway(function, (X, N(0)), (X, N(1)), (X, N(0)))


def a_dict_of_lists(x):
    found = {t: [] for t in range(6)}
    for t in range(6):
        found[t].append(x[0] * t)
    return found


def a_default_dict(x):
    found = defaultdict(list)
    for t in range(6):
        found[t % 2].append(x[0] * t)
    return found


def counts(x):
    found = defaultdict(int)
    for t in range(50):
        found[t % 3] += x[0] * t
    return dict(found)


def with_random_numbers(x):
    np.random.seed(3)
    r = np.random.rand(6)
    found = defaultdict(list)
    for t in range(6):
        found[t % 2].append(x[0] * r[t])
    return dict(found)


def a_list_of_lists(x):
    found = [[] for _ in range(40)]
    for t in range(40):
        found[t % 4].append(x[0] * t)
    return found


@pytest.mark.parametrize("function", [a_dict_of_lists, a_default_dict, counts, with_random_numbers, a_list_of_lists])
def test_filled_in_a_loop(function):
    same(function, (X,), (X * 2,))


def test_lists_that_change_between_calls():
    cells = [[1, 2], [3, 4]]
    traced = same(lambda x, i: (cells[i][0] + x, cells[i][1]), (X, N(1)))
    cells[1] = [30, 40]
    assert traced(X, N(1))[1] == 40
    cells[1][1] = 7
    assert traced(X, N(1))[1] == 7
