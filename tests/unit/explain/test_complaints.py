"""Twelve complaints that users have about retraces elsewhere, and what they are told here."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any

import numpy as np
import pytest
import tracefn
from tracefn.errors import RetraceWarning


def causes(f: Any) -> list[str]:
    return [cause.text for cause in f.explain().causes]


@pytest.fixture(autouse=True)
def no_false_alarm():
    """A warning is an error, but where a test asks for it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RetraceWarning)
        yield


def test_the_same_shapes_are_not_warned_of() -> None:
    f = tracefn.function(lambda x: x * 2)
    for _ in range(50):
        f(np.random.rand(4, 4))
    assert f.tracing_count == 1


def test_weak_scalar_types_are_told_apart_by_name() -> None:
    f = tracefn.function(lambda x, y: x + y)
    x = np.ones(2, np.float32)
    f(x, 1.0)
    f(x, np.float32(1))
    assert causes(f) == ["y: 1.0 (float) → float32"]
    f(x, np.asarray(np.float32(1)))
    assert causes(f) == ["y: NumPy scalar → 0-d array"]


def test_a_typo_that_causes_a_thousand_traces_is_named_after_five() -> None:
    f = tracefn.function(lambda x, step: x * 0.5**step)
    with pytest.warns(RetraceWarning) as seen:
        for step in range(1000):  # meant was: np.int64(step)
            f(np.ones(2), step)
    (warning,) = seen
    assert "`step` is another each time (step: 3 → 4 (Python int)). 5 traces so far" in str(warning.message)
    assert len(f.concrete_functions) == 128
    assert f.explain().verdict.text == "Same graph as #999 but for the numbers in it"


class Temporary:
    rate = 0.5


def test_temporary_objects_as_arguments_are_told_to_be_kept() -> None:
    f = tracefn.function(lambda x, c: x * c.rate)
    for _ in range(3):
        f(np.ones(2), Temporary())
    (text,) = causes(f)
    assert "c: another" in text and "Temporary object (keyed by identity, the earlier one is gone)" in text
    assert f.explain().fix.sentence == (
        "keep one object for c (the objects that were passed are equal) – 2 of 3 traces would not have happened"
    )


class Model:
    def __init__(self, weights: np.ndarray) -> None:
        self.weights = weights


def test_arrays_that_went_with_their_object_are_no_cause_of_their_own() -> None:
    f = tracefn.function(lambda x, model: x * model.weights)
    for k in range(3):
        f(np.ones(2), Model(np.full(2, k)))
    (text,) = causes(f)
    assert text.startswith("model: another") and "weights" not in text


def test_keywords_and_positions_are_one_call() -> None:
    f = tracefn.function(lambda x, n=1: x * n)
    with tracefn.no_retrace():
        for call in (lambda: f(1, 1), lambda: f(x=1, n=1), lambda: f(1), lambda: f(n=1, x=1)):
            call()
    assert f.tracing_count == 1


def test_a_default_that_is_passed_otherwise_is_named() -> None:
    f = tracefn.function(lambda x, n=1: x * n)
    f(np.ones(2))
    f(np.ones(2), n=1.0)
    assert causes(f) == ["n: 1 (int) → 1.0 (float)"]


def test_a_cell_that_is_run_again_traces_nothing() -> None:
    names: dict[str, Any] = {"__name__": "cell"}
    cell = compile("import tracefn\n@tracefn.function\ndef f(x):\n    return x * 2\nf(3)\n", "<cell>", "exec")
    for _ in range(5):
        exec(cell, names)
    assert names["f"].tracing_count == 1


def test_a_lambda_in_a_loop_is_named_with_its_line() -> None:
    f = tracefn.function(lambda g, x: g(x))
    with pytest.warns(RetraceWarning, match="make the function for g once|Make the function for g once"):
        for _ in range(6):
            f(lambda x: x + 1, np.ones(2))
    assert "`<lambda>` was made anew (" in causes(f)[0] and "test_complaints.py line " in causes(f)[0]


def test_a_smaller_batch_at_the_end_of_an_epoch_is_one_trace_more_and_the_signature_is_given() -> None:
    f = tracefn.function(lambda batch: (batch * 2).sum(axis=0))
    data = np.ones((100, 8), np.float32)
    for _ in range(3):
        for start in range(0, 100, 32):
            f(data[start : start + 32])
    assert f.tracing_count == 2
    assert causes(f) == ["batch: shape (32, 8) → (4, 8) at dimension 0"]
    assert f.explain().fix.code == "input_signature=[tracefn.TensorSpec((None, 8), np.float32)]"


def test_a_python_step_counter_gets_its_cast() -> None:
    f = tracefn.function(lambda x, step: x / (step + 1))
    for step in range(4):
        f(np.ones(2, np.float32), step)
    fix = f.explain().fix
    assert (fix.code, fix.before, fix.after) == ("np.float32(step)", 4, 1)


def test_a_list_that_grows_is_named_by_its_length() -> None:
    f = tracefn.function(lambda history: sum(history))
    history: list[Any] = []
    for _ in range(3):
        history.append(np.ones(2))
        f(history)
    assert causes(f) == ["history: length 2 → 3 (list)"]


@dataclasses.dataclass
class Settings:
    rate: float
    steps: int


class Config:
    def __init__(self, rate: float) -> None:
        self.rate = rate


def test_a_field_of_a_config_object_that_changes_is_named() -> None:
    f = tracefn.function(lambda x, c: x * c.rate)
    f(np.ones(2), Settings(0.1, 3))
    f(np.ones(2), Settings(0.2, 3))
    assert causes(f) == ["c.rate: 0.1 → 0.2 (Python float)"]
    config = Config(0.1)
    g = tracefn.function(lambda x, c: x * c.rate)
    g(np.ones(2), config)
    config.rate = 0.3
    np.testing.assert_allclose(g(np.ones(2), config), [0.3, 0.3])
    assert causes(g) == ["c.rate: 0.1 → 0.3"]
