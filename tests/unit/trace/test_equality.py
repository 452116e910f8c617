"""The `__eq__` of dataclasses: their fields are guarded by value where code may compare objects, and there alone."""

import dataclasses
import operator
from operator import eq as are_equal

import numpy as np
import pytest
import tracefn
from tracefn.trace.state.equality import may_compare


@dataclasses.dataclass
class Point:
    n: int
    scale: float = 1.0


@dataclasses.dataclass
class Model:
    n: int = 0
    mode: str = "train"
    point: Point = dataclasses.field(default_factory=lambda: Point(0))
    points: list = dataclasses.field(default_factory=lambda: [Point(3), Point(5)])


def counts(self, x):
    self.n += 1
    if self.mode == "train" and self.mode in ("train", "test"):
        x = x * 2
    return x + self.n


def is_one_of(self, x):
    return x + (self.point in self.points)


def is_first(self, x):
    return x + 1 if self.point == self.points[0] else x


def is_not_first(self, x):
    return x + 1 if (self.point, 1) != (self.points[0], 1) else x


def where(self, x):
    try:
        return x + self.points.index(self.point)
    except ValueError:
        return x


def how_often(self, x):
    return x + self.points.count(self.point)


def by_operator(self, x):
    return x + operator.eq(self.point, self.points[1])


def by_imported_operator(self, x):
    return x + are_equal(self.point, self.points[1])


def same(left, right):
    return left == right


def by_function(self, x):
    return x + same(self.point, self.points[1])


def by_function_found_later(self, x):
    return x + globals_of[0](self.point, self.points[1])


def in_a_lambda(self, x):
    return x + sum(map(lambda p: p == self.point, self.points))  # noqa: C417


def by_nested_objects(self, x):
    return x + ([self.point] == self.points[:1])


globals_of = [same]
COMPARING = [
    is_one_of, is_first, is_not_first, where, how_often, by_operator, by_imported_operator, by_function,
    by_function_found_later, in_a_lambda, by_nested_objects,
]  # fmt: skip


def test_fields_are_inputs_where_nothing_compares():
    model, step = Model(), tracefn.function(counts)
    cls = type("Traced", (Model,), {"step": step})
    model = dataclasses.dataclass(cls)()
    found = [model.step(np.zeros(1))[0] for _ in range(20)]
    assert found == list(range(1, 21)) and model.step.tracing_count == 1


@pytest.mark.parametrize("method", COMPARING)
def test_comparisons_are_seen(method):
    cls = dataclasses.dataclass(type("Traced", (Model,), {"step": tracefn.function(method, on_unsupported="eager")}))
    model = cls()
    for n in (0, 3, 5, 3, 7, 5, 0, 3):
        model.point.n = n
        assert model.step(np.zeros(1)) == method(model, np.zeros(1))
    model.points[0].n = 8
    model.points[1].scale = 2.0
    for n in (8, 5, 3):
        model.point.n = n
        assert model.step(np.zeros(1)) == method(model, np.zeros(1))


def test_code_that_may_compare():
    assert not may_compare(counts)
    assert not may_compare(lambda d, x: "k" in d.counts and x > 1 and d.name != "a" and x is None)
    assert all(may_compare(f) for f in COMPARING if f not in (by_function, by_function_found_later))
    assert may_compare(same) and may_compare(lambda a, d: a in d.counts)
