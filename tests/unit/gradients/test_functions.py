"""Derivatives of single functions of NumPy, against finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tracefn

WEIGHTS = np.array([0.5, -1.0, 2.0, 0.25, 1.5])


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.kaiser(5, x) @ WEIGHTS,
        lambda x: np.fft.fftfreq(5, x) @ WEIGHTS,
        lambda x: np.fft.rfftfreq(8, d=x) @ WEIGHTS,
        lambda x: np.abs(np.emath.sqrt(x - 3) + 1),
        lambda x: np.emath.log(-x).real,
        lambda x: np.real(np.power(-x, 1.5 + x * 1j)),
        lambda x: np.imag((-2.0) ** (x + 0.5j)),
    ],
)
@pytest.mark.parametrize("kind", [float, np.float64])
def test_a_number(f: Any, kind: Any) -> None:
    x = kind(1.3)
    expected = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
    assert tracefn.grad(f)(x) == pytest.approx(expected, rel=1e-6)
    assert tracefn.grad(tracefn.grad(f))(x) == pytest.approx(
        (tracefn.grad(f)(x + 1e-6) - tracefn.grad(f)(x - 1e-6)) / 2e-6, rel=1e-4, abs=1e-6
    )


def test_a_remainder_that_rounding_makes_longer() -> None:
    u = np.array([1.3, 0.7, -2.1, 0.4, 3.3], np.float32)
    v = np.array([0.9, -1.7, 0.3], np.float32)
    assert len(np.polydiv(u, v)[1]) > 2  # in double precision the first ones are zeros, and left out

    def f(u: Any, v: Any) -> Any:
        quotient, remainder = np.polydiv(u, v)
        return np.sum(quotient**2) + remainder[-1] * 2 + remainder[-2]

    found = tracefn.grad(f, argnums=(0, 1))(u, v)
    for part, expected in zip(found, tracefn.grad(f, argnums=(0, 1))(u.astype(float), v.astype(float)), strict=True):
        np.testing.assert_allclose(part, expected, rtol=1e-4)


def test_lists_are_trimmed_to_lists() -> None:
    assert tracefn.function(lambda x: np.trim_zeros([0, x, 0]))(1.5) == [1.5]
