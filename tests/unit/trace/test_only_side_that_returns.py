"""Containers that a branch makes and changes inside others, where the other sides raise: as in eager execution."""

import numpy as np
import pytest
import tracefn


class Plain:
    pass


state = Plain()


def in_a_list(x):
    if x[0] > 1:
        raise ValueError
    else:
        m = [[x[0]]]
        state.last = m
        m[0].append(0.5)
    return m, state.last is m


def in_an_object(x):
    if x[0] > 1:
        raise ValueError
    else:
        m = Plain()
        m.acc = m.same = [x[0]]
        state.last = m
        m.acc.append(0.5)
    m.same.append(1.0)
    return m.acc, state.last is m, m.acc is m.same


def in_a_list_twice(x):
    if x[0] > 1:
        raise ValueError
    else:
        m = [[x[0]]]
        m.append(m[0])
        m[0].append(0.5)
    m[1].append(1.0)
    return m, m[0] is m[1]


def added_to_a_list_outside(x):
    if x[0] > 1:
        raise ValueError
    else:
        m = {"k": [x[0]]}
        state.rows.append(m["k"])
        state.rows[-1].append(0.5)
    return m, m["k"] is state.rows[-1], state.rows


def that_was_there_before(x):
    q = [1.0]
    if x[0] > 1:
        raise ValueError
    else:
        m = [x[0] * 2, q]
        q.append(x[0])
    m[1].append(0.5)
    return q, m, q is m[1]


@pytest.mark.parametrize(
    "program", [in_a_list, in_an_object, in_a_list_twice, added_to_a_list_outside, that_was_there_before]
)
def test_containers_have_their_content_at_the_end_of_the_branch(program):
    traced, x = tracefn.function(program), np.array([0.25, 3.0])
    state.rows, state.last = [], None
    expected = repr(program(x))
    for x[0] in (0.75, 0.25):
        state.rows, state.last = [], None
        found = repr(traced(x))
    assert found == expected
    assert traced.tracing_count == 1
    with pytest.raises(ValueError):
        traced(np.array([2.0, 3.0]))
