"""Lists that loops of the graph fill with tuples: the graph keeps a column for each of their parts."""

from collections import namedtuple

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree

Point = namedtuple("Point", "index parts")


def unpacked_by_a_loop(x):
    found, k, total = [], 0, 0.0
    while k < x.sum():
        found.append((k, x * k))
        k += 1
    for index, value in found:
        total += index * value.sum()
    return total, len(found), found[-1], found[0][1], found


def named_and_nested(x):
    found, k = [], 0
    while k < x.sum():
        found.append(Point(k, (x[0], k * 2.0)))
        k += 1
    return found, found[1:3], [p.parts[1] for p in found]


def with_constants(x):
    found, k = [("a", 0, None)], 0
    while k < x.sum():
        found.append(("a", k, None))
        k += 1
    found.reverse()
    return found


def queue(x):
    waiting, taken = [(0, x[0])], 0
    while waiting:
        depth, value = waiting.pop(0)
        taken += 1
        if depth < 3:
            waiting.append((depth + 1, value * 2))
            waiting.insert(0, (depth + 2, value + 1))
    return taken


def stack_of_bounds(x):
    stack = [(0, len(x) - 1)]
    while stack:
        low, high = stack.pop()
        if low >= high:
            continue
        pivot, i = x[high], low
        for j in range(low, high):
            if x[j] < pivot:
                x[i], x[j] = x[j], x[i]
                i += 1
        x[i], x[high] = x[high], x[i]
        stack.append((low, i - 1))
        stack.append((i + 1, high))
    return x


def runs(x):
    found, current, count = [], x[0], 1
    for value in x[1:]:
        if value == current:
            count += 1
        else:
            found.append((current, count))
            current, count = value, 1
    found.append((current, count))
    return found


def an_array_of_them(x):
    found, k = [], 0
    while k < x.sum():
        found.append((k, x[0] * k))
        k += 1
    return np.array(found), np.array(found).sum(0), np.mean(found)


def changed_afterwards(x):
    found, k = [], 0
    while k < x.sum():
        found.append((k, x[0]))
        k += 1
    found[0], found[k - 1] = (5, x[1]), (6, x[2])
    found += [(7, x[0])]
    found.extend(found)
    return found + [(8, x[1])], found


def kept_in_a_dict(x):
    rows, k = [], 0
    while k < x.sum():
        if k % 3 != 1:
            rows.append((k, k % 3 == 0))
        k += 1
    return {"rows": rows, "pairs": [(v, i) for i, v in rows]}


PROGRAMS = [
    an_array_of_them,
    changed_afterwards,
    kept_in_a_dict,
    named_and_nested,
    queue,
    runs,
    stack_of_bounds,
    unpacked_by_a_loop,
    with_constants,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_each_call_gives_the_list_of_eager_code(program):
    calls = [(np.array(values, float),) for values in ([2, 0, 1, 1], [3, 1, 1, 0, 2, 2] * 8, [1, 4, 1, 1])]
    traced = assert_all_agree(program, *calls)
    assert traced.tracing_count <= 2


def test_a_library_gets_the_tuples():
    import statistics

    def slope(x):
        pairs, k = [], 0
        while k < x.sum():
            pairs.append((k, x[0] * k))
            k += 1
        return statistics.StatisticsError.__name__, statistics.mode(pairs)

    assert_all_agree(slope, (np.array([2.0, 3.0]),), (np.array([1.0, 3.0]),))


def test_tuples_of_several_structures_run_eagerly_and_say_why():
    @tracefn.function(on_unsupported="error")
    def filled(x):
        found, k = [], 0
        while k < x.sum():
            found.append((k, 1) if k < 2 else (k, 1, 2))
            k += 1
        return found

    with pytest.raises(tracefn.TracefnError):
        filled(np.ones(4))
