"""Rounds of a loop that swap the caller's arrays: each of them holds afterwards what eager code leaves in it."""

import numpy as np
import pytest
from agreement import assert_all_agree


def in_a_while_loop(a, b, n):
    while n > 0:
        b[1:] = a[:-1] + 1
        a, b = b, a
        n = n - 1
    return a, b


def until_a_break(a, b, n):
    for _ in range(n):
        b[1:] = a[:-1] + 1
        a, b = b, a
        if a.sum() > 8:
            break
    return a, b


def three_of_them(a, b, n):
    c = b[::-1].copy()
    for _ in range(n):
        c[1:] = a[:-1] + b[1:]
        a, b, c = b, c, a
    return a, b, c


def until_little_changes(a, b, n):
    change, rounds = 1.0, 0
    while change > 1e-3 and rounds < n:
        b[1:-1] = 0.5 * (a[2:] + a[:-2])
        change = np.abs(b - a).max()
        a, b = b, a
        rounds += 1
    return a + 1, rounds, b[0]


@pytest.mark.parametrize("function", [in_a_while_loop, until_a_break, three_of_them, until_little_changes])
@pytest.mark.parametrize("options", [{}, {"reduce_retracing": True}])
def test_arguments(function, options):
    calls = [(np.arange(k) * 1.0, np.ones(k), np.int64(n)) for k in (3, 4, 6) for n in (0, 1, 2, 3, 7)]
    assert_all_agree(function, *calls, **options)


def three_arguments(a, b, c, n):
    while n > 0:
        c[1:] = a[:-1] + b[1:]
        a, b, c = b, c, a
        n = n - 1
    return a, b, c


def test_three_arguments():
    assert_all_agree(three_arguments, *[(np.arange(3.0), np.ones(3), np.zeros(3), np.int64(n)) for n in range(6)])


def held_by_a_list(a, b, n):
    both = [a, b]
    while n > 0:
        b[1:] = a[:-1] + both[0][1:]
        a, b = b, a
        n = n - 1
    return a


def written_afterwards(a, b, n):
    a, b = in_a_while_loop(a, b, n)
    a[0] = 7
    return a


@pytest.mark.parametrize("function", [held_by_a_list, written_afterwards])
def test_which_array_it_is(function):
    assert_all_agree(function, *[(np.arange(3.0), np.ones(3), np.int64(n)) for n in range(5)])
