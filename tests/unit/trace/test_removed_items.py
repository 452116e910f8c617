"""Items that leave a list at places, or by values, which only the call knows."""

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree

CALLS = [(np.array(values),) for values in ([2.0, 0.0, 1.0, 1.0], [1.0, 3.0, 1.0, 0.0, 2.0], [3.0, 1.0, 2.0])]


def nearest_first(x):
    distance = np.abs(np.arange(5.0)[:, None] - np.arange(5.0)[None, :] * x[0])
    left, tour = list(range(1, 5)), [0]
    while left:
        j = min(left, key=lambda k: distance[tour[-1], k])
        left.remove(j)
        tour.append(j)
    return tour


def at_traced_places(x):
    found = [1, 2, 3, 4, 5]
    value = found.pop(int(x[0]))
    found.insert(int(x[1]), 9)
    del found[int(x[0])]
    return found, value


def of_a_filled_list(x):
    found, pairs, k = [], [], 0
    while k < x.sum() + 4:
        found.append(k)
        pairs.append((k, x[0]))
        k += 1
    found.remove(2)
    del found[0], found[-1], pairs[int(x[1])]
    return found, pairs


def round_and_round(x):
    people, out = list(range(6)), []
    while people:
        i = int(x[0]) % len(people)
        out.append(people[i])
        del people[i]
    return out


def in_a_branch(x):
    found = [3, 1, 2]
    found.remove(1)
    if x[0] > 2:
        found.remove(2)
    return found


def of_what_is_not_there(x):
    found = [1, 2]
    found.remove(int(x[0]))
    del found[int(x[1])]
    return found


PROGRAMS = [at_traced_places, in_a_branch, nearest_first, of_a_filled_list, of_what_is_not_there, round_and_round]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_each_call_does_what_eager_code_does(program):
    assert_all_agree(program, *CALLS)


def test_gradients_go_to_the_items_that_stay():
    def left(x):
        found = [x[0] * 2, x[1] * 3, x[2] * 5]
        del found[int(x[3])]
        return found[0] + found[1]

    def inserted(x):
        found = [x[0] * 2, x[1] * 3, x[2] * 5]
        found.insert(int(x[3]), x[0] * x[0])
        return found[1] + found[-1] * 2

    np.testing.assert_array_equal(tracefn.grad(inserted)(np.array([3.0, 1.0, 1.0, 1.0])), [6.0, 0.0, 10.0, 0.0])
    np.testing.assert_array_equal(tracefn.grad(inserted)(np.array([3.0, 1.0, 1.0, 9.0])), [12.0, 3.0, 0.0, 0.0])

    def popped(x):
        found = [x[0] * 2, x[1] * 3, x[2] * 5]
        return found.pop(int(x[3])) * 7 + found[0]

    np.testing.assert_array_equal(tracefn.grad(popped)(np.array([1.0, 1.0, 1.0, 1.0])), [2.0, 21.0, 0.0, 0.0])
    np.testing.assert_array_equal(tracefn.grad(left)(np.array([1.0, 1.0, 1.0, 1.0])), [2.0, 0.0, 5.0, 0.0])
    np.testing.assert_array_equal(tracefn.grad(left)(np.array([1.0, 1.0, 1.0, -1.0])), [2.0, 3.0, 0.0, 0.0])
