"""The arguments that `--time` keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tracefn
from tracefn.notebook.call_capture import capture_calls


@tracefn.function
def inner(x: Any) -> Any:
    return x * 2


@tracefn.function
def outer(x: Any, n: int = 1) -> Any:
    return inner(x) + n


def test_the_first_call_of_each_function_with_copies() -> None:
    x = np.ones(2)
    with capture_calls() as captured:
        outer(x, n=3)
        outer(np.ones(5))
        inner(x)
        x[0] = 7
    assert [call.function.name for call in captured] == ["outer", "inner"]
    assert captured[0].kwargs == {"n": 3}
    assert captured[0].args[0].tolist() == [1.0, 1.0]


def test_calls_inside_a_traced_function_and_failed_ones_are_left_out() -> None:
    failing = tracefn.function(lambda x: 1 / 0, name="failing")
    with capture_calls() as captured:
        with pytest.raises(ZeroDivisionError):
            failing(np.ones(3))
        outer(np.ones(9))
    assert [call.function.name for call in captured] == ["outer"]


def test_a_call_inside_a_retrace_is_left_out_too() -> None:
    with capture_calls() as captured:
        outer(np.ones(2))
        outer(np.ones(11))
    assert [call.function.name for call in captured] == ["outer"]


def test_calls_are_as_before_afterwards() -> None:
    call = tracefn.Function.__call__
    with pytest.raises(RuntimeError), capture_calls():
        raise RuntimeError
    assert tracefn.Function.__call__ is call
