"""Lists as stacks, queues and paths in loops that a traced value decides: sliced, reversed, asked whether they are
empty."""

import numpy as np
import pytest
from agreement import assert_all_agree

ARRAYS = (np.arange(6.0), np.zeros(6), np.array([3.0, 3, 3, 1, 2, 5]), np.array([1.0, 9, 8, 1, 0, 3]))


def slices(x):
    found = []
    for v in x:
        if v > 2:
            found.append(v)
    return found[::-1], found[1:], found[:2], len(found[1:]), found[::2]


def a_path_in_reverse(x):
    path, i = [], len(x) - 1
    while i >= 0 and x[i] < 100:
        path.append(x[i])
        i -= 1
    path.reverse()
    return path, np.array(path)


def indices_in_a_list(x):
    pending, total = list(np.where(x > 2)[0]), np.int64(0)
    while pending:
        j = pending.pop()
        total += j
        if j == 5:
            pending.extend(np.where(x < 2)[0])
            x[j] = -1
    return total, pending


def depth_first(x):
    stack, order = [np.int64(0)], []
    seen = np.zeros(len(x), bool)
    while stack:
        j = stack.pop()
        if seen[j]:
            continue
        seen[j] = True
        order.append(j)
        for n in np.flatnonzero(x > x[j]):
            if not seen[n]:
                stack.append(n)
    return np.array(order), seen, order


def copies(x):
    found = []
    for v in x:
        if v > 1:
            found.append(v)
    other = found[:]
    other.append(x[0])
    return found, other, list(found), found[-1:]


@pytest.mark.parametrize("mode", ["off", "now"])
@pytest.mark.parametrize("function", [slices, a_path_in_reverse, indices_in_a_list, depth_first, copies])
def test_one_trace(function, mode):
    traced = assert_all_agree(function, *[(x,) for x in ARRAYS], jit=mode, precise=True)
    assert traced.tracing_count == 1


def made_in_a_branch(x):
    total = np.int64(0)
    for i in range(len(x)):
        if x[i] < 2:
            continue
        pending = list(np.where(x > x[i])[0])
        if len(pending) < 2:
            continue
        while pending:
            total += pending.pop()
    return total


@pytest.mark.parametrize("mode", ["off", "now"])
def test_lists_that_branches_make(mode):
    def one_or_other(x, t):
        if t > 0:
            pending = list(np.where(x > 1)[0])
        else:
            pending = list(np.where(x < 1)[0])
        total = np.int64(0)
        while pending:
            total += pending.pop()
        return total

    assert_all_agree(made_in_a_branch, *[(x,) for x in ARRAYS], jit=mode, precise=True)
    assert_all_agree(one_or_other, *[(x, np.float64(t)) for x in ARRAYS for t in (1, -1)], jit=mode, precise=True)
