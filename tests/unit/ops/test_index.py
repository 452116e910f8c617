"""Indexing: lengths of slices and shapes of results, compared with Python's and NumPy's own over many indices."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
import tracefn
from hypothesis import given, settings
from tracefn.ir.dims import Dim, length_value
from tracefn.ir.types import TensorType, type_of
from tracefn.ops.index import item_type
from tracefn.ops.slicing import slice_length

N = Dim.symbol("n")
BOUNDS = [None, *range(-4, 5)]
STEPS = [None, 1, 2, 3, -1, -2, -3]


@pytest.mark.parametrize("length", range(5))
def test_slices_of_a_known_length(length: int) -> None:
    for start, stop, step in itertools.product(BOUNDS, BOUNDS, STEPS):
        index = slice(start, stop, step)
        assert slice_length(index, length) == len(range(length)[index])


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("length", [N, N + 1, 2 * N, N // 2])
def test_slices_of_an_unknown_length(length: Any, step: int | None) -> None:
    bounds = [*BOUNDS, N, N - 1, N - 2, N // 2, 1 - N]
    for start, stop in itertools.product(bounds, bounds):
        found = slice_length(slice(start, stop, step), length)
        for n in range(6):
            first, last = (length_value(b, {"n": n}) if isinstance(b, Dim) else b for b in (start, stop))
            expected = len(range(length_value(length, {"n": n}))[slice(first, last, step)])
            assert length_value(found, {"n": n}) == expected


def test_neighbouring_slices_are_known_to_fit() -> None:
    inner = slice_length(slice(1, -1), N)
    assert (
        inner == slice_length(slice(None, -2), N) == slice_length(slice(2, None), N) == slice_length(slice(1, N - 1), N)
    )
    assert slice_length(slice(None, None, -1), N) == N


shapes = st.lists(st.integers(0, 3), max_size=4).map(tuple)
small = st.integers(-3, 2)
arrays = st.lists(small, max_size=2).map(lambda values: np.array(values, int))
bounds = st.none() | st.integers(-5, 5)
parts = (
    st.none()
    | st.just(...)
    | st.builds(slice, bounds, bounds, st.sampled_from([None, 1, 2, -1, -2, 3]))
    | small
    | small.map(np.array)
    | arrays
    | st.lists(small, max_size=2)
    | st.just(np.array([[0, 1], [1, 0]]))
    | st.booleans()
    | st.lists(st.booleans(), min_size=1, max_size=3)
    | st.lists(st.booleans(), min_size=1, max_size=3).map(np.array)
    | st.just(np.ones((2, 2), bool))
)


@settings(max_examples=1500, deadline=None)
@given(shapes, st.lists(parts, max_size=4).map(tuple) | parts)
def test_the_shape_of_an_indexed_array(shape: tuple[int, ...], index: Any) -> None:
    array = np.zeros(shape)
    given_parts = index if isinstance(index, tuple) else (index,)
    typed = [type_of(p) if isinstance(p, np.ndarray) else p for p in given_parts]
    traced = any(isinstance(p, TensorType) for p in typed)

    def infer() -> TensorType:
        return item_type(type_of(array), tuple(typed) if isinstance(index, tuple) else typed[0])

    try:
        expected = array[index]
    except IndexError:
        if not traced:  # Else it may be the values that are wrong.
            with pytest.raises((IndexError, ValueError)):
                infer()
        return
    found = infer()
    assert found.kind is type_of(expected).kind
    assert len(found.shape) == expected.ndim
    assert all(isinstance(n, Dim) or n == m for n, m in zip(found.shape, expected.shape, strict=True))


USES_OF_A_LENGTH: list[Callable[[Any, Any], Any]] = [
    lambda x, n: x[: n // 2],
    lambda x, n: x[n - 1],
    lambda x, n: x[n - 2 :: -1],
    lambda x, n: x[[0, 1]] + x[n // 2],
    lambda x, n: np.zeros_like(x, shape=(n, 2)),
    lambda x, n: np.full_like(x, x[:, None], shape=(n, 3)),
    lambda x, n: np.linspace(0, x, n, axis=1),
    lambda x, n: np.unravel_index(np.argmax(x), (n, n)),
    lambda x, n: np.take(x, n - 1),
    lambda x, n: np.sum(x) / n,
    lambda x, n: np.clip(x, 0, n),
    lambda x, n: np.where(x > n, x, n),
    lambda x, n: np.add.outer(x, n),
    lambda x, n: np.diff(x, prepend=n),
]


@pytest.mark.parametrize("use", USES_OF_A_LENGTH)
def test_unknown_lengths_as_arguments(use: Callable[[Any, Any], Any]) -> None:
    def f(x: Any) -> Any:
        return use(x, x.shape[0])

    traced = tracefn.function(f, input_signature=[tracefn.TensorSpec((None,), np.float64)])
    for length in (3, 6, 2):
        x = np.arange(length, dtype=np.float64) * 1.5
        found, expected = traced(x), f(x)
        np.testing.assert_array_equal(found, expected, strict=not isinstance(found, tuple))
    assert traced.tracing_count == 1
