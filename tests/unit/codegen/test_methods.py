"""Programs call methods where NumPy's functions do nothing else."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tracefn
from tracefn.ir.op import all_ops

X = np.array([[3.0, 1.0, 2.0], [-1.0, 5.0, 0.5]])


@pytest.mark.parametrize(
    ("function", "call"),
    [
        (lambda x: np.sum(x > 1), ".sum()"),
        (lambda x: np.sum(x), "np.add.reduce(x, axis=None)"),  # may warn
        (lambda x: x[0].sum(initial=2.0), "np.add.reduce(v0, initial=2.0)"),
        (lambda x: np.prod(x, 1, keepdims=True), "np.multiply.reduce(x, axis=1, keepdims=True)"),
        (lambda x: np.sum(x, where=x > 1, dtype=np.float32), "np.add.reduce(x, dtype=np.float32, where=v0, axis=None)"),
        (lambda x: np.max(x, axis=1, keepdims=True), "x.max(axis=1, keepdims=True)"),
        (lambda x: np.argmax(x, 0), "x.argmax(axis=0)"),
        (lambda x: np.reshape(x, (3, 2), order="F"), "x.reshape((3, 2), order='F')"),
        (lambda x: np.take(x, [0, 1], axis=1), "x.take([0, 1], axis=1)"),
        (lambda x: np.clip(x, 0, 2), "x.clip(min=0, max=2)"),
        (lambda x: np.clip(x, max=2), "x.clip(max=2)"),
        (lambda x: np.std(x, mean=np.mean(x, keepdims=True)), "np.std("),
        (lambda x: np.sum(np.float64(2) * x[0, 0]), "np.sum("),  # a scalar
    ],
)
def test_the_program_calls_the_method(function: Callable[..., Any], call: str) -> None:
    f = tracefn.function(function, jit="off")
    found, expected = f(X), function(X)
    np.testing.assert_array_equal(found, expected, strict=True)
    assert type(found) is type(expected)
    assert call in f.get_concrete_function(X).program


def test_a_sum_warns_at_the_line_of_the_user() -> None:
    def overflow(x: Any) -> Any:
        return x.sum()

    with pytest.warns(RuntimeWarning, match="overflow encountered in reduce") as warned:
        tracefn.function(overflow, jit="off")(np.full(3, 1e308))
    assert [(w.filename, w.lineno) for w in warned] == [(__file__, overflow.__code__.co_firstlineno + 1)]


def test_methods_take_what_is_passed_on() -> None:
    ops = [op for op in all_ops() if op.method is not None]
    assert len(ops) > 20
    for op in ops:
        assert hasattr(X, op.name)
        assert op.method.keywords <= inspect.signature(op.call).parameters.keys()


def test_in_place_operators_are_statements() -> None:
    def steps(x: Any, y: Any) -> Any:
        x += y
        x -= 1
        x[0] *= 2
        x **= 2
        return x

    f = tracefn.function(steps, jit="off")
    given, expected = X.copy(), X.copy()
    np.testing.assert_array_equal(f(given, X), steps(expected, X), strict=True)
    np.testing.assert_array_equal(given, expected, strict=True)
    program = f.get_concrete_function(X, X.copy()).program
    assert "x += y" in program and "x -= 1" in program and "**=" not in program
