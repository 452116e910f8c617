"""Containers from before a branch that its sides change and put into what they make: each stays one object."""

from collections import deque

import numpy as np
import pytest
import tracefn


class Plain:
    pass


state = Plain()


def changed_on_both_sides(x):
    q = [1.0]
    if x[0] > 1:
        state.last = [x[0] * 3, q]
        q.append(x[0])
    else:
        state.last = [x[0] * 2, q]
        q.append(x[1])
    return q, state.last, q is state.last[1]


def changed_on_one_side(x):
    q = [1.0]
    if x[0] > 1:
        state.last = (x[0], q)
        q[0] = x[0]
    else:
        state.last = (x[1], q)
    return q, q is state.last[1]


def in_a_deque(x):
    q = deque([1.0])
    if x[0] > 1:
        m = [x[0] * 3, q]
        q.append(x[0])
    else:
        m = [x[0] * 2, q]
        q.append(4.0)
    m[1].append(5.0)
    return list(q), list(m[1]), q is m[1]


@pytest.mark.parametrize("program", [changed_on_both_sides, changed_on_one_side, in_a_deque])
def test_it_is_one_object_with_its_content_at_the_end(program):
    traced = tracefn.function(program)
    for number in (2.0, 0.25, 3.0):
        x, state.last = np.array([number, 3.0, 1.0]), None
        expected = repr(program(x))
        state.last = None
        assert repr(traced(x)) == expected
