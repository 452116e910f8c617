"""map and filter: traced once, called as elements are, checked against the spec."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
import pytest
import tracefn
from tracefn import TensorSpec
from tracefn.data import Dataset
from tracefn.errors import SymbolicDimensionError

from .reference import assert_same, fits

X, Y = np.arange(6.0).reshape(3, 2), np.arange(3)
Point = namedtuple("Point", "x y")


def test_map_is_the_function_on_each_element():
    rows = Dataset.from_tensor_slices(X)
    assert_same(list(rows.map(np.tanh)), [np.tanh(x) for x in X])
    assert_same(list(rows.map(np.sum)), [np.sum(x) for x in X])
    assert fits(rows.map(np.sum))


def test_tuples_are_arguments_and_all_else_is_one():
    pairs = Dataset.from_tensor_slices((X, Y))
    assert_same(list(pairs.map(lambda x, y: x + y)), [x + y for x, y in zip(X, Y, strict=True)])
    nested = Dataset.from_tensor_slices((X, {"y": Y}))
    assert_same(list(nested.map(lambda x, d: (d["y"], x))), list(zip(Y, X, strict=True)))
    for one in ({"x": X, "y": Y}, Point(X, Y)):
        found = Dataset.from_tensor_slices(one).map(lambda p: p["y"] if isinstance(p, dict) else p.y)
        assert_same(list(found), [*Y])
    with pytest.raises(TypeError, match="argument") as info:
        pairs.map(lambda x: x)
    assert "Dataset.map" in info.value.__notes__[0]


def test_map_traces_once_also_for_the_shorter_last_batch():
    double = tracefn.function(lambda x: x * 2)
    dataset = Dataset.range(10).batch(4).map(double)
    assert_same(list(dataset), [np.arange(0, 8, 2), np.arange(8, 16, 2), np.array([16, 18])])
    assert double.tracing_count == 1
    assert dataset.element_spec == TensorSpec((None,), np.int64) and fits(dataset)


def test_python_values_become_numpys():
    found = Dataset.range(1).map(lambda n: {"n": n, "one": 1, "half": 0.5, "yes": True, "text": "ab", "both": [n, 2]})
    expected = {
        "n": np.int64(0),
        "one": np.int64(1),
        "half": np.float64(0.5),
        "yes": np.True_,
        "text": np.str_("ab"),
        "both": [np.int64(0), np.int64(2)],
    }
    assert_same(list(found), [expected])
    assert fits(found)


def test_what_is_no_value_is_refused():
    with pytest.raises(TypeError, match="returns None"):
        Dataset.range(3).map(lambda n: None)
    with pytest.raises(NameError) as info:
        Dataset.range(3).map(lambda n: missing)  # noqa: F821
    assert "while Dataset.map" in info.value.__notes__[0]


def test_a_length_that_is_open_and_asked_for_is_named():
    with pytest.raises(SymbolicDimensionError) as info:
        Dataset.range(5).batch(2).map(lambda b: b if b.shape[0] == 2 else -b)
    assert any("drop_remainder" in note for note in info.value.__notes__)


offset = np.int64(1)


def test_a_captured_value_is_read_at_each_element():
    global offset
    offset = np.full(2, 1)
    iterator = iter(Dataset.range(2).map(lambda n: n + offset))
    assert_same(next(iterator), np.array([1, 1]))
    offset = np.full(2, 10)
    assert_same(next(iterator), np.array([11, 11]))


def test_a_result_that_left_the_spec_is_not_let_through():
    global offset
    offset = np.full(2, 1)
    iterator = iter(Dataset.range(2).map(lambda n: n + offset))
    next(iterator)
    offset = np.full(2, 1.5)
    with pytest.raises(TypeError, match="element 1: element: dtype float64 where int64"):
        next(iterator)


def test_a_traced_method():
    class Scale:
        factor = 3

        @tracefn.function
        def __call__(self, x):
            return x * self.factor

        @tracefn.function
        def scaled(self, x):
            return x * self.factor

    scale = Scale()
    assert_same(list(Dataset.range(3).map(scale.scaled)), [np.int64(n * 3) for n in range(3)])


def test_filter():
    even = Dataset.range(6).filter(lambda n: n % 2 == 0)
    assert_same(list(even), [np.int64(n) for n in (0, 2, 4)])
    assert fits(even)
    pairs = Dataset.from_tensor_slices((X, Y)).filter(lambda x, y: np.all(x > 1) & (y < 2))
    assert_same(list(pairs), [(X[1], Y[1])])
    assert len(list(Dataset.range(3).filter(lambda n: True))) == 3
    for wrong in (lambda n: n, lambda n: None, lambda n: np.arange(2) > n):
        with pytest.raises(TypeError, match="boolean"):
            Dataset.range(3).filter(wrong)
