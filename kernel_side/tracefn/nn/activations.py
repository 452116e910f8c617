"""Activations: functions of one element that do not overflow, with derivatives that do not either."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..gradients import custom_gradient

_SQRT_2 = 2.0**0.5
_SQRT_2_OVER_PI = (2.0 / np.pi) ** 0.5
_TWO_OVER_SQRT_PI = 2.0 / np.pi**0.5


def relu(x: Any) -> Any:
    """`max(x, 0)`, an array of floats like `x`. Its derivative at 0 is 0; NaN stays NaN.

    >>> relu(np.array([-2.0, 0.0, 3.0]))
    array([0., 0., 3.])
    """
    return np.where(x <= 0, 0, x)


def leaky_relu(x: Any, slope: float = 0.01) -> Any:
    """`x` where it is positive, `slope * x` elsewhere; an array of floats like `x`.

    >>> leaky_relu(np.array([-2.0, 3.0]))
    array([-0.02,  3.  ])
    """
    return np.where(x > 0, x, slope * x)


def elu(x: Any, alpha: float = 1.0) -> Any:
    """`x` where it is positive, `alpha * (exp(x) - 1)` elsewhere; an array of floats like `x`.

    Source: D.-A. Clevert, T. Unterthiner, S. Hochreiter, Fast and accurate deep network learning by exponential linear
    units, 2016.

    >>> elu(np.array([-1e9, 0.0, 3.0]))
    array([-1.,  0.,  3.])
    """
    return np.where(x > 0, x, alpha * np.expm1(np.where(x > 0, 0, x)))


@custom_gradient
def sigmoid(x: Any) -> Any:
    """`1 / (1 + exp(-x))`, the logistic function, an array of floats like `x`.

    No exponential is of a positive number, so that none overflows, and small results keep all their digits.

    >>> sigmoid(np.array([-1000.0, 0.0, 1000.0]))
    array([0. , 0.5, 1. ])
    """
    positive = x >= 0
    small = np.exp(np.where(positive, -x, x))
    out = np.where(positive, 1, small) / (1 + small)
    return out, lambda g: g * out * (1 - out)


def log_sigmoid(x: Any) -> Any:
    """`log(sigmoid(x))` without overflow, an array of floats like `x`.

    >>> log_sigmoid(np.array([-1000.0, 0.0])).round(3)
    array([-1.00e+03, -6.93e-01])
    """
    return -softplus(-x)


def softplus(x: Any) -> Any:
    """`log(1 + exp(x))` without overflow, an array of floats like `x`. Its derivative is `sigmoid(x)`.

    >>> softplus(np.array([-1000.0, 0.0, 1000.0])).round(4)
    array([0.000e+00, 6.931e-01, 1.000e+03])
    """
    return np.logaddexp(x, 0)


def silu(x: Any) -> Any:
    """`x * sigmoid(x)`, also called swish; an array of floats like `x`.

    Source: S. Elfwing, E. Uchibe, K. Doya, Sigmoid-weighted linear units for neural network function approximation in
    reinforcement learning, Neural Networks 107, 2018.

    >>> silu(np.array([-1000.0, 0.0, 1000.0]))
    array([  -0.,    0., 1000.])
    """
    return x * sigmoid(x)


def gelu(x: Any, approximate: bool = True) -> Any:
    """`x * Φ(x)` with the distribution function Φ of the normal distribution; an array of floats like `x`.

    The approximation, `x * (1 + tanh(sqrt(2 / π) * (x + 0.044715 * x**3))) / 2`, is off by at most 5e-4. The exact
    function needs SciPy; ImportError where it is missing.

    Source: D. Hendrycks, K. Gimpel, Gaussian error linear units (GELUs), 2016, also for the approximation.

    >>> gelu(np.array([-1.0, 0.0, 1.0])).round(4)
    array([-0.1588,  0.    ,  0.8412])
    >>> gelu(np.array([-1.0, 0.0, 1.0]), approximate=False).round(4)
    array([-0.1587,  0.    ,  0.8413])
    """
    if approximate:
        return 0.5 * x * (1 + np.tanh(_SQRT_2_OVER_PI * (x + 0.044715 * x * x * x)))
    return 0.5 * x * (1 + _erf(x / _SQRT_2))


@custom_gradient
def _erf(x: Any) -> Any:
    from scipy.special import erf

    return erf(x), lambda g: g * _TWO_OVER_SQRT_PI * np.exp(-x * x)
