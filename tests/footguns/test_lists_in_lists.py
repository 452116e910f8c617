"""Lists and dicts of lists and tuples: chosen from by a traced value, and filled in loops of the graph."""

from collections import defaultdict

import numpy as np
import pytest
from agreement import assert_all_agree, assert_all_agree_anyway

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
    assert_all_agree(function, (X, N(0)), (X, N(1)), (X, N(0)))


def test_a_table():
    def cell(x, i, j):
        return GRID[i][j], x * GRID[i][j], 1 if GRID[i][j] else 0

    assert_all_agree(cell, (X, N(0), N(2)), (X, N(1), N(1)), (X, N(1), N(7)), (X, N(-1), N(-1)), (X, N(9), N(0)))


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
    assert_all_agree_anyway(function, (X, N(0)), (X, N(1)), (X, N(0)))


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
    assert_all_agree(function, (X,), (X * 2,))


def test_lists_that_change_between_calls():
    cells = [[1, 2], [3, 4]]
    traced = assert_all_agree(lambda x, i: (cells[i][0] + x, cells[i][1]), (X, N(1)))
    cells[1] = [30, 40]
    assert traced(X, N(1))[1] == 40
    cells[1][1] = 7
    assert traced(X, N(1))[1] == 7


def one_of_two_lists(x):
    p, q = [1], [2, 3]
    r = p if x[0] > 0 else q
    r.append(x[1])
    return p, q, r


def appended_to_one_of_two(x):
    p, q = [], []
    (p if x[0] > 0 else q).append(x[1])
    return p, q


def appended_by_a_text(x):
    found = {"a": [], "b": []}
    found["a" if x[0] > 0 else "b"].append(x[1])
    return found


def counted_by_a_text(x):
    found = {"a": {"n": 0}, "b": {"n": 5}}
    found["a" if x[0] > 0 else "b"]["n"] += 1
    return found


def the_best_of_some(x):
    best, most = None, 0.0
    items = [[1, 2], [3, 4]]
    for item in items:
        if x[item[0] % 2] > most:
            best = item
    if best is not None:
        best.append(9)
    return items


def in_a_branch_of_statements(x):
    p, q = {"n": 1}, {"n": 2}
    if x[0] > 0:
        r = p
    else:
        r = q
    r["n"] = x[1]
    return p, q


def grown_and_set_in_a_branch(x):
    p = [1, 2]
    r = p
    r.append(3)
    if x[1] > 0:
        p[0] = 5
        r = p
    return p, r is p


@pytest.mark.parametrize(
    "function",
    [
        one_of_two_lists,
        appended_to_one_of_two,
        appended_by_a_text,
        counted_by_a_text,
        the_best_of_some,
        in_a_branch_of_statements,
        grown_and_set_in_a_branch,
    ],
)
def test_changes_of_one_of_several_containers(function):
    assert_all_agree_anyway(function, (np.array([1.0, 2.0]),), (np.array([-1.0, 2.0]),), (np.array([1.0, 3.0]),))


def made_in_the_branches(x):
    r = [1, x[0]] if x[0] > 0 else [2, x[1]]
    r.append(x.sum())
    s = {"n": [1]} if x[1] > 0 else {"n": [2]}
    s["n"].append(3)
    s["m"] = 4
    if x[0] > 0:
        t = [x[0] * 2, 3]
    else:
        t = [x[1], 4]
    t[0] += 1
    return r, s, t


def the_same_in_both(x):
    p = [1, 2]
    r = p if x[0] > 0 else p
    r[1] = x[0]
    return p, r is p


def only_read(x):
    p, q = [1.0, 2.0], [3.0, 4.0]
    r = p if x[0] > 0 else q
    a, b = r
    return a * x, sum(r), len(r), max(r), np.array(r), [v + 1 for v in r], r[::-1], r + [1], list(r), 3.0 in r


def test_containers_that_stay_in_the_graph():
    for function in (made_in_the_branches, the_same_in_both, only_read):
        assert_all_agree(function, (np.array([1.0, 2.0]),), (np.array([-1.0, 2.0]),), (np.array([-1.0, -3.0]),))
