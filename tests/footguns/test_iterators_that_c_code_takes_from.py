"""Iterators from outside from which code in C takes items: each call advances them as eager code does."""

import array
import functools
import heapq
import itertools
import math
import operator

import numpy as np
import pytest
import tracefn

pytestmark = pytest.mark.usefixtures("falls_back")

CONSUMERS = {
    "in": lambda it: 2.0 in it,
    "not in": lambda it: 2.0 not in it,
    "__next__": lambda it: it.__next__(),
    "next": lambda it: next(it),
    "zip": lambda it: [a * b for a, b in zip([1.0, 2.0], it, strict=False)],
    "map": lambda it: list(map(operator.mul, [1.0, 2.0], it)),
    "list": lambda it: list(itertools.islice(it, 2)),
    "dict": lambda it: dict(zip("ab", it, strict=False))["b"],
    "reduce": lambda it: functools.reduce(operator.add, it, 0.0),
    "countOf": lambda it: operator.countOf(it, 2.0),
    "indexOf": lambda it: operator.indexOf(it, 2.0),
    "fsum": lambda it: math.fsum(it),
    "tee": lambda it: next(itertools.tee(it)[0]),
    "nlargest": lambda it: heapq.nlargest(1, it),
    "union": lambda it: len({0.0}.union(it)),
    "fromiter": lambda it: np.fromiter(it, float),
    "array": lambda it: len(array.array("d", it)),
    "fromkeys": lambda it: len(dict.fromkeys(it)),
    "helper": lambda it: helper(it),
}
ENDLESS = ("in", "__next__", "next", "zip", "map", "list", "dict", "indexOf", "tee", "helper")


def helper(it):
    return next(it)


def outcomes(function, it):
    found = []
    for _ in range(3):
        try:
            found.append(np.asarray(function(it, np.ones(2))).tolist())
        except Exception as error:
            found.append(type(error))
    return [*found, next(it, "end")]


@pytest.mark.parametrize(
    ("make", "name"),
    [
        *[(lambda: itertools.chain([1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]), name) for name in CONSUMERS],
        *[(lambda: itertools.cycle([1.0, 2.0, 3.0]), name) for name in ENDLESS],
        *[(lambda: map(operator.neg, [-2.0, -3.0, -4.0]), name) for name in ("in", "__next__", "reduce")],
    ],
)
def test_each_call_takes_from_the_iterator(make, name):
    consumer = CONSUMERS[name]

    def f(it, x):
        return np.sum(consumer(it)) + x

    assert outcomes(tracefn.function(f), make()) == outcomes(f, make())


def test_products_give_a_tuple_at_each_call():
    def f(it, x):
        a, b = next(it)
        return a + b * x

    made = [itertools.product([1.0, 2.0], [3.0, 4.0]) for _ in range(2)]
    assert outcomes(tracefn.function(f), made[0]) == outcomes(f, made[1])
