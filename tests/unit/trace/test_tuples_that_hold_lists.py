"""Tuples that hold lists: branches and loops that give names such tuples leave the lists the objects that they are."""

import numpy as np
import pytest
import tracefn

CALLS = [np.array(values) for values in ([2.0, 1.0, 3.0], [3.0, 0.0, 1.0], [1.0, 4.0], [40.0, 1.0])]


def chosen_by_a_branch(x):
    pairs = [(1, [x[0]]), (2, [x[1]])]
    found = pairs[0]
    if x[0] > 2:
        found = pairs[1]
    found[1][0] = 7
    return pairs, found


def one_of_them_is_new(x):
    pairs = [(1, [x[0]]), (2, [x[1]])]
    found = pairs[0]
    if x[0] > 2:
        found = (3, [x[0]])
    found[1][0] = 7
    return pairs, found


def chosen_by_a_round(x):
    pairs = [(1, [x[0]]), (2, [x[1]])]
    found = pairs[0]
    while x.sum() < 30:
        x = x * 2
        if x[0] > 5:
            found = pairs[-1]
    found[1][0] = 7
    return pairs, found


def new_in_a_round(x):
    pairs = [(1, [x[0]]), (2, [x[1]])]
    found = pairs[0]
    while x.sum() < 30:
        x = x * 2
        if x[0] > 5:
            found = (9, [x.sum()])
    found[1][0] = 7
    return pairs, found


def a_list_with_a_name(x):
    items = [x[0]]
    found = (1, items)
    while x.sum() < 30:
        x = x * 2
        found = (found[0] + 1, items)
    found[1][0] = 7
    return items, found


PROGRAMS = [a_list_with_a_name, chosen_by_a_branch, chosen_by_a_round, new_in_a_round, one_of_them_is_new]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_changes_reach_the_list_that_the_tuple_holds(program):
    traced = tracefn.function(program, on_unsupported="eager")
    for x in CALLS:
        (mine, of_mine), (theirs, of_theirs) = traced(x.copy()), program(x.copy())
        assert repr((mine, of_mine)) == repr((theirs, of_theirs))
        assert any(of_mine is v for v in mine) == any(of_theirs is v for v in theirs)


def test_a_tuple_that_goes_on_with_its_list_stays_in_the_graph():
    @tracefn.function(on_unsupported="error")
    def counted(x):
        found = (0, [x[0], x[1]])
        while x.sum() < 30:
            x = x * 2
            found = (found[0] + 1, found[1])
        return found

    assert repr(counted(CALLS[0])) == repr(counted.python_function(CALLS[0]))


def test_a_list_that_rounds_shorten_is_carried_by_its_own_types():
    def shortened(x):
        found, total = [x[0]] * 6, 0
        for _ in range(6):
            if total > 1000:
                break
            total += len(found)
            found = found[-3:]
        return found, total

    traced = tracefn.function(shortened, on_unsupported="eager")
    for x in CALLS:
        assert repr(traced(x)) == repr(shortened(x))
