"""Order and search of lists that loops of the graph fill: sorted, sort, min, max, in, index and count."""

import heapq

import numpy as np
import pytest
import tracefn
from agreement import assert_agrees, assert_all_agree, assert_all_agree_anyway

CALLS = [(np.array(values, float),) for values in ([2, 0, 1, 1], [2, 1, 1, 0, 2, 2] * 8, [2, 4, 1, 1])]


def _filled(x):
    found, k = [], 0
    while k < x.sum():
        found.append((k * 7 % 5, k, x[0] * k))
        k += 1
    return found


def of_tuples(x):
    found = _filled(x)
    by_two = sorted(found, key=lambda t: (-t[0], t[1])), max(found, key=lambda t: t[2])
    return sorted(found), max(found), min(found), sorted(found, reverse=True), by_two


def sorted_in_place(x):
    found = _filled(x)
    found.sort(key=lambda t: -t[2])
    first = found[0]
    found.sort()
    found.sort(key=lambda t: t[1] % 3, reverse=True)
    return found, first


def of_numbers(x):
    found, k = [], 0
    while k < x.sum():
        found.append(k * 7 % 5)
        k += 1
    return sorted(found), max(found), max(found, key=lambda v: -v), 3 in found, found.count(4), found.index(2), found


def of_dicts(x):
    found, k = [], 0
    while k < x.sum():
        found.append({"k": k, "loss": x[0] * -k})
        k += 1
    return min(found, key=lambda row: row["loss"])["k"], max(row["loss"] for row in found)


def of_arrays_by_a_key(x):
    found, k = [], 0
    while k < x.sum():
        found.append(x * k)
        k += 1
    return max(found, key=lambda v: v.sum()), sorted(found, key=lambda v: -v[0])


def places_that_were_seen(x):
    seen, place, k = [], (0, 0), 0
    while k < x.sum():
        place = ((place[0] + 1) % 3, (place[1] + 2) % 5)
        if place not in seen:
            seen.append(place)
        k += 1
    return seen, (1, 2) in seen, seen.count((1, 2))


def two_lists_of_a_line(x):
    numbers, pairs = [], []
    while len(numbers) < x.sum():
        numbers.append(len(pairs))
        pairs.append((len(numbers), x[0]))
        if len(pairs) > 5:
            pairs.clear()
    return numbers, pairs


PROGRAMS = [
    of_arrays_by_a_key,
    of_dicts,
    of_numbers,
    of_tuples,
    places_that_were_seen,
    sorted_in_place,
    two_lists_of_a_line,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_each_call_gives_what_eager_code_does(program):
    assert_all_agree(program, *CALLS)


@pytest.mark.parametrize("ask", [lambda found: found.index(1000), lambda found: max(found, key=lambda v: -v)])
def test_what_raises_in_eager_code_raises(ask):
    def filled(x):
        found, k = [], 100
        while k < x.sum():
            found.append(k)
            k += 1
        return ask(found)

    assert_agrees(filled, np.array([2.0, 3.0]))


def test_the_gradient_goes_through_the_order():

    def weighted(x):
        found, k, total = [], 0, 0.0
        while k < x[0]:
            found.append((-x[1] * k, x[2] * k))
            k += 1
        for place, pair in enumerate(sorted(found)):
            total += place * pair[1]
        return total

    np.testing.assert_allclose(tracefn.grad(weighted)(np.array([3.0, 1.0, 1.0])), [0.0, 0.0, 1.0])


def shortest_paths(x):
    weights = np.abs(np.outer(x[:4], x[:4])) + 1
    distance = np.full(4, np.inf)
    distance[0] = 0
    waiting = [(0.0, 0)]
    while waiting:
        d, u = heapq.heappop(waiting)
        if d > distance[u]:
            continue
        for v in range(4):
            if d + weights[u, v] < distance[v]:
                distance[v] = d + weights[u, v]
                heapq.heappush(waiting, (distance[v], v))
    return distance


def heap_of_numbers(x):
    heap, found = [], []
    for value in x:
        heapq.heappush(heap, float(value))
    smallest = heap[0]
    while heap:
        found.append(heapq.heappop(heap))
    return smallest, found


def heap_of_pairs(x):
    heap, k = [], 0
    while k < x.sum():
        heapq.heappush(heap, (-x[0] * k % 3, k))
        k += 1
        if len(heap) > 4:
            heapq.heappop(heap)
    taken = heapq.heappop(heap), heapq.heappushpop(heap, (x[1], 3)), heapq.heapreplace(heap, (x[0], 9))
    rest = [(v, k) for v, k in heap]
    heapq.heapify(rest)
    return heap, taken, heap[0], rest[0]


@pytest.mark.parametrize("program", [heap_of_numbers, heap_of_pairs, shortest_paths], ids=lambda f: f.__name__)
def test_heaps_are_those_of_eager_code(program):
    assert_all_agree(program, *CALLS)


def heap_of_a_branch(x):
    rows = {"heap": [5 - i for i in range(4)]}
    least = 0
    if x[0] > 2:
        least = heapq.heappop(rows["heap"])
    return rows, least


def heap_of_a_loop(x):
    rows, k = [[i, 0.5] for i in range(2)], 0
    while k < x.sum():
        rows.append(heapq.heappop(rows))
        k += 1
    return rows


@pytest.mark.parametrize("program", [heap_of_a_branch, heap_of_a_loop], ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_a_branch_or_loop_changes_a_heap_at_the_calls_that_run_it(program):
    assert_all_agree_anyway(program, (np.array([1.0, 1.0]),), (np.array([3.0, 1.0]),), (np.array([1.0, 2.0]),))
