"""Errors of derivatives."""

from __future__ import annotations

from .base import TracefnError


class GradientError(TracefnError, TypeError):
    """The derivative that is asked for does not exist.

    `tracefn.grad` is for functions whose result is one real number; it is taken by arrays and numbers of floating-point
    or complex dtypes.

    What to do: reduce the result to one number (`np.sum`, `np.mean`), or use `tracefn.jacobian` or `tracefn.vjp`; pass
    floats (`3.0`, `x.astype(float)`), choose other arguments with `argnums`, or pass `allow_int=True`.

    >>> import numpy as np, tracefn
    >>> tracefn.grad(lambda x: x * x)(np.ones(3))
    Traceback (most recent call last):
        ...
    tracefn.errors.GradientError: the function returned float64[3]...
    >>> tracefn.grad(lambda x: np.sum(x * x))(np.ones(3))
    array([2., 2., 2.])
    """


class MissingDerivativeError(TracefnError, NotImplementedError):
    """A step between the result and the source of a derivative has no known derivative.

    What to do: give it with `tracefn.custom_gradient`; or, where it is a constant to the derivative, use
    `tracefn.stop_gradient`.

    >>> import numpy as np, tracefn
    >>> tracefn.grad(lambda x: tracefn.py_function(sum, [x], np.float64))(np.ones(3))
    Traceback (most recent call last):
        ...
    tracefn.errors.MissingDerivativeError: the derivative of `sum` is not known...
    """
