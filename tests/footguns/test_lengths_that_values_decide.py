"""How many elements a mask picks decides what a program does next: at each call, in one trace."""

import numpy as np
import pytest
from agreement import assert_all_agree

ARRAYS = (np.arange(6.0), np.full(6, 9.0), np.array([3.0, 3, 3, 1, 2, 5]), np.array([1.0, 9, 8, 1, 0, 3]))


def a_default(x):
    picked = x[x > 2]
    if len(picked):
        return picked[:1]
    return np.zeros(1)


def size_is_zero(x):
    picked = x[x > 8.5]
    return np.zeros(1) if picked.size == 0 else picked[-1:]


def while_there_are_some(x):
    rounds = 0
    while len(x) > 1:
        x = x[x > x.min()]
        rounds += 1
    return x, rounds


def a_stack(x):
    stack, total = np.flatnonzero(x > 0), np.int64(0)
    while stack.size:
        total += stack[-1]
        stack = stack[:-1]
    return total


def least_and_greatest(x):
    index = np.nonzero(x > 2)[0]
    if not len(index):
        raise ValueError("there are none")
    return index[0], min(len(index), 2), max(3, index.size)


def two_of_them(x):
    high, low = x[x > 2], x[x <= 2]
    if len(high) > len(low):
        return 1
    if len(high) == len(low):
        return 0
    return -1


def median(x):
    x = np.sort(x[x > 2])
    k = len(x) // 2
    return x[k] if len(x) % 2 else 0.5 * (x[k - 1] + x[k]), 1 if 0 < len(x) < 4 else 0


def no_duplicates(x):
    found = np.unique(x)
    if len(found) != len(x):
        raise ValueError("duplicates")
    return found


def means_of_groups(x):
    labels, means = (x > 2).astype(int), np.zeros(3)
    for k in range(3):
        group = x[labels == k]
        if len(group) > 0:
            means[k] = group.mean()
    return means


def lengths_as_operands(x):
    n = len(x[x > 2])
    return x / (n + 2), (2 * n) ** x, x - (3 * n - 1), x % (n // 2 + 1), len(x) // (2 * n + 1) * x


FUNCTIONS = [
    a_default, size_is_zero, while_there_are_some, a_stack, least_and_greatest, two_of_them, median, no_duplicates,
    means_of_groups, lengths_as_operands,
]  # fmt: skip


@pytest.mark.parametrize("mode", ["off", "now"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_one_trace(function, mode):
    traced = assert_all_agree(function, *[(x,) for x in ARRAYS], jit=mode, precise=True)
    assert traced.tracing_count == 1
