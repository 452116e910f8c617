"""Special methods that Python's own operators and functions call: what they read of objects outside is seen."""

import math
import operator
import os

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree_anyway


class Gain:
    def __init__(self, k):
        self.k = k

    def __eq__(self, other):
        return self.k == other.k

    def __lt__(self, other):
        return self.k < (other.k if isinstance(other, Gain) else other)

    def __hash__(self):
        return 1

    def __add__(self, other):
        return self.k + other

    __radd__ = __add__

    def __mul__(self, other):
        return self.k * other

    def __neg__(self):
        return -self.k

    def __abs__(self):
        return abs(self.k)

    def __float__(self):
        return float(self.k)

    def __index__(self):
        return int(self.k)

    def __round__(self, digits=0):
        return round(self.k)

    def __len__(self):
        return int(self.k)

    def __contains__(self, value):
        return value == self.k

    def __getitem__(self, i):
        return self.k + i

    def __or__(self, other):
        return self.k + 2 * other

    def __invert__(self):
        return -self.k - 1


class AsArray:
    def __init__(self, k):
        self.k = k

    def __array__(self, dtype=None, copy=None):
        return np.array([self.k], dtype)


class Truth:
    def __init__(self, k):
        self.k = k

    def __bool__(self):
        return self.k > 2


class Model:
    def __init__(self, k):
        self.gain, self.other, self.gains = Gain(k), Gain(3.0), [Gain(k), Gain(3.0)]
        self.array, self.truth = AsArray(k), Truth(k)

    def set(self, k):
        for part in (self.gain, self.gains[0], self.array, self.truth):
            part.k = k


USES = {
    "multiplied": lambda m, x: m.gain * x,
    "added": lambda m, x: m.gain + x,
    "added to a number": lambda m, x: 1.0 + m.gain + x,
    "compared": lambda m, x: x + (m.gain < 2.0),
    "equal": lambda m, x: x + (m.gain == m.other),
    "unequal": lambda m, x: x + (m.gain != m.other),
    "in a tuple": lambda m, x: x + ((m.gain, 1) == (m.other, 1)),
    "in a list": lambda m, x: x + (m.gain in m.gains[1:]),
    "negative": lambda m, x: x + -m.gain,
    "inverted": lambda m, x: x + ~m.gain,
    "or": lambda m, x: x + (m.gain | 3),
    "absolute": lambda m, x: x + abs(m.gain),
    "a float": lambda m, x: x + float(m.gain),
    "a list index": lambda m, x: x + [1, 2, 3, 4, 5, 6][m.gain],
    "rounded": lambda m, x: x + round(m.gain),
    "sized": lambda m, x: x + len(m.gain),
    "searched": lambda m, x: x + (3.0 in m.gain),
    "indexed": lambda m, x: x + m.gain[1],
    "an array": lambda m, x: x + np.asarray(m.array),
    "true": lambda m, x: x + 1 if m.truth else x,
    "the largest": lambda m, x: x + max(m.gains).k,
    "the largest float": lambda m, x: x + max(m.gains, key=float).k,
    "sorted": lambda m, x: x + sorted(m.gains)[0].k,
}


@pytest.mark.parametrize("use", USES)
def test_as_undecorated(use):
    function, model = USES[use], Model(1.0)
    traced = tracefn.function(function, on_unsupported="eager")
    for k in (1.0, 3.0, 5.0, 3.0, 2.0):
        model.set(k)
        assert traced(model, np.ones(4)).tolist() == function(model, np.ones(4)).tolist()


def holder(**methods):
    """A class with these special methods alone: what others read would be seen anyway."""
    made = {f"__{name}__": method for name, method in methods.items()}
    return type("Holder", (), {"__init__": lambda self, k: setattr(self, "k", k), **made})


ASKED_BY_PYTHON = [
    (holder(floor=lambda self: int(self.k)), math.floor),
    (holder(ceil=lambda self: int(self.k)), math.ceil),
    (holder(trunc=lambda self: int(self.k)), math.trunc),
    (holder(bytes=lambda self: b"x" * int(self.k)), bytes),
    (holder(hash=lambda self: int(self.k)), hash),
    (holder(reversed=lambda self: iter([self.k])), lambda o: list(reversed(o))),
    (holder(fspath=lambda self: f"{self.k}.txt"), os.fspath),
    (holder(length_hint=lambda self: int(self.k)), operator.length_hint),
]


@pytest.mark.parametrize(("cls", "ask"), ASKED_BY_PYTHON, ids=lambda v: getattr(v, "__name__", ""))
def test_what_python_asks_of_an_object_is_what_it_holds_now(cls, ask):
    holds = cls(1.5)
    asked = tracefn.function(lambda o, x: (ask(o), x))
    for k in (1.5, 2.5, 7.0):
        holds.k = k
        assert asked(holds, 1.0) == (ask(holds), 1.0)


class Row:
    def __init__(self):
        self.items = [1.0, 2.0, 3.0]

    def __getitem__(self, key):
        return self.items[key]

    def __len__(self):
        return len(self.items)


def sequences_given_to_functions(row, x):
    def all_of():
        yield from row

    one, *_ = row
    taken = []
    taken.extend(row)
    return (
        np.sum(row), np.stack([row, row]), x + np.asarray(row), np.dot(row, x), list(iter(row)), next(iter(row)), taken,
        operator.truth(row), operator.contains(row, 7.0), [*row], one, set().union(row), list(all_of()), max(row),
        np.array([[0.0, 0.0, 0.0], row]), row[0],
    )  # fmt: skip


@pytest.mark.parametrize("is_argument", [True, False])
def test_sequences_whose_items_change_between_calls(is_argument):
    def run(function):
        row = Row()
        call = function(sequences_given_to_functions if is_argument else lambda x: sequences_given_to_functions(row, x))
        found = []
        for value in [1.0, 7.0, 9.0, 9.0, 7.0]:
            row.items[1] = value
            found.append(repr(call(*(row,) * is_argument, np.ones(3))))
        return found

    assert run(tracefn.function) == run(lambda f: f)


class Total:
    """Its operators count how often they are used, and write into an array of their own."""

    uses = 0

    def __init__(self, *values):
        self.values = np.array(values, float)

    def __add__(self, other):
        Total.uses += 1
        found = np.zeros(2)
        found[: len(self.values)] += self.values
        return Total(*(found + other.values))

    def __eq__(self, other):
        Total.uses += 1
        return bool(self.values[0] == getattr(other, "values", [other])[0])

    __hash__ = None


SEEN = {
    "added": lambda x, a, b: (a + b).values * x,
    "equal": lambda x, a, b: (a == b, b == a, x),
}
UNSEEN = {
    "summed": lambda x, a, b: sum([b, a], Total(0.0, 0.0)).values * x,
    "found in a list": lambda x, a, b: (b in [a, b], x),
    "compared in lists": lambda x, a, b: ([a, b] == [a, 3.0], (b,) == (1.0,), x),
    "counted": lambda x, a, b: ([a, b].count(1.0), x),
}


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
@pytest.mark.parametrize("kind", [*SEEN, *UNSEEN])
def test_operators_that_change_something(kind, falls_back):
    plain = {**SEEN, **UNSEEN}[kind]
    outcomes = []
    for function in (plain, traced := tracefn.function(plain)):
        Total.uses, a, b = 0, Total(3.0), Total(1.0, 2.0)
        outcomes.append([(repr(function(np.full(2, float(i)), a, b)), Total.uses) for i in range(3)])
    assert outcomes[0] == outcomes[1]
    assert bool(traced.fallbacks) == (kind in UNSEEN)


class Sample:
    asked = 0

    def __init__(self, x):
        self.x = np.full(2, x)

    def __len__(self):
        return len(self.x)

    def __eq__(self, other):
        Sample.asked += 1
        return self.x == other.x


def test_objects_that_nothing_compares_are_not_compared():
    total = tracefn.function(lambda samples, w: sum(s.x * len(s) * w for s in samples))
    assert total([Sample(1.0), Sample(2.0)], np.ones(2)).tolist() == [6.0, 6.0]
    assert not total.fallbacks and Sample.asked == 0


class EqualToItself:
    def __eq__(self, other):
        return self is other


KEPT = [np.arange(3.0)]
SEARCHES = [lambda one, x: one in [x], lambda one, x: one in KEPT, lambda one, x: x in (one, x)]


@pytest.mark.parametrize("search", SEARCHES)
def test_items_are_asked_whether_they_are_what_is_searched(search):
    one = EqualToItself()
    assert_all_agree_anyway(lambda x: search(one, x), [np.arange(3.0)], [np.ones(1)])
