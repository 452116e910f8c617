"""Functions, methods and objects that a traced function is given, and calls: they keep what they change."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import tracefn

X = np.array([1.0, 2.0])


def same(function):
    return function


class Counter:
    def __init__(self):
        self.n, self.rows = 0, []

    def step(self, x):
        self.n += 1
        self.rows.append(self.n)
        return x * self.n

    def __call__(self, x, by=1):
        self.n += by
        return x + self.n

    def state(self):
        return self.n, self.rows


class Traced(Counter):
    step = tracefn.function(Counter.step)


def of_closure(counter):
    def step(x):
        counter.n += 1
        return x * counter.n

    return step


GIVEN = {
    "method": lambda counter: counter.step,
    "object": lambda counter: counter,
    "partial of a method": lambda counter: functools.partial(counter.step),
    "partial of an object": lambda counter: functools.partial(counter, by=2),
    "partial with an array": lambda counter: functools.partial(np.add, np.ones(2)),
    "closure": of_closure,
    "lambda": lambda counter: lambda x: counter.step(x),
}


def called(f, x):
    return f(x) + 1


def called_twice(f, x):
    y = f(x)
    if x[0] > 0:
        y = y + f(x)
    return y


def called_in_a_list(f, x):
    total = x
    for g in [f, f]:
        total = total + g(total)
    return total


def called_through_numpy(f, x):
    return np.apply_along_axis(f, 0, x)


@pytest.mark.usefixtures("falls_back")
@pytest.mark.parametrize("is_kept", [True, False], ids=["kept", "made anew"])
@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
@pytest.mark.parametrize("cls", [Counter, Traced])
@pytest.mark.parametrize("function", [called, called_twice, called_in_a_list, called_through_numpy])
def test_what_is_given_is_called_and_keeps_what_it_changes(function, cls, given, is_kept):
    found = []
    for deco in (same, tracefn.function):
        counter, f = cls(), deco(function)
        kept, results = given(counter), []
        for n in range(4):
            if n == 2:
                counter.n += 10
            results.append(f(kept if is_kept else given(counter), X + n).tolist())
        found.append((results, counter.state()))
    assert found[0] == found[1]


@pytest.mark.usefixtures("falls_back")
@pytest.mark.parametrize("cls", [Counter, Traced])
def test_what_a_call_changes_before_it_raises_stays(cls):
    def caught(counter, x):
        try:
            return counter.step("a" if x is None else None)
        except TypeError:
            return x * counter.n

    found = []
    for deco in (same, tracefn.function):
        counter, f = cls(), deco(caught)
        found.append(([f(counter, X).tolist() for _ in range(3)], counter.state()))
    assert found[0] == found[1] and found[0][1] == (3, [1, 2, 3])
