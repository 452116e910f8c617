"""vectorized_map: bit by bit what map_fn gives, without a loop where that is certain and with a scan elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tracefn
from tracefn import map_fn, vectorized_map
from tracefn.errors import ControlFlowError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(6, 4))
M = RNG.normal(size=(6, 4, 3))
I = RNG.integers(-9, 9, (6, 4))  # noqa: E741
V = RNG.normal(size=7)
W = RNG.normal(size=4)


def bits(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [bits(v) for v in value]
    if isinstance(value, dict):
        return {k: bits(v) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.flags.c_contiguous, value.tobytes()
    return value


def is_batched(traced: Any) -> bool:
    """True if every trace has neither branch nor loop."""
    return not any(n.op.style == "control" for c in traced.concrete_functions for n in c.graph)


def check(fn: Callable[[Any], Any], xs: Any, batched: bool) -> None:
    vectorized = tracefn.function(lambda xs: vectorized_map(fn, xs))
    mapped = tracefn.function(lambda xs: map_fn(fn, xs))
    assert bits(vectorized(xs)) == bits(mapped(xs)) == bits(map_fn(fn, xs)) == bits(vectorized_map(fn, xs))
    assert is_batched(vectorized) == batched


BATCHED: list[tuple[Callable[[Any], Any], Any]] = [
    (lambda x: np.tanh(x) * 2 + W, X),
    (lambda x: np.tanh(x) * 2 + W, np.asfortranarray(X)),
    (lambda x: np.exp(x) / 3, X.astype(np.float32)),
    (lambda x: x, X),
    (lambda x: x, X.T),
    (lambda x: 1.0, X),
    (lambda x: W, X),
    (lambda x: {"first": x[0], "none": None, "outer": W * 2}, X),
    (lambda x: x[0] * x, X),
    (lambda x: x[0] + x[1] - x[2], X),
    (lambda x: x * x + 1, V),
    (lambda x: -x / 3 > 0, V),
    (lambda x: np.sin(x) * np.exp(x), V),
    (lambda x: x**2, X),
    (lambda x: x.sum() + x.prod(), I),
    (lambda x: x.max(axis=0) - x.min(axis=-1) + x, I),
    (lambda x: (x > 0).any() | (x > 0).all(axis=0), X),
    (lambda x: np.where(x > 0, x, -1), X),
    (lambda x: np.where(x[0] > 0, x, W), X),
    (lambda x: np.where(x[0] > 0, 1.0, x[1]), X),
    (lambda x: x.T * 2, M),
    (lambda x: np.transpose(x, (1, 0))[1:, ::2], M),
    (lambda x: x[..., 0] + x[:, None, 1], M),
    (lambda x: x[0] + x[:, 0][:3], M),
    (lambda x: x.astype(np.float32) * 2.5, V),
    (lambda t: t[0] * t[1][:, None], (M, X)),
    (lambda t: {"product": t["a"] * t["b"]}, {"a": X, "b": V[:6]}),
    (lambda x: x * 2, X[:0]),
    (lambda x: x + np.arange(4), X),
    (lambda x: x.shape[0] * x, X),
    (lambda x: np.zeros(3) + x[0], X),
    (lambda x: I[0].sum() + x, I),
]


@pytest.mark.parametrize(("fn", "xs"), BATCHED)
def test_rows_are_computed_at_once(fn: Callable[[Any], Any], xs: Any) -> None:
    check(fn, xs, batched=True)


SCANNED: list[tuple[Callable[[Any], Any], Any]] = [
    (lambda x: x.sum(), X),
    (lambda x: x.mean(axis=0), X),
    (lambda x: x.max(), X),
    (lambda x: x @ M[0], X),
    (lambda x: x**2, V),
    (lambda x: np.cosh(x), X.astype(np.float16)),
    (lambda x: x * 1j, X),
    (lambda x: np.sort(x), X),
    (lambda x: tracefn.cond(x.sum() > 0, lambda: x, lambda: -x), X),
    (lambda x: np.where(x > 0)[0].sum(), X),
]


@pytest.mark.parametrize(("fn", "xs"), SCANNED)
def test_what_might_round_differently_stays_a_scan(fn: Callable[[Any], Any], xs: Any) -> None:
    check(fn, xs, batched=False)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.bool_])
@pytest.mark.parametrize("rows", ["contiguous", "strided", "scalars"])
def test_elementwise_ops_have_the_same_bits(dtype: Any, rows: str) -> None:
    """The rule that elementwise ops may be batched rests on this: NumPy's loops do not depend on length or layout."""
    xs = (RNG.normal(size=(9, 37)) * 3).astype(dtype)
    xs = {"contiguous": xs, "strided": np.asfortranarray(xs), "scalars": xs.ravel()}[rows]
    for ufunc in (np.exp, np.log, np.sin, np.tan, np.tanh, np.sqrt, np.log1p, np.expm1, np.arctan, np.cbrt, np.rint):
        with np.errstate(all="ignore"):
            whole = ufunc(xs)
            assert whole.dtype == np.float16 or bits(np.copy(whole, "C")) == bits(np.stack([ufunc(x) for x in xs]))


def test_open_lengths() -> None:
    spec = [tracefn.TensorSpec((None, 4), np.float64)]
    traced = tracefn.function(lambda xs: vectorized_map(lambda x: x * 2 + xs.shape[0], xs), input_signature=spec)
    constant = tracefn.function(lambda xs: vectorized_map(lambda x: W, xs), input_signature=spec)
    for xs in (X, X[:2], X[:0]):
        assert bits(traced(xs)) == bits(xs * 2 + len(xs))
        assert bits(constant(xs)) == bits(np.broadcast_to(W, (len(xs), 4)).copy())
    assert (traced.tracing_count, constant.tracing_count) == (1, 1)
    assert is_batched(traced)


def test_results_are_arrays_of_their_own() -> None:
    xs = X.copy()
    found = tracefn.function(lambda xs: vectorized_map(lambda x: (x, x[1:], W), xs))(xs)
    for array in found:
        array += 1
    assert np.array_equal(xs, X)


@pytest.mark.parametrize("elems", [3.0, (X, X[:2]), ()])
def test_errors_are_those_of_map_fn(elems: Any) -> None:
    for run in (map_fn, vectorized_map):
        with pytest.raises(ControlFlowError, match="scan|lengths"):
            tracefn.function(lambda xs, run=run: run(lambda x: x, xs))(elems)


def test_an_error_of_numpy_is_raised_while_tracing() -> None:
    with pytest.raises(ValueError, match="broadcast"):
        tracefn.function(lambda xs: vectorized_map(lambda x: x + np.zeros(3), xs))(X)
