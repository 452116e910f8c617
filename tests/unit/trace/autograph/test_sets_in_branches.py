"""Sets from outside that branches change: each call does what the branch that runs does, and reads are steps."""

import numpy as np
import pytest
import tracefn

CALLS = [np.array(values) for values in ([1.0, 2], [-1.0, 3], [2.0, 0], [-3.0, -2], [0.5, 0.25], [1.0, -4])]


def added(s):
    def f(x):
        if x[0] > 0:
            s.add(5)
        else:
            s.discard(1)
        return len(s), 1 in s, 5 in s

    return f


def left_early(s):
    def f(x):
        if x.sum() < 0:
            return "early"
        if 1 in s:
            s.discard(1)
        else:
            s.add(1)
        return "late"

    return f


def in_turn(s):
    def f(x):
        for k in range(3):
            if x[k % 2] > k - 1:
                if k not in s:
                    s.add(k)
            elif k in s:
                s.discard(k)
        return len(s)

    return f


def updated(s):
    def f(x):
        if x[0] > x[1]:
            s.update([7, 8])
            s.remove(7)
        s.add(int(x[0] > 0))
        return len(s), x * len(s)

    return f


@pytest.mark.parametrize("make", [added, left_early, in_turn, updated])
def test_the_set_is_as_undecorated_code_leaves_it(make):
    plain, traced = {1, 2}, {1, 2}
    f, g = make(plain), tracefn.function(make(traced))
    for x in CALLS:
        assert (repr(g(x)), traced) == (repr(f(x)), plain)
    assert not g.fallbacks


def cleared(s):
    def f(x):
        s.add(int(x[0] > 0))
        if x.sum() > 1:
            s.clear()

    return f


def popped(s):
    def f(x):
        s.add(int(x[1]))
        if x[0] > 0:
            return s.pop()

    return f


def popped_first(s):
    def f(x):
        taken = s.pop()
        s.add(int(x[0] > 0) + 8)
        return taken, s.pop()

    return f


def removed_where_it_is_not(s):
    def f(x):
        if x[0] > 0:
            s.remove(1)
        return len(s)

    return f


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
@pytest.mark.parametrize("make", [cleared, popped, popped_first, removed_where_it_is_not])
def test_what_cannot_be_decided_is_done_as_undecorated_code_does_it(make, falls_back):
    plain, traced = {0, 3, 8, 11}, {0, 3, 8, 11}
    f, g = make(plain), tracefn.function(make(traced))
    for x in CALLS:
        outcomes = []
        for function in (f, g):
            try:
                outcomes.append(function(x))
            except KeyError as error:
                outcomes.append(repr(error))
        assert outcomes[0] == outcomes[1]
        assert list(traced) == list(plain)
