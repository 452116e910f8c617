"""What Python code does with numbers, lists and texts, where a traced value decides."""

import numpy as np
import pytest
from footguns.agreement import same

X = np.array([1.0, 3.0, 2.0, 5.0, 4.0])


def conditions_of_several_types(x):
    """`and` and `or` of a bool and a number, of which only the truth matters."""
    m, n = (x.astype(int)[:, None] + np.arange(5)) % 3, 0
    for i in range(5):
        for j in range(5):
            if i > 1 and m[i, j] and m[i, j] < 2:
                n += 1
            if m[i, j] or (j and i) or not (m[j, i] and i):
                n += 10
            n += 100 if m[i, j] and j > x[0] else 0
            while m[i, j] and m[i, j] > 1:
                m[i, j] -= 1
    return n, [v for v in x if v > 2 and m[0, 1]]


def values_of_and_or(x):
    return (x[0] > 1 and x[1] > 2), (x[0] or x[1]), bool(x[0] > 2 or x.sum() > 9)


def positions_in_a_list(x):
    found = []
    for i in range(1, len(x) - 1):
        if x[i - 1] < x[i] and x[i] > x[i + 1]:
            found.append(i)
    x[found] += 1
    return x[found], x[:, None][found, 0], [0] + found + [1], found[:1] + found


def sets_as_a_forest(x):
    parent = list(range(5))
    rank = [0] * 5
    for i in range(4):
        a, b = int(x[i]) % 5, int(x[i + 1] + x[i]) % 5
        while parent[a] != a:
            a = parent[a]
        while parent[b] != b:
            b = parent[b]
        if a != b:
            parent[a] = b
            rank[b] += 1
    return np.array(parent), np.array(rank)


def texts_of_choices(x):
    row = "".join("#" if v > 2 else "." for v in x)
    if x[0] > 3:
        raise ValueError("%s at %.2f" % (row, x[0]))  # noqa: UP031
    return row


FUNCTIONS = [conditions_of_several_types, values_of_and_or, positions_in_a_list, sets_as_a_forest, texts_of_choices]


@pytest.mark.parametrize("mode", ["off", "now"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_as_eager(function, mode):
    traced = same(function, (X,), (X[::-1].copy(),), (X * 0,), (X - 2,), (X * 2,), jit=mode, precise=True)
    assert traced.tracing_count == 1
