"""`is` between containers from outside: those that are equal may become one, or two."""

from __future__ import annotations

import array
import collections
import functools
from collections.abc import Mapping, Set
from types import SimpleNamespace

import numpy as np
import pytest
import tracefn

X = np.arange(3.0)


def two(held, x):
    return x + 1 if held.left is held.right else x - 1


def in_a_loop(held, x):
    while x.sum() < 10:
        x = x + 1 if held.left is not held.right else x + 2
    return x


def among_others(held, x):
    kept = []
    for item in (held.left, held.right, held.left):
        if not any(item is other for other in kept):
            kept.append(item)
    return x + len(kept)


def stored(held, x):
    held.last = held.left
    return x + (held.last is held.right)


MAKE = [lambda: [1, 2], lambda: {"a": 1}, lambda: {1}, lambda: collections.deque([1]), lambda: (*"ab",),
        lambda: [[1]]]  # fmt: skip


@pytest.mark.parametrize("function", [two, in_a_loop, among_others, stored])
@pytest.mark.parametrize("make", MAKE, ids=lambda make: type(make()).__name__)
def test_equal_containers_that_become_one(function, make):
    held = SimpleNamespace(left=make(), right=make())
    f = tracefn.function(lambda x: function(held, x))

    def agrees() -> None:
        for _ in range(3):
            np.testing.assert_array_equal(f(X), function(held, X))

    agrees()
    held.right = held.left
    agrees()
    held.left = make()
    agrees()
    held.left, held.right = held.right, held.left
    agrees()
    assert f.tracing_count <= 2 and not f.fallbacks


@functools.lru_cache
def kept(n):
    return [n, {n}]


@functools.cache
def named(n):
    return {"n": n}


@functools.lru_cache(maxsize=1)
def paired(n):
    return n, "a"


@functools.cache
def row(n):
    return np.eye(n)[0]


def test_an_array_that_a_cache_keeps_is_one_object():
    def ask(x):
        return row(len(x)) is row(len(x)), row(2) is row(3), row(len(x)) + x

    expected = [repr(ask(X)) for _ in range(3)]
    row.cache_clear()
    traced = tracefn.function(ask)
    assert [repr(traced(X)) for _ in range(3)] == expected


def test_a_tuple_is_one_object_as_long_as_a_cache_keeps_it():
    def ask(x):
        first = paired(len(x))
        return first is paired(len(x)), paired(2) is first, paired(len(x)) is first

    assert tracefn.function(ask)(X) == ask(X) == (True, False, False)


def test_containers_that_a_cache_keeps_are_the_same_at_each_call():
    @tracefn.function(on_unsupported="eager")
    def ask(x):
        kept(2).append(len(kept(2)))
        return kept(2), named(3), x + len(kept(2))

    for calls in range(1, 4):
        found, by_name, x = ask(np.zeros(1))
        assert found is kept(2) and by_name is named(3)
        assert len(found) == x[0] == 2 + calls


class Pairs(Mapping):
    """Not complete, it cannot be compared: that asks its items."""

    def __init__(self, pairs):
        self.pairs = pairs

    def __getitem__(self, key):
        return self.pairs[key]

    def __iter__(self):
        return iter(self.pairs)

    def __len__(self):
        return len(self.pairs)


class Items(list): ...


class Members(Set):
    __hash__ = Set._hash

    def __init__(self, members):
        self.members = members

    def __contains__(self, member):
        return member in self.members

    def __iter__(self):
        return iter(self.members)

    def __len__(self):
        return len(self.members)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Pairs({1: 2}), Pairs({1: 2.0})),
        (Items([1]), Items([1.0])),
        (Members([1]), Members([1.0])),
        (collections.UserDict({1: 2}), collections.UserDict({1: 2.0})),
        (array.array("i", [1]), array.array("d", [1])),
        (range(0), range(1, 1)),
        (SimpleNamespace(a=1), SimpleNamespace(a=1)),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_branches_that_choose_one_of_two_that_are_equal(left, right):
    def chosen(x):
        if x.sum() > 0:
            found = left
        else:
            found = right
        return found

    traced = tracefn.function(chosen, on_unsupported="eager")
    assert traced(X) is left and traced(-X) is right and traced(X) is left


@pytest.mark.parametrize(
    "make", [lambda: {1}, lambda: collections.deque([1]), lambda: slice(0, 2), lambda: range(3)],
    ids=["set", "deque", "slice", "range"],
)  # fmt: skip
def test_branches_that_make_equal_ones(make):
    def made(x):
        if x.sum() > 0:
            found, x = make(), x + 1
        else:
            found = make()
        return found, x

    traced = tracefn.function(made, on_unsupported="error")
    for x in (X, -X):
        assert repr(traced(x)) == repr(made(x))


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_branches_that_make_an_object_that_compares_by_its_items():
    def made(x):
        if x.sum() > 0:
            found = Pairs({0: x + 1})
        else:
            found = Pairs({0: x - 1})
        return found

    traced = tracefn.function(made, on_unsupported="eager")
    for x in (X, -X):
        np.testing.assert_array_equal(traced(x)[0], made(x)[0])
    assert not any("report" in found.text for found in traced.fallbacks)


@pytest.mark.usefixtures("falls_back")
@pytest.mark.parametrize("make", [set, collections.deque, bytearray])
def test_a_round_that_gives_a_name_an_equal_container(make):
    def function(x):
        first, last, n = make(), make(), x.sum()
        while n > 0:
            last = first
            n = n - 1
        return first is last, first, last

    for x in (X, -X):
        assert repr(tracefn.function(function)(x)) == repr(function(x))


@pytest.mark.usefixtures("falls_back")
@pytest.mark.parametrize("make", [set, collections.deque, bytearray, list])
def test_a_branch_that_gives_a_name_an_equal_container(make):
    def function(x):
        first, last = make(), make()
        if x.sum() > 0:
            last = first
        getattr(last, "add" if make is set else "append")(3)
        return first is last, first, last

    for x in (X, -X):
        assert repr(tracefn.function(function)(x)) == repr(function(x))
