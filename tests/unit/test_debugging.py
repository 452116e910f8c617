"""Assertions in graphs, and the mode that stops at the first NaN or Inf."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import tracefn
from tracefn import debugging
from tracefn.errors import AssertionFailedError, NumericsError
from tracefn.trace.active import TRACING

X = np.array([1.0, 2.0, 3.0])


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    debugging.disable_check_numerics()
    assert TRACING == []


FAILING = [
    (lambda x: debugging.assert_equal(x, X + [0, 1, 0]), r"1 of 3 elements, first at \[1\]: 2.0 and 3.0"),
    (lambda x: debugging.assert_equal(x * np.nan, x * np.nan), "3 of 3"),
    (lambda x: debugging.assert_less(x, 3), r"x < y fails in 1 of 3 elements, first at \[2\]: 3.0 and 3"),
    (lambda x: debugging.assert_less_equal(x, 2), "1 of 3"),
    (lambda x: debugging.assert_greater(x, 1), "1 of 3"),
    (lambda x: debugging.assert_greater_equal(x, 2), "1 of 3"),
    (lambda x: debugging.assert_greater(x.sum(), 9), "x > y fails: 6.0 and 9"),
    (lambda x: debugging.assert_near(x, x + 0.25), "the largest difference is 0.25"),
    (lambda x: debugging.assert_all_finite(np.log(x - 2)), "2 of 3"),
    (lambda x: debugging.assert_non_negative(x - 2), r"1 of 3 elements, first at \[0\]: -1.0"),
    (lambda x: debugging.assert_positive(x - 1), "1 of 3"),
    (lambda x: debugging.assert_rank(x, 2), "rank 1, not 2"),
    (lambda x: debugging.assert_type(x, np.float32), "float64, not float32"),
    (lambda x: debugging.assert_shapes([(x, ("N",)), (X[1:], ("N",))]), r"array 2 has shape \(2,\)"),
    (lambda x: debugging.assert_shapes([(x, (None, None))]), "rank 1, not 2"),
    (lambda x: debugging.assert_equal(x, np.ones(2)), "do not fit together"),
    (lambda x: debugging.assert_less(x, 0, "a note"), "a note"),
]


@pytest.mark.parametrize(("check", "text"), FAILING)
def test_checks_that_fail(check, text):
    def f(x):
        check(x)
        return x

    for call in (f, tracefn.function(f)):
        with pytest.raises(AssertionFailedError, match=text) as caught:
            call(X)
        assert "test_debugging.py line" in str(caught.value)
        assert isinstance(caught.value, AssertionError)


def holds(x):
    debugging.assert_equal(x, x.copy())
    debugging.assert_less(x, 4)
    debugging.assert_less_equal(x, 3)
    debugging.assert_greater(x, 0)
    debugging.assert_greater_equal(x, 1)
    debugging.assert_near(x, x + 1e-9)
    debugging.assert_near(x / 0, x / 0)
    debugging.assert_all_finite(x)
    debugging.assert_non_negative(x - 1)
    debugging.assert_positive(x)
    debugging.assert_rank(x, 1)
    debugging.assert_type(x, np.float64)
    debugging.assert_shapes([(x, ("N",)), (x * 2, ("N",)), (np.ones((3, 1)), ("N", None))])
    return x


def test_checks_that_hold():
    f = tracefn.function(holds)
    for call in (holds, f, f):
        np.testing.assert_array_equal(call(X), X)


def test_checks_run_in_the_branch_taken_and_in_every_round():
    @tracefn.function
    def f(x, n):
        def round_(i, s):
            debugging.assert_less(s, 10.0)
            return s + x

        return tracefn.cond(x > 0, lambda: tracefn.fori_loop(0, n, round_, x), lambda: x)

    assert f(np.float64(4), np.int64(2)) == 12
    with pytest.raises(AssertionFailedError, match=r"12\.0 and 10\.0"):
        f(np.float64(4), np.int64(3))
    assert f(np.float64(-4), np.int64(3)) == -4
    assert f.tracing_count == 1


def test_shapes_with_open_lengths_are_checked_at_every_call():
    specs = [tracefn.TensorSpec((None, 2)), tracefn.TensorSpec((None,))]

    @tracefn.function(input_signature=specs)
    def f(x, y):
        debugging.assert_shapes([(x, ("N", 2)), (y, ("N",))])
        return x.sum() + y.sum()

    assert f(np.ones((3, 2)), np.ones(3)) == 9
    with pytest.raises(AssertionFailedError, match="with N = 3"):
        f(np.ones((3, 2)), np.ones(4))
    assert f.tracing_count == 1


@tracefn.function
def computes(x, n):
    y = np.log(x * 2)
    return tracefn.fori_loop(0, n, lambda i, s: s / (i - 2), y)


def line_of(text):
    with open(__file__) as file:
        return next(i for i, line in enumerate(file, 1) if text in line)


def test_the_first_operation_is_named():
    computes(X, np.int64(1))
    traces = computes.tracing_count
    with debugging.enable_check_numerics(), tracefn.events.record() as events:
        np.testing.assert_array_equal(computes(X, np.int64(2)), computes.python_function(X, 2))
        with pytest.raises(NumericsError) as caught:
            computes(X - 1.5, np.int64(1))
    text = str(caught.value)
    assert "`np.log(v0)` made NaN in 1 of 3 elements, first at [0]" in text
    assert "v0: float64[3] from -1.0 to 3.0" in text
    assert f"test_debugging.py line {line_of('y = np.log(x * 2)')}" in text
    (event,) = [e for e in events if e.type == "numerics"]
    assert (event.kind, event.op, event.function) == ("NaN", "log", computes.function_id)
    assert event.location.line == line_of("y = np.log(x * 2)")
    assert computes.tracing_count == traces
    assert np.isnan(computes(X - 1.5, np.int64(1))[0])  # it is off again


def test_bodies_arguments_and_captures_are_checked():
    debugging.enable_check_numerics()
    with pytest.raises(NumericsError, match="made Inf in 3 of 3"):
        computes(X, np.int64(3))
    with pytest.raises(NumericsError, match="argument `x` already holds NaN in 1 of 3"):
        computes(np.array([1, np.nan, 2]), np.int64(1))
    table = np.array([np.inf])
    with pytest.raises(NumericsError, match="`closure table` already holds Inf"):
        tracefn.function(lambda x: x + table)(X)
    with pytest.raises(NumericsError, match="made Inf"):
        tracefn.function(lambda x: tracefn.scan(lambda c, v: (c * v, c / v), 1.0, x))(np.array([1.0, 0]))
    with pytest.raises(NumericsError, match=r"`<<lambda>>\(np, x\)` made NaN"):
        tracefn.function(lambda x: tracefn.py_function(lambda v: v * np.nan, [x], tracefn.TensorSpec((3,))))(X)
    assert tracefn.function(lambda n: n * 2)(3) == 6


def test_concrete_functions_and_several_results():
    f = tracefn.function(lambda x: np.modf(x / 0))
    concrete = f.get_concrete_function(X)
    assert np.isinf(concrete(X)[1]).all()
    with debugging.enable_check_numerics():
        with pytest.raises(NumericsError):
            concrete(X)
        with debugging.disable_check_numerics():
            concrete(X)
        assert debugging.numerics_are_checked()
    assert not debugging.numerics_are_checked()
