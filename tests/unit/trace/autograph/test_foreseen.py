"""Reads of containers after a change at a key that only the call knows, or that a branch has made."""

import bisect
import collections
import heapq

import numpy as np
import pytest
import tracefn

CALLS = [np.array(values) for values in ([1.0, 2, 3], [4.0, 0, 1], [1.0, 1, 1], [-3.0, 2, 2], [7.0, 7, 7], [1.0, 2, 3])]


def results(make, decorate):
    """The result of each call, and the text of the state after it."""
    function, state = make(decorate)
    return [(repr(function(x)), repr(state)) for x in CALLS]


def counter(decorate):
    votes = collections.Counter()

    @decorate
    def count(x):
        votes["up" if x[0] > 1 else "down"] += 1
        votes["n"] += 1
        shown = votes["n"], votes["nothing"], votes.get("up", 0), "up" in votes, votes.pop("other", 5)
        return votes.most_common(1), votes.total(), len(votes), *shown

    return count, votes


def dictionary(decorate):
    totals = {"a": 1}

    @decorate
    def add(x):
        totals[int(x[0])] = float(x[1])
        total = 0
        for _, value in totals.items():
            total += value
        totals.setdefault("z", 3)
        totals.pop(4, None)
        return total, len(totals), list(totals), sum(totals.values())

    return add, totals


def members(decorate):
    seen = set()

    @decorate
    def see(x):
        seen.add(int(x[0]))
        is_new = 4 not in seen
        return (x * 2 if len(seen) > 2 else x), is_new, len(seen)

    return see, seen


def filled_by_its_key(decorate):
    seen = {}

    @decorate
    def see(x):
        seen[int(x[0])] = x.sum()
        return x + 1 if seen else x

    return see, seen


def given_to_functions(decorate):
    seen = {5: 1}

    @decorate
    def see(x):
        seen[int(x[0])] = int(x[1])
        return (
            max(seen),
            sum(seen),
            sorted(seen)[0],
            any(seen),
            [k + i for i, k in enumerate(seen)][0],
            min(seen.values()),
        )

    return see, seen


def heap(decorate):
    queue = []

    @decorate
    def push(x):
        heapq.heappush(queue, float(x[0]))
        heapq.heappush(queue, 2)
        taken = heapq.heappop(queue) if len(queue) > 4 else None
        if x[1] > 1:
            heapq.heappush(queue, x[1])
        return taken, len(queue)

    return push, queue


def sorted_list(decorate):
    marks = []

    @decorate
    def mark(x):
        bisect.insort(marks, float(x[0]))
        place = bisect.bisect(marks, x[1])
        if len(marks) > 3:
            marks.pop(0)
        return place, marks[len(marks) // 2], list(marks), sum(marks), len(marks)

    return mark, marks


@pytest.mark.parametrize(
    "make", [counter, dictionary, members, filled_by_its_key, given_to_functions, heap, sorted_list]
)
def test_it_is_read_in_the_graph(make):
    traced = []

    def decorate(function):
        traced.append(tracefn.function(function))
        return traced[-1]

    assert results(make, decorate) == results(make, lambda function: function)
    assert not traced[0].fallbacks


def texts(decorate):
    seen = {}

    @decorate
    def see(x):
        seen[int(x[0])] = 1
        return f"{seen}", str(seen), repr(seen), f"{len(seen)}", seen == {}, seen != {1: 1}, seen | {3: 4}

    return see, seen


def sets(decorate):
    seen = {1}

    @decorate
    def see(x):
        seen.add(int(x[0]))
        return sorted(seen | {2}), sorted(seen & {1}), sorted(seen - {4}), seen <= {1, 2}, bool(seen)

    return see, seen


def arrays(decorate):
    held = {}

    @decorate
    def hold(x):
        held[int(x[0])] = x * 2
        y = held[1] if 1 in held else x.copy()
        y[0] = 100.0
        return y

    return hold, held


def copied(decorate):
    seen = {}

    @decorate
    def see(x):
        seen[int(x[0])] = seen.get(int(x[0]), 0) + 1
        return dict(seen), {**seen}, seen.copy()

    return see, seen


def replaced(decorate):
    class Owner:
        def __init__(self):
            self.seen = {}

        @decorate
        def see(self, x):
            self.seen[int(x[0])] = 1
            return len(self.seen)

    owner = Owner()

    def see(x):
        found = owner.see(x)
        if x[0] == 4:
            owner.seen = {10: 1, 11: 1}
        return found, dict(owner.seen)

    return see, None


def added_by_a_branch(decorate):
    log = []

    @decorate
    def note(x):
        if x[0] > 5:
            log.append(1)
        y = x + 1 if log else x
        return y, log == [], log != [1], log < [0], log + [1], f"{log}", str(log), not log, log or 3, log and 4

    return note, log


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
@pytest.mark.parametrize("make", [texts, sets, arrays, copied, replaced, added_by_a_branch])
def test_it_is_never_read_as_it_was_before(make, falls_back):
    assert results(make, tracefn.function) == results(make, lambda function: function)
