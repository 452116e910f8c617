"""When two results are the same."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from tracefn.timing.difference import difference

Point = namedtuple("Point", "x y")


@dataclass
class Pair:
    left: Any
    right: Any


DTYPES = st.one_of(
    npst.boolean_dtypes(),
    npst.integer_dtypes(endianness="="),
    npst.floating_dtypes(endianness="="),
    npst.complex_number_dtypes(endianness="="),
    npst.datetime64_dtypes(endianness="="),
    npst.unicode_string_dtypes(endianness="="),
)
ARRAYS = DTYPES.flatmap(lambda dtype: npst.arrays(dtype, npst.array_shapes(min_dims=0, min_side=0, max_side=4)))


@given(ARRAYS)
def test_a_copy_is_the_same(array: np.ndarray) -> None:
    assert difference({"a": [array, 1.0]}, {"a": [array.copy(), 1.0]}) is None


@pytest.mark.parametrize(
    "value",
    [None, 3, 2.5, "a", (1, [2, {"b": 3}]), Point(1, 2), Pair(np.ones(2), None), np.float32("nan"), np.nan],
)
def test_a_value_is_the_same_as_itself(value: object) -> None:
    assert difference(value, value) is None
    assert difference([value], [value]) is None


def test_nan_and_nat_are_the_same_as_themselves() -> None:
    a = np.array([np.nan, 1.0, np.inf])
    assert difference(a, a.copy()) is None
    assert difference(a.astype(complex), a.astype(complex)) is None
    assert difference(np.array(["NaT", "2020"], "M8[D]"), np.array(["NaT", "2020"], "M8[D]")) is None
    assert difference(float("nan"), float("nan")) is None


@pytest.mark.parametrize(
    ("eager", "graph", "says"),
    [
        (np.ones(3), np.ones(4), "result: shape (3,) eager, (4,) in the graph"),
        (np.ones(3, "f4"), np.ones(3), "result: dtype float32 eager, float64 in the graph"),
        (np.float64(1), 1.0, "result: eager gives float64 of float64[], graph gives float"),
        (np.float64(1), np.array(1.0), "graph gives ndarray of float64[]"),
        (1, True, "eager gives int, graph gives bool"),
        ([1, 2], (1, 2), "the structures differ: eager list of 2"),
        ({"a": 1}, {"b": 1}, "the structures differ"),
        (Point(1, 2), (1, 2), "the structures differ"),
        ((1, "a"), (1, "b"), "result[1]: eager 'a', graph 'b'"),
        (np.array([0.0]), np.array([-0.0]), "result[0]: eager 0.0, graph -0.0"),
        (np.array([np.nan]), np.array([1.0]), "result[0]: eager nan, graph 1.0"),
        (Pair(1, np.arange(3)), Pair(1, np.array([0, 7, 2])), "result.right[1]: eager 1, graph 7"),
        (np.array([1j]), np.array([2j]), "result[0]: eager 1j, graph 2j"),
        (np.array(["a", "b"]), np.array(["a", "c"]), "result[1]: eager b, graph c"),
        (np.array(3), np.array(4), "result: eager 3, graph 4"),
    ],
)
def test_what_differs_is_shown(eager: object, graph: object, says: str) -> None:
    found = difference(eager, graph)
    assert found is not None
    assert says in found


def test_many_differences_are_counted_and_the_largest_told() -> None:
    eager = np.zeros((2, 3))
    found = difference(eager, eager + [[0, 1e-9, 0], [0.25, 0, np.inf]])
    assert found == "result[0, 1]: eager 0.0, graph 1e-09; 3 of 6 elements differ, by at most 0.25"


def test_every_leaf_that_differs_is_shown() -> None:
    found = difference([1, 2, 3], [1, 5, 6])
    assert found == "result[1]: eager 2, graph 5\nresult[2]: eager 3, graph 6"


@given(npst.arrays(np.float64, st.integers(1, 20)), st.data())
def test_one_changed_element_is_found(array: np.ndarray, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(array) - 1))
    other = array.copy()
    other[index] = data.draw(st.floats().filter(lambda x: not _same(x, array[index])))
    found = difference(array, other)
    assert found is not None
    assert found.startswith(f"result[{index}]: ")


def _same(a: float, b: float) -> bool:
    return np.float64(a).tobytes() == np.float64(b).tobytes() or (np.isnan(a) and np.isnan(b))


def test_floats_may_differ_by_roundings() -> None:
    a = np.array([1.0, 1e-300, -3.0, np.nan, np.inf])
    b = a * (1 + 4 * np.finfo(float).eps)
    assert difference(a, b) is not None
    assert difference(a, b, rounding=8) is None
    assert difference(a, b, rounding=1) is not None
    assert difference(a, np.where(np.isnan(a), 0, b), rounding=8) is not None
    assert difference(np.arange(3), np.arange(3) + 1, rounding=8) is not None
