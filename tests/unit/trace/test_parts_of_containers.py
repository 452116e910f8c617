"""Containers from outside of which code uses parts: what it only stores, or never reads, decides nothing."""

from collections import defaultdict

import numpy as np
import pytest
import tracefn

CALLS = 6

latest = {}
named = {}
by_kind = defaultdict(list)
fixed = {1: []}
settings = {"lr": 0.5, "unused": 1.0}


def size(x):
    latest[len(x)] = x
    return len(latest)


def size_after_a_key(x):
    latest["k"] = -x
    return len(latest), x


def key_first(x):
    if "k" not in named:
        named["k"] = x
    named["k"] = x * 2
    return x


def kind_of_lists(x):
    by_kind[True].append(x)
    return by_kind[True][-1] if by_kind[True] else None


def length_of_lists(x):
    by_kind["n"].append(x)
    return len(by_kind["n"])


def last_of_a_fixed_list(x):
    fixed[1].append(x)
    return fixed[1][-1]


def emptied(x):
    latest.clear()
    latest["a"] = x
    return x


def emptied_and_read(x):
    latest.clear()
    latest["a"] = x
    latest["b"] = 2 * x
    del latest["a"]
    return list(latest), latest["b"], "a" in latest, len(latest)


class Table:
    def __init__(self):
        self.rows = {}

    def __setitem__(self, key, value):
        self.rows[key] = value

    def __len__(self):
        return len(self.rows)


table = Table()


def rows_of_an_object(x):
    table[x.ndim] = -x
    return x * len(table)


PROGRAMS = {
    size: 2, size_after_a_key: 2, key_first: 2, kind_of_lists: 2, length_of_lists: 2, last_of_a_fixed_list: 2,
    emptied: 1, emptied_and_read: 2, rows_of_an_object: 2,
}  # fmt: skip
"""The most traces for six calls."""


def state():
    held = [latest, named, by_kind, fixed, table.rows]
    return repr(held)


def clear():
    for held in (latest, named, by_kind, fixed, table.rows):
        held.clear()
    fixed[1] = []


@pytest.mark.parametrize("function", PROGRAMS)
def test_as_undecorated_in_few_traces(function):
    traced, found = tracefn.function(function, on_unsupported="error"), []
    with tracefn.config.jit("off"):
        for run in (function, traced):
            clear()
            found.append([(repr(run(np.arange(3.0) + i)), state()) for i in range(CALLS)])
    assert found[0] == found[1]
    assert traced.tracing_count <= PROGRAMS[function]


def test_only_the_parts_that_are_read_are_guarded():
    @tracefn.function
    def step(x):
        return x * settings["lr"]

    assert float(step(np.float64(2))) == 1.0
    settings["unused"] = 3.0
    assert float(step(np.float64(2))) == 1.0 and step.tracing_count == 1
    settings["lr"] = 1.0
    assert float(step(np.float64(2))) == 2.0 and step.tracing_count == 2


def test_a_container_that_is_handed_on_is_guarded_as_a_whole():
    @tracefn.function
    def step(x):
        return x * settings["lr"], dict(settings), str(settings)

    assert step(np.float64(2))[1:] == (settings, str(settings))
    settings["unused"] = 7.0
    assert step(np.float64(2))[1:] == (settings, str(settings))


def test_a_key_that_is_there_before_counts_once():
    clear()

    @tracefn.function
    def step(x):
        latest["k"] = x
        return len(latest)

    assert [step(np.ones(2)), step(np.ones(2))] == [1, 1]
    latest.clear()
    latest["other"] = 1
    assert step(np.ones(2)) == 2


grown = [1, 2]
marks = [5, 6]


def finds_a_number(x):
    grown.append(len(x) + int(x[0] > 3))
    return 4 in grown, int(x[1]) in grown


def finds_what_others_add(x):
    return int(x[0]) in marks, marks[0]


def joined(x):
    found = [0]
    found.extend(marks)
    grown.append(len(x))
    found.extend(grown)
    return found, marks[0]


def filled(found, values):
    found[1:] = values
    return found


def sliced(x):
    return filled([0], marks), filled(x * np.ones(1 + len(marks)), marks), marks[0]


@pytest.mark.parametrize("function", [finds_a_number, finds_what_others_add, joined, sliced])
def test_items_that_code_goes_over_are_those_of_each_call(function):
    traced, found = tracefn.function(function, on_unsupported="error"), []
    for run in (function, traced):
        grown[:], marks[:] = [1, 2], [5, 6]
        found.append([])
        for i in range(CALLS):
            shape = 1 if function is sliced else 3
            found[-1].append((repr(run(np.full(shape, i * 1.0))), list(grown)))
            marks.append(i)
    assert found[0] == found[1]
