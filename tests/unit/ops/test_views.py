"""Results that may share memory with an argument: nothing is written over while they are in use."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tracefn
from tracefn.errors import InPlaceWriteError

LARGE = np.arange(90000.0).reshape(300, 300)

VIEWS: list[Callable[[Any, Any], Any]] = [
    lambda a, b: np.einsum("ii->i", b),
    lambda a, b: np.einsum(b, [0, 1], [1, 0]),
    lambda a, b: np.broadcast_arrays(a, b)[1],
    lambda a, b: np.atleast_2d(a, b)[1],
    lambda a, b: np.meshgrid(a, b, copy=False, sparse=True)[1],
    lambda a, b: np.split(b, 2)[1],
    lambda a, b: np.diagonal(b),
    lambda a, b: np.linalg.matrix_power(b, 1),
]

FOLLOWED = VIEWS[:2] + VIEWS[3:4] + VIEWS[5:7]

NEW_ARRAYS: list[Callable[[Any, Any], Any]] = [
    lambda a, b: np.einsum("ij,jk", a, b),
    lambda a, b: np.linalg.matrix_power(b, 2),
    lambda a, b: np.roll(b, 1),
    lambda a, b: np.tile(b, 1),
]


@pytest.mark.parametrize("call", VIEWS + NEW_ARRAYS)
def test_memory_is_not_taken_while_a_view_of_it_is_in_use(call: Callable[[Any, Any], Any]) -> None:
    def f(x: Any, w: Any) -> Any:
        a, b = x * 2, w * 3
        view = call(a, b)
        return np.exp(-(b + 1.0)) * 2, view - 1, b + 5

    traced = tracefn.function(f)
    for found, expected in zip(traced(LARGE, LARGE), f(LARGE, LARGE), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("call", VIEWS)
def test_views_follow_what_is_written_into_their_array_or_writing_is_refused(call: Callable[[Any, Any], Any]) -> None:
    def f(x: Any) -> Any:
        a, b = x * 2, x * 3
        view = call(a, b)
        b += 1
        return view

    traced = tracefn.function(f)
    if call in FOLLOWED:
        np.testing.assert_array_equal(traced(LARGE), f(LARGE))
    else:
        with pytest.raises(InPlaceWriteError):
            traced(LARGE)


@pytest.mark.parametrize("call", NEW_ARRAYS)
def test_new_arrays_are_written_in_place(call: Callable[[Any, Any], Any]) -> None:
    def f(x: Any) -> Any:
        a, b = x * 2, x * 3
        result = call(a, b)
        b += 1
        result += 1
        return result, b

    for found, expected in zip(tracefn.function(f)(LARGE), f(LARGE), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("call", VIEWS + NEW_ARRAYS)
def test_a_result_does_not_share_memory_with_an_argument_where_numpys_does_not(call: Callable[[Any, Any], Any]) -> None:
    def f(x: Any) -> Any:
        return call(x, x) * 1.0

    x = LARGE.copy()
    assert not np.shares_memory(tracefn.function(f)(x), x)
