"""An object that a trace read and that changes afterwards in place: the next call sees it, however it was read."""

from __future__ import annotations

import array
import collections

import numpy as np
import pytest
import tracefn

X = np.ones(3)


class Own:
    """Of a class of the user's, with special methods, and keyed by identity."""

    def __init__(self) -> None:
        self.value, self.items, self.table = 1, [1, 2], {"a": 1}

    def __len__(self):
        return len(self.items)

    def __iter__(self):
        return iter(self.items)

    def __contains__(self, item):
        return item in self.items

    def __getitem__(self, key):
        return self.table[key]

    def __bool__(self):
        return bool(self.items)

    def __float__(self):
        return float(self.value)

    def __add__(self, other):
        return other * self.value


class Stack(list):
    """A subclass of list is keyed by identity, too."""


class Table(dict):
    """A subclass of dict, too."""


def grow(held) -> None:
    held.items.append(7)


def shift(held) -> None:
    held.value += 1


CHANGES = {
    "set, length": (lambda: {1, 2}, lambda x, s: x * len(s), lambda s: s.add(7)),
    "set, member": (lambda: {1, 2}, lambda x, s: x * (7 in s), lambda s: s.add(7)),
    "deque, sum": (lambda: collections.deque([1, 2]), lambda x, s: x * sum(s), lambda s: s.append(7)),
    "deque, item": (lambda: collections.deque([1, 2]), lambda x, s: x * s[0], lambda s: s.appendleft(7)),
    "ordered dict": (lambda: collections.OrderedDict(a=1), lambda x, s: x * len(s), lambda s: s.update(b=2)),
    "counter": (
        lambda: collections.Counter("aab"),
        lambda x, s: x * s.most_common(1)[0][1],
        lambda s: s.update("aaa"),
    ),
    "bytearray": (lambda: bytearray(b"ab"), lambda x, s: x * len(s), lambda s: s.append(7)),
    "array.array": (lambda: array.array("d", [1.0, 2.0]), lambda x, s: x * sum(s), lambda s: s.append(7.0)),
    "list subclass": (lambda: Stack([1, 2]), lambda x, s: x * sum(s), lambda s: s.append(7)),
    "dict subclass": (lambda: Table(a=1), lambda x, s: x * len(s), lambda s: s.update(b=2)),
    "own, len": (Own, lambda x, s: x * len(s), grow),
    "own, iteration": (Own, lambda x, s: x * sum(s), grow),
    "own, member": (Own, lambda x, s: x * (7 in s), grow),
    "own, item": (Own, lambda x, s: x * s["a"], lambda s: s.table.update(a=5)),
    "own, truth": (Own, lambda x, s: x * (2 if s else 3), lambda s: s.items.clear()),
    "own, number": (Own, lambda x, s: x * float(s), shift),
    "own, operator": (Own, lambda x, s: s + x, shift),
    "own, attributes": (Own, lambda x, s: x * s.value + len(s.items), shift),
}


IN_A_LIST = ("own, attributes", "set, length", "set, member")
CASES = [(name, how) for name in CHANGES for how in ("argument", "captured")] + [(n, "in a list") for n in IN_A_LIST]


@pytest.mark.parametrize(("name", "how"), CASES)
def test_a_change_in_place_is_seen(name: str, how: str) -> None:
    make, function, change = CHANGES[name]
    held = make()
    if how == "argument":
        f, arguments = tracefn.function(function), (X, held)
    elif how == "captured":
        f, arguments = tracefn.function(lambda x: function(x, held)), (X,)
    else:
        f, arguments = tracefn.function(lambda x, held: function(x, held[0])), (X, [held])
    np.testing.assert_array_equal(f(*arguments), function(X, held))
    np.testing.assert_array_equal(f(*arguments), function(X, held))
    assert f.tracing_count == 1
    change(held)
    np.testing.assert_array_equal(f(*arguments), function(X, held))
    assert f.tracing_count == 2


def test_a_change_that_a_trace_did_not_read_costs_nothing() -> None:
    held = Own()
    f = tracefn.function(lambda x: x * held.value)
    f(X)
    held.items.append(3)
    held.table["z"] = 1
    f(X)
    assert f.tracing_count == 1


BIG = list(range(5000))
OWN = Own()


def take(held) -> int:
    return 1


def test_what_changed_without_being_compared_is_told() -> None:
    f = tracefn.function(lambda x: x * OWN.value * take(OWN) + sum(BIG), jit="off")  # 5000 additions
    f(X)
    assert [read.changed for read in f.explain().reads if read.changed] == []
    OWN.other = 3
    BIG[7] = -1
    told = {read.path: read.changed for read in f.explain().reads if read.changed}
    assert told == {"global OWN": "other"}
    assert "changed since the trace, and not compared: other" in str(f.explain())
    f.clear_cache()
    np.testing.assert_array_equal(f(X), X + sum(BIG))


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_a_class_that_claims_to_be_of_a_library() -> None:
    class Counting:
        def __init__(self) -> None:
            self.n = 0

        def step(self, x):
            self.n += 1
            return x * self.n

    Counting.__module__ = "sklearn.of_no_module"
    counting, given = Counting(), Counting()
    f = tracefn.function(lambda x: counting.step(x), on_unsupported="eager")  # is a step if the library is imported
    g = tracefn.function(lambda o, x: o.step(x), on_unsupported="eager")
    for n in (1.0, 2.0, 3.0):
        np.testing.assert_array_equal(f(X), X * n)
        np.testing.assert_array_equal(g(given, X), X * n)
    assert counting.n == given.n == 3
