"""`x.shape = ...`: an array of one's own, a view, one that others show, and shapes that do not fit."""

import numpy as np
import pytest
from agreement import assert_all_agree, assert_all_agree_anyway

X = np.arange(6.0)


def own(x):
    y = x * 2
    y.shape = (2, 3)
    y[0, 1] = 7
    return y, y.shape, y.T


def twice(x):
    y = x * 2
    y.shape = (2, 3)
    y.shape = (3, 2)
    return y


def flat(x):
    y = x.reshape(2, 3) + 1
    y.shape = -1
    return y, y.sum()


def a_view(x):
    y = x * 1
    v = y[1:5]
    v.shape = (2, 2)
    v[0, 0] = 9
    y[4] = 8
    return y, v


def in_a_loop(x):
    out = []
    for k in range(1, 4):
        y = x * k
        y.shape = (3, 2)
        out.append(y)
    return out


def written_afterwards(x):
    y = np.zeros(6)
    y.shape = 2, 3
    y += x.reshape(2, 3)
    y[:, 1] *= 3
    return y


@pytest.mark.parametrize("function", [own, a_view, in_a_loop, written_afterwards])
def test_shapes_in_the_graph(function):
    assert_all_agree(function, (X,), (X + 1,))


def does_not_fit(x):
    y = x * 2
    y.shape = (4, 2)
    return y


def would_need_a_copy(x):
    y = (x * 2).reshape(2, 3).T
    y.shape = 6
    return y


def test_errors_are_those_of_numpy():
    assert_all_agree_anyway(does_not_fit, (X,))
    assert_all_agree_anyway(would_need_a_copy, (X,))


def an_argument(x):
    x.shape = (2, 3)
    return x * 1


def with_a_view_of_it(x):
    y = x * 2
    z = y[1:]
    y.shape = (2, 3)
    z[0] = 5
    return y, z


def in_a_branch(x):
    y = x * 2
    if x[0] > 0:
        y.shape = (2, 3)
    else:
        y.shape = (3, 2)
    return y


def by_another_name(x):
    y = x * 2
    z = y
    z.shape = (2, 3)
    return y, z


@pytest.mark.parametrize("function", [twice, flat, an_argument, with_a_view_of_it, in_a_branch, by_another_name])
def test_what_others_see(function):
    assert_all_agree_anyway(function, (X.copy(),), (X + 1,))
