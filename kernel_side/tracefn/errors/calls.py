"""Errors of calls whose arguments cannot be traced, or do not fit a signature."""

from __future__ import annotations

from .base import TracefnError


class UnsupportedArgumentError(TracefnError, TypeError):
    """An argument of a traced function, or an array that it uses, is of a kind that cannot be traced.

    Refused are subclasses of `np.ndarray` with their own meaning of operators (`np.matrix`, masked arrays), arrays of
    Python objects or raw bytes, and single elements of structured arrays. What to do: pass a plain array
    (`np.asarray(x)`); pass a structured array as a whole, with the index of the element.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: x + 1, on_unsupported="error")
    >>> f(np.array([1, 2], object))
    Traceback (most recent call last):
        ...
    tracefn.errors.UnsupportedArgumentError: argument `x` holds Python objects (dtype object)...
    >>> f(np.array([1, 2]))
    array([2, 3])
    """


class ArgumentMismatchError(TracefnError, TypeError):
    """A call does not fit the declared `input_signature`, or the signature of the concrete function that is called.

    Arrays are never cast or reshaped silently. What to do: convert at the call (`x.astype(np.float32)`), or declare
    what you pass: `None` for a dimension of any length.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: x + 1, input_signature=[tracefn.TensorSpec((None,), np.float32)])
    >>> f(np.ones(2))
    Traceback (most recent call last):
        ...
    tracefn.errors.ArgumentMismatchError: `lambda`: argument `x` is float64[2], but its input_signature declares ...
    >>> f(np.ones(2, np.float32))
    array([2., 2.], dtype=float32)
    """


class ShapeMismatchError(ArgumentMismatchError, ValueError):
    """An array of the declared dtype has another number of axes, or another length, than the signature says.

    It is a ValueError as well as a TypeError, as NumPy raises ValueError where shapes do not fit. What to do: reshape
    at the call, or declare what you pass: `None` for a dimension of any length, `TensorSpec(None)` for any shape.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: x + 1, input_signature=[tracefn.TensorSpec((None,), np.float64)])
    >>> f(np.ones((1, 2)))
    Traceback (most recent call last):
        ...
    tracefn.errors.ShapeMismatchError: `lambda`: argument `x` is float64[1, 2], but its input_signature declares ...
    >>> f(np.ones((1, 2)).ravel())
    array([2., 2.])
    """


class InputSignatureError(TracefnError, TypeError):
    """An `input_signature` that cannot be right: not a sequence of `TensorSpec`s, or not one for each parameter.

    >>> import numpy as np, tracefn
    >>> tracefn.function(lambda x: x + 1, input_signature=[np.float32])
    Traceback (most recent call last):
        ...
    tracefn.errors.InputSignatureError: the input_signature of `lambda` has ...
    >>> tracefn.function(lambda x: x + 1, input_signature=[tracefn.TensorSpec((None,), np.float64)])(np.ones(1))
    array([2.])
    """
