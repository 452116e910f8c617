"""Arguments that are one array: what a round reads by one name, the round before may have written by the other."""

import numpy as np
import pytest
import tracefn


def read_then_written(y, z, n):
    i = 0
    while i < n:
        z[...] = y * 2
        z.sort()
        i += 1
    return y, z


def for_loop(y, z, n):
    for _ in range(n):
        total = y.sum()
        z[0] = total
    return z


def nested(y, z, n):
    for _ in range(n):
        for _ in range(n):
            z[1:] = y[:-1] + 1
    return y


def in_a_branch(y, z, n):
    for _ in range(n):
        if n > 1:
            z.sort()
            y[0] = 0
    return z


def in_nested_loops(y, z, n):
    for _ in range(n):
        for _ in range(n):
            y.sort()
            z[0] = 9
    return y


@pytest.mark.parametrize("function", [read_then_written, for_loop, nested, in_a_branch, in_nested_loops])
@pytest.mark.parametrize("view", [lambda a: a, lambda a: a[:]])
def test_a_round_reads_what_the_one_before_wrote_by_another_name(function, view):
    given, expected = np.array([3.0, 1.0, 2.0, 5.0]), np.array([3.0, 1.0, 2.0, 5.0])
    found = tracefn.function(function)(given, view(given), np.int64(3))
    wanted = function(expected, view(expected), 3)
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(given, expected)
