"""Loops whose state has Python numbers that become NumPy scalars: the body's Python code runs once where it can."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tracefn
from tracefn.trace.control.carried import carry

RUNS: list[int] = []


@tracefn.autograph.do_not_convert
def ran() -> None:
    RUNS.append(1)


def adds(x: Any, n: Any) -> Any:
    total = 0.0
    for i in range(n):
        ran()
        total = total + x[i]
    return total


def branches(x: Any, n: Any) -> Any:
    total, count = 0.0, 0
    for i in range(n):
        ran()
        if x[i] > 1:
            total = total + x[i]
            count = count + 1
        elif total < -1:
            total = total - x[i]
        else:
            total = total + 0.5
    return total, count


def compares(x: Any, n: Any) -> Any:
    best, where = -1, 0
    for i in range(n):
        ran()
        if x[i] > best:
            best, where = x[i], i
    return best, where


def feeds_arrays(x: Any, n: Any) -> Any:
    scale = 1
    for i in range(n):
        ran()
        x = np.sqrt(np.abs(x * scale))
        scale = scale + x[i]
    return x, scale


def two_depend(x: Any, n: Any) -> Any:
    a, b = 1, 0.0
    for i in range(n):
        ran()
        a, b = a + x[i], b * x[i] - a
    return a, b


def passes_on(x: Any, n: Any) -> Any:
    a, b = 1, 0.0
    for i in range(n):
        ran()
        a, b = a + x[i], b * a
    return a, b


FUNCTIONS = [adds, branches, compares, feeds_arrays, two_depend, passes_on]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16, np.int64, np.complex64])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_values_are_eager_pythons_and_types_those_of_a_body_that_runs_again(
    function: Callable[..., Any], dtype: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = np.array([0.5, 3.5, -2.25, 7]).astype(dtype)
    if (x.dtype.kind == "c" and function in (branches, compares)) or (x.dtype.kind != "f" and function is feeds_arrays):
        pytest.skip("there is no such program")
    once = [tracefn.function(function)(x, np.int64(n)) for n in (1, 2, 4)]
    monkeypatch.setattr(carry, "retype", lambda nodes, inputs: False)
    again = [tracefn.function(function)(x, np.int64(n)) for n in (1, 2, 4)]
    for n, found, known in zip((1, 2, 4), once, again, strict=True):
        wanted = function(x, n)
        for one, two, eager in zip(*[v if isinstance(v, tuple) else (v,) for v in (found, known, wanted)], strict=True):
            assert type(one) is type(two) is type(eager)
            np.testing.assert_array_equal(one, two)
            np.testing.assert_array_equal(one, eager)


@pytest.mark.parametrize("function", [adds, two_depend])  # in `branches` the call decides what type a total has
def test_the_body_runs_once(function: Callable[..., Any]) -> None:
    RUNS.clear()
    tracefn.function(function)(np.ones(3), np.int64(3))
    assert len(RUNS) == 1


def sees_its_type(x: Any, n: Any) -> Any:
    total = 0.0
    for i in range(n):
        ran()
        total = total + (x[i] if type(total) is float or isinstance(total, np.floating) else -x[i])
    return total


def sees_no_dtype(x: Any, n: Any) -> Any:
    total, widths = 0, 0
    for i in range(n):
        ran()
        widths = widths + np.result_type(total, np.int8).itemsize
        total = total + x[i]
    return total, widths


def is_an_index(x: Any, n: Any) -> Any:
    k = 0
    for _ in range(n):
        ran()
        k = (k + x[k]) % 3
    return k


@pytest.mark.parametrize("function", [sees_its_type, sees_no_dtype, is_an_index, passes_on])
def test_what_types_do_not_tell_runs_again(function: Callable[..., Any]) -> None:
    x = np.array([2, 1, 2])
    RUNS.clear()
    found = tracefn.function(function)(x, np.int64(3))
    assert len(RUNS) > 1
    assert found == function(x, 3)


def test_the_graph_is_that_of_a_body_that_runs_again(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = (np.ones(3), np.int64(3))
    once = tracefn.function(branches).get_concrete_function(*arguments)
    monkeypatch.setattr(carry, "retype", lambda nodes, inputs: False)
    again = tracefn.function(branches).get_concrete_function(*arguments)
    assert str(once.graph) == str(again.graph)
