"""`measure`: a signature is timed without its arguments at hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tracefn
from tracefn import events
from tracefn.errors import UnsupportedFunctionError
from tracefn.timing import compare, measure


@pytest.fixture(autouse=True)
def numpy_programs() -> Any:
    with tracefn.config.jit("off"):
        yield


def test_the_arrays_of_the_call_are_given_where_they_are_still_there() -> None:
    x = np.array([4.0, 9.0])
    traced = tracefn.function(lambda x, n: np.sqrt(x) * n)
    traced(x, 3)
    with events.record() as recorded:
        compared = measure(traced)
    assert compared.made == () and compared.signature == f"{traced.function_id}/1"
    assert [e.made for e in recorded if isinstance(e, events.TimingMeasured)] == [()]
    assert (x == [4, 9]).all()


def test_arrays_that_are_gone_are_made_up() -> None:
    traced = tracefn.function(lambda tree, k: tree["a"] * 2 + tree["b"][0].sum() + k)
    traced({"a": np.ones((2, 3)), "b": [np.arange(4)]}, np.float32(2))
    compared = measure(traced)
    assert compared.made == ("tree['a']", "tree['b'][0]")
    assert "made up" in str(compared) and "x: " not in compared.signature_text


def test_arrays_are_kept_within_the_budget_and_the_oldest_let_go() -> None:
    first, second, large = (tracefn.function(lambda x, k=k: x * k) for k in (1, 2, 3))
    with tracefn.config.kept_arguments(100):
        first(np.arange(8.0))
        large(np.arange(100.0)[:2])  # which holds 800 bytes
        assert [measure(f).made for f in (first, large)] == [(), ("x",)]
        second(np.arange(8.0))
        assert [measure(f).made for f in (first, second)] == [("x",), ()]
    assert tracefn.config.kept_arguments_size() == 0
    second(np.arange(9.0))
    assert measure(second, 1).made == ("x",)
    with pytest.raises(ValueError, match="-1"):
        tracefn.config.kept_arguments(-1)


def test_each_trace_can_be_measured_by_its_number_and_by_the_id_of_the_function() -> None:
    traced = tracefn.function(lambda x: x + 1)
    for n in (2, 3):
        traced(np.ones(n))
    assert measure(traced).signature_text == "x: float64[3]"
    assert measure(traced.function_id, 1).signature_text == "x: float64[2]"
    with pytest.raises(UnsupportedFunctionError, match="no trace number 7"):
        measure(traced, 7)
    with pytest.raises(UnsupportedFunctionError, match="no longer exists"):
        measure("gone#12345")
    with pytest.raises(UnsupportedFunctionError, match="has no trace"):
        measure(tracefn.function(lambda x: x))


def test_an_array_that_has_another_shape_by_now_is_refused() -> None:
    x = np.ones((2, 3))
    traced = tracefn.function(lambda x: x * 2)
    traced(x)
    x.resize((6,), refcheck=False)
    with pytest.raises(UnsupportedFunctionError, match="argument `x`"):
        measure(traced)


def test_methods_and_state() -> None:
    class Model:
        def __init__(self) -> None:
            self.w, self.calls = np.ones(3), 0

        @tracefn.function
        def step(self, x: Any) -> Any:
            self.calls += 1
            self.w = self.w - 0.1 * x
            return self.w.sum()

    model = Model()
    model.step(np.ones(3))
    w = model.w
    compared = measure(model.step.concrete_functions[0].function_id)
    assert compared.made == ("x",)
    assert model.w is w and model.calls == 1


def test_no_array_is_kept() -> None:
    import weakref

    x = np.ones(3)
    gone = weakref.ref(x)
    traced = tracefn.function(lambda x: x + 1)
    traced(x)
    del x
    assert gone() is None


def test_both_programs_are_measured_where_native_code_is_built() -> None:
    def chain(x: Any) -> Any:
        for _ in range(12):
            x = np.tanh(x) * 0.5 + 0.25
        return x

    x = np.linspace(0, 1, 30_000)
    first = compare(tracefn.function(chain, jit="auto"), x)
    assert first.tier == "native program" and first.before_native is not None
    assert first.before_native.median > first.graph.median
    assert "NumPy program" in str(first) and "native program" in first.headline()
    off = compare(tracefn.function(chain, jit="off"), x)
    assert off.tier == "NumPy program" and off.before_native is None and off.break_even_before_native is None


def test_an_error_with_made_up_arguments_says_so() -> None:
    traced = tracefn.function(lambda a: np.linalg.inv(a))
    kept = np.eye(3, dtype=int)
    traced(kept), traced(np.eye(2, dtype=int))  # in the place of which are zeros
    assert measure(traced, 1).made == ()
    for take in (measure, tracefn.timing.profile_trace):
        with pytest.raises(np.linalg.LinAlgError) as raised:
            take(traced, 2)
        assert "made-up values for a" in raised.value.__notes__[-1]
