"""Traces that call function after function and come to no operation end, and Python runs the code."""

import sys

import numpy as np
import pytest
import tracefn

IDLE = sys.modules["tracefn.function.tracing.idle"]


def parsed(texts):
    return {name(text): number(text) for text in texts}


def name(text):
    return text.partition("=")[0].strip()


def number(text):
    return float(text.partition("=")[2])


TEXTS = [f"x{i} = {i}.5" for i in range(2 * IDLE.MANY)]


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(IDLE, "PATIENCE_NS", 0)


def test_a_trace_without_operations_ends(impatient):
    f = tracefn.function(parsed, on_unsupported="eager")
    with pytest.warns(tracefn.errors.FallbackWarning, match=f"first {IDLE.MANY} calls of functions compute nothing"):
        assert f(TEXTS) == {f"x{i}": i + 0.5 for i in range(len(TEXTS))}
    assert f.tracing_count == 0


def test_one_that_came_to_an_operation_goes_on(impatient):
    @tracefn.function
    def scaled(x, texts):
        return x * 2, parsed(texts)

    assert scaled(np.ones(1), TEXTS)[1]["x3"] == 3.5 and scaled.tracing_count == 1


def test_one_that_took_little_time_goes_on(monkeypatch):
    monkeypatch.setattr(IDLE, "PATIENCE_NS", 10**18)
    f = tracefn.function(lambda texts, x: x * parsed(texts)["x3"])
    assert f(TEXTS, np.ones(1)) == 3.5 and f.tracing_count == 1
