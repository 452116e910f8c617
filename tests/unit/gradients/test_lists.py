"""Derivatives of NumPy's functions that are given lists in the place of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tracefn


def _written(x: Any) -> Any:
    a = np.zeros((2, 2))
    a[0] = x, 2 * x
    a += [[x, 2 * x], [1.0, x]]
    np.add(a, [x, x * 3], out=a)
    np.add.at(a, ([0, 1], [0, 0]), [x, 2 * x])
    return a


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "elementwise": lambda x: np.sinc([x, 0.5]) + np.hypot([x, 1.0], x) + np.nan_to_num([x, 1.0]),
    "a bound": lambda x: np.clip(np.array([[x, 2.0], [x * x, 9.0]]), 0.5, [1.0, x]),
    "norm": lambda x: np.linalg.norm([x, x + 2]) + np.linalg.norm([[x, 1.0], [2.0, x]], "nuc"),
    "solve": lambda x: np.linalg.solve([[x, 1.0], [1.0, 5.0]], [x, 2.0]) + np.linalg.det([[x, 1.0], [2.0, 3.0]]),
    "products": lambda x: np.dot([x, 2.0], [3.0, x]) + np.kron([x, 1.0], [x, 2.0]) + np.einsum("i,i", [x, 2], [1, x]),
    "fft": lambda x: np.fft.rfft([x, 1.0, x * x]).real + np.fft.irfft([x, 1.0])[0],
    "joined": lambda x: np.concatenate([[x, 2.0], [x * x], np.ones(1)]) + np.hstack([[x, 2.0], [x], [1.0]]),
    "stacked": lambda x: np.stack([[x, 2.0], [3.0, x]]) + np.vstack([[x, x * x], [3.0, x]]),
    "blocks": lambda x: np.block([[x, 1.0], [2.0, x]]),
    "columns": lambda x: np.column_stack([[x, 2.0], [3.0, x]]) + np.dstack([[x, 2.0], [3.0, x]])[0],
    "chosen": lambda x: np.select([[True, False]], [[x, 2.0]], x) + np.choose([0, 1], [[x, 2.0], [3.0, x * x]]),
    "broadcast": lambda x: np.broadcast_to([x, 1.0], (2, 2)) + np.full((2, 2), [x, 1.0]),
    "brackets": lambda x: np.r_[x, [2.0, x * x]],
    "roots": lambda x: np.sum(np.roots([x, -6.0, 2.0]).real ** 2),
    "numbers": lambda x: np.interp([x, 0.5], [0, 1, 5], [x, 2, x * 3]) + np.polyfit([0, 1, 2], [x, 1, x * x], 1),
    "distances": lambda x: np.trapezoid(np.array([[x, 1.0], [x * x, 2.0]]), [[0, 2], [1, 3]]),
    "written": _written,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_list_stands_for_an_array(name: str) -> None:
    function, step = FUNCTIONS[name], 1e-6
    expected = (np.asarray(function(3.0 + step)) - np.asarray(function(3.0 - step))) / (2 * step)
    with tracefn.no_fallback():
        for derivative in (tracefn.jacrev(function), tracefn.jacfwd(function)):
            np.testing.assert_allclose(derivative(3.0), expected, atol=1e-6)
            np.testing.assert_allclose(derivative(np.array(3.0)), expected, atol=1e-6)


def test_a_list_is_an_argument_of_numpys_functions() -> None:
    assert tracefn.grad(np.linalg.norm)([3.0, 4.0]) == [0.6, 0.8]
    value, pull = tracefn.vjp(np.append, [1.0, 2.0], 4.0)
    assert pull(np.array([1.0, 2.0, 3.0])) == ([1.0, 2.0], 3.0)
