"""Lists that loops extend by `+=`: the name keeps the list that it has, which others may hold."""

import numpy as np
import tracefn


def halved(first, limit):
    """A stack that rounds pop from and extend by `+=`."""
    stack = [first, first / 2]
    same, total = stack, 0.0
    while len(stack) > 0:
        item = stack.pop()
        if item > limit and len(stack) < 3:
            stack += [item / 2, item / 2 - 1]
        total = total + item
    return total, len(stack), len(same), stack is same


def collected(x, rounds):
    """Two names of a list; one grows by `+=`, and by a function of its own."""
    found = []
    same = found

    def add(item):
        nonlocal found
        found += [item]

    at = 0
    while at < rounds:
        add(x[at])
        same.append(x[at])
        found += [x[at] * 2]
        at += 1
    return found, same, found is same


def test_loops_extend_the_list_that_a_name_has():
    x = np.array([4.0, 9.0, 2.0])
    for function, arguments in ((halved, (8.0, 1.0)), (halved, (np.float64(3.0), np.float64(0.5)))):
        assert tracefn.function(function, on_unsupported="error")(*arguments) == function(*arguments)
    for rounds in (0, 2, np.int64(0), np.int64(3)):
        assert tracefn.function(collected, on_unsupported="error")(x, rounds) == collected(x, rounds)
