"""What a branch leaves is an argument, or a new array, as values decide: writes reach the argument where it is that."""

from collections import namedtuple

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree


def scaled(x, y):
    if x.max() > 3:
        x = x / x.max()
    x -= x.mean()
    return x


def new_or_not(x, y):
    if y.sum() > 2:
        y = x + x
    y[...] = 4
    return y


def one_of_two(x, y):
    z = y
    if x.sum() > 3:
        z = x
    z[0] = 7
    return x, y, z


def views_before_and_after(x, y):
    w = x[1:]
    if y.sum() > 3:
        y = y * 2
    else:
        y = x
    y[1:] = 5
    y += 1
    v = y[:2]
    v *= 2
    return x, y, w, v


def own_arrays(x, y):
    t = x + 1
    u = t
    if y.sum() > 3:
        t = t * 2
    t[0] = 9
    return t, u, x


def one_after_the_other(x, y):
    for i in range(3):
        if y.sum() > i:
            y = y - 1
        y[i] = 8
    return x, y


def in_a_staged_loop(x, y):
    for i in range(len(y)):
        z = x
        if x.sum() > i:
            z = x - 1
        z[0] += 1
    return x


def sorted_and_added(x, y):
    if y.sum() > 3:
        y = y * 2
    y.sort()
    np.add(y, 1, out=y)
    return y


def wrong_index(x, y):
    if y.sum() > 3:
        y = y * 2
    y[0] = 2
    y[7] = 3
    return y


X = np.arange(4.0)
FUNCTIONS = [
    scaled, new_or_not, one_of_two, views_before_and_after, own_arrays, one_after_the_other, in_a_staged_loop,
    sorted_and_added, wrong_index,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_as_eager(function):
    assert_all_agree(function, (X, X - 2), (X - 3, X), (X - 9, X - 9), (X[:3], X[1:]))


@pytest.mark.parametrize("function", [scaled, own_arrays, one_after_the_other, sorted_and_added])
def test_with_open_lengths(function):
    assert_all_agree(function, (X, X - 2), (X[1:], X[:3]), (X - 9, X - 9), (X[:3], X[:3] - 9), reduce_retracing=True)


def test_the_same_array_twice():
    traced = tracefn.function(one_of_two)
    for start in (X, X - 9):
        mine, theirs = start.copy(), start.copy()
        got, wanted = traced(mine, mine), one_of_two(theirs, theirs)
        np.testing.assert_array_equal(mine, theirs)
        assert [g is mine for g in got] == [w is theirs for w in wanted] == [True] * 3


def first_or_second(x, y):
    z = x if x.sum() > 3 else y
    z[0] += 7
    return z


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_one_of_two_that_share_memory():
    traced = tracefn.function(first_or_second, on_unsupported="eager")
    for start in (X, X - 9, X):
        mine, theirs = start.copy(), start.copy()
        args, others = (mine[:3], mine[1:]), (theirs[:3], theirs[1:])
        got, wanted = traced(*args), first_or_second(*others)
        np.testing.assert_array_equal(mine, theirs)
        assert [got is a for a in args] == [wanted is a for a in others]


def written_in_a_branch(x, y):
    if y.sum() > 3:
        y = y * 2
    if x.sum() > 3:
        y[0] = 4
    return x, y


def a_view_or_not(x, y):
    if y.sum() > 3:
        y = x[1:]
    y[0] = 4
    return x


@pytest.mark.parametrize("function", [written_in_a_branch, a_view_or_not])
def test_what_branches_leave_is_followed(function):
    assert_all_agree(function, *[(x, y[:3]) for x in (X, X - 9) for y in (X, X + 9, X - 9)])


@pytest.mark.parametrize("function", [scaled, new_or_not, one_of_two])
def test_results_are_the_arguments_themselves(function):
    traced = tracefn.function(function)
    for x, y in ((X, X - 2), (X - 3, X), (X - 9, X - 9)):
        mine, theirs = (x.copy(), y.copy()), (x.copy(), y.copy())
        got, wanted = traced(*mine), function(*theirs)
        if type(got) is not tuple:
            got, wanted = (got,), (wanted,)
        assert [[g is m for m in mine] for g in got] == [[w is t for t in theirs] for w in wanted]


Pair = namedtuple("Pair", "left right")


def hands_on(pair, other, items, *rest):
    for _ in range(3):
        pair, other = other, pair
    return other, [pair], (other[0], rest[0]), pair + (1,), items[0]


@pytest.mark.parametrize("jit", ["off", "now"])
def test_a_tuple_that_is_given_comes_out_as_itself(jit):
    traced = tracefn.function(hands_on, jit=jit)
    for i in range(3):
        pair, other, inner, last = (np.ones(2), i), Pair(np.zeros(1), 2.0), (np.ones(1), 3), Pair(np.ones(1), 1)
        first, (second,), (_, fourth), longer, fifth = traced(pair, other, [inner], last)
        assert first is pair and second is other and fourth is last and fifth is inner
        assert longer[0] is other[0] and longer[1:] == (2.0, 1)
