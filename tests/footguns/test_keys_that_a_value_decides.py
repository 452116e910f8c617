"""Dicts, Counters and sets that are changed at keys which only the call knows, and `try` around what may raise."""

import heapq
from collections import Counter, defaultdict

import numpy as np
import pytest
import tracefn


class State:
    def __init__(self):
        self.counts, self.seen, self.last = Counter(a=1), {1}, {}
        self.sums = defaultdict(float)
        self.level, self.missed = {"low": 0, "high": 0}, 0


def counts(s, x):
    s.counts["up" if x[0] > 0 else "down"] += 1
    s.counts[int(x[0])] += 1
    s.counts["all"] += len(x)
    s.sums[int(x[1])] += x.sum()


def adds(s, x):
    s.seen.add(int(x[0]))
    if x[1] > 0:
        s.last[int(x[0])] = x[2]
    s.counts.update(x.astype(int).tolist())


def histogram(s, x):
    s.last[int(x[0])] = s.last.get(int(x[0]), 0) + 1
    s.level["high" if x[0] > 0 else "low"] += 1


def tries(s, x):
    try:
        s.last["v"] = float(x[0]) + int(x[1])
    except (ValueError, OverflowError):
        s.missed += 1
    return s.missed


def reads_afterwards(s, x):
    s.counts[int(x[0])] += 1
    return s.counts["a"], len(s.counts)


FUNCTIONS = [counts, adds, histogram, tries, reads_afterwards]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_state_is_that_of_eager_code(function):
    theirs, mine = State(), State()
    traced = tracefn.function(function, on_unsupported="eager")
    rows = [(1.5, 2, 3), (-1.0, 0, 2), (1.5, -1, 1), (1.0, 2, 2), (1.5, 1, 0), (-3.0, 1, 0), (-3.0, 0, 0)]
    rows.append((np.nan, np.nan, 0))
    for row in rows if function is tries else rows[:-1]:
        x = np.array(row, float)
        assert repr(traced(mine, x)) == repr(function(theirs, x))
        assert repr(vars(mine)) == repr(vars(theirs))
    assert not traced.fallbacks


def changed_in_a_loop(s, x):
    for v in x:
        s.counts[int(v)] += 1


def test_a_key_of_each_round_runs_eagerly():
    theirs, mine = State(), State()
    for x in (np.arange(40.0), -np.arange(40.0)):
        tracefn.function(changed_in_a_loop, on_unsupported="eager")(mine, x)
        changed_in_a_loop(theirs, x)
        assert mine.counts == theirs.counts


def test_errors_of_what_stands_for_values_are_not_caught():
    state = State()

    @tracefn.function(on_unsupported="eager")
    def looks_up(x):
        key = "a" if x[0] > 0 else "b"
        try:
            return hash(key) == hash("a"), state.counts[key]
        except TypeError:
            return "unhashable"

    assert looks_up(np.ones(2)) == (True, 1)


RAISED = False


def makes_flags():
    seen, level, held = False, 2, [0.5, "kept"]

    def notes(x):
        nonlocal seen, level
        global RAISED
        if x[0] > 0:
            seen, RAISED, level = True, True, 5
            held[0] = x.sum()

    return notes, lambda: (seen, RAISED, level, list(held))


def test_variables_that_a_branch_sets_and_nothing_reads():
    global RAISED
    found = []
    for wrap in (lambda f: f, tracefn.function(on_unsupported="error")):
        RAISED = False
        notes, now = makes_flags()
        notes = wrap(notes)
        for sign in (-1, 1, -1, 2, -2):
            notes(np.ones(2) * sign)
            found.append(now())
    assert found[:5] == found[5:]


class Queue:
    def __init__(self):
        self.items = []

    def push(self, x):
        heapq.heappush(self.items, (float(x[0]), len(self.items), 2.0))
        return len(self.items)

    def push_and_pop(self, x):
        heapq.heappush(self.items, (x[0], 1))
        heapq.heappush(self.items, (x[1], 2))
        (first, number), least = heapq.heappop(self.items), self.items[0]
        return first * 2, number, least

    def push_in_a_branch(self, x):
        if x.sum() > 2:
            heapq.heappush(self.items, (float(x[0]), 1.5))
        return len(self.items)


@pytest.mark.parametrize("name", ["push", "push_and_pop", "push_in_a_branch"])
def test_heaps_of_tuples_of_numbers(name):
    mine, theirs, run = Queue(), Queue(), getattr(Queue, name)
    traced = tracefn.function(run)
    for pair in ([3.0, 1.0], [0.0, 2.0], [2.0, 2.0], [-1.0, 4.0], [2.0, 0.0], [1.0, 1.0]):
        x = np.array(pair)
        assert repr(traced(mine, x)) == repr(run(theirs, x))
        assert repr(mine.items) == repr(theirs.items)
    assert traced.fallbacks == []


@pytest.mark.parametrize("container", [{1, 2}, {1: 2}, set(), {}, frozenset({3}), Counter()])
def test_an_array_is_no_key(container):
    for x in (np.array([1]), np.array([1, 2]), np.array([])):
        for function in (lambda x: x in container, tracefn.function(lambda x: x in container)):
            with pytest.raises(TypeError, match="unhashable type: 'numpy.ndarray'"):
                function(x)
