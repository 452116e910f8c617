"""Reads after a change at a key that a value decides, by code that is not rewritten: through an object that holds the
container, a class of the user's that is derived from Python's, a comparison, a method of another container."""

import copy
import heapq
import json
import types
from collections import ChainMap, Counter, OrderedDict, UserDict, defaultdict
from dataclasses import dataclass

import numpy as np
import pytest
import tracefn

EAGERLY = tracefn.function(on_unsupported="eager")


class Votes(dict):
    pass


class Table:
    def __init__(self, rows):
        self.rows = rows

    def __setitem__(self, key, value):
        self.rows[key] = value

    def __getitem__(self, key):
        return self.rows[key]

    def __iter__(self):
        return iter(self.rows)

    def keys(self):
        return self.rows.keys()


@dataclass
class Box:
    held: object


def first_of(held):
    match held:
        case {1: value}:
            return value


def added(held, to):
    to.extend(held)
    return to


def put_into(held, to):
    to[:] = held
    return to


KINDS = {
    "dict": lambda: {1: 2.0},
    "defaultdict": lambda: defaultdict(int, {1: 2.0}),
    "a class derived from dict": lambda: Votes({1: 2.0}),
    "ChainMap": lambda: ChainMap({}, {1: 2.0}),
    "UserDict": lambda: UserDict({1: 2.0}),
    "an object": lambda: Table({1: 2.0}),
}
READS = {
    "list": list,
    "dict": dict,
    "display": lambda held: {**held, 9: 9.0},
    "unpacked": lambda held: (lambda *keys: keys)(*held),
    "loop": lambda held: [key + 1 for key in held],
    "OrderedDict": OrderedDict,
    "Counter": lambda held: Counter(list(held)),
    "largest": lambda held: heapq.nlargest(2, held),
    "json": lambda held: json.dumps([dict(held)]),
    "proxy": lambda held: types.MappingProxyType(held)[1],
    "match": first_of,
    "union": lambda held: set().union(held),
    "superset": lambda held: {1, 7}.issuperset(held),
    "extend": lambda held: added(held, []),
    "slice": lambda held: put_into(held, [3]),
    "equal": lambda held: [held] == [{1: 2.0}],
    "dataclass": lambda held: Box(held) == Box({1: 2.0}),
    "counted": lambda held: [{1: 2.0}].count(held),
    "fromiter": lambda held: np.fromiter(held, float),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_reads_find_pending_changes(kind):
    def results(decorate, read):
        held = KINDS[kind]()

        @decorate
        def step(x, key):
            held[key] = x[0]
            held[int(x[1])] = 5.0
            return read(held)

        return [repr(step(np.array([1.0, n]), np.int64(1))) for n in (7.0, 3.0)]

    for name, read in READS.items():
        assert results(EAGERLY, read) == results(lambda f: f, read), name


def test_a_dict_is_updated_by_itself():
    def results(decorate):
        held = {1: 2.0}

        @decorate
        def step(x, key):
            held[key] = x[0]
            held.update(held)

        step(np.ones(1), np.int64(1))
        return held

    with pytest.warns(tracefn.errors.FallbackWarning):
        assert results(EAGERLY) == results(lambda f: f)


def test_a_copy_of_a_set_is_a_set():
    seen = {1}

    @EAGERLY
    def step(x):
        seen.add(int(x[0]))
        return copy.deepcopy(seen), copy.copy(seen)

    assert step(np.array([3.0])) == ({1, 3}, {1, 3})
