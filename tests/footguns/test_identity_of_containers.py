"""`is` between containers from outside: those that are equal may become one, or two."""

from __future__ import annotations

import collections
import functools
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
