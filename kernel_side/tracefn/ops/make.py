"""New arrays from shapes and numbers: zeros, ones, empty, full, eye, identity, arange."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.op import Op, numpy_name, register
from . import warns
from .derivatives import create as derivative
from .rules import Dim, Shape, TensorType, array, fresh_dim, operand, probe_dtype, type_of

_STATIC = frozenset({"dtype", "order", "device"})


def shape_of_lengths(shape: Any) -> Shape:
    """A shape argument; a traced length is known at the call alone."""
    lengths = shape if isinstance(shape, tuple | list) else (shape,)
    found = tuple(_length(n) for n in lengths)
    if any(isinstance(n, int) and n < 0 for n in found):
        raise ValueError("negative dimensions are not allowed")
    return found


def _length(n: Any) -> Any:
    if isinstance(n, TensorType):
        if n.shape or n.dtype.kind not in "iu":
            raise TypeError(f"a length must be an integer, not {n!r}")
        return fresh_dim()
    return n if isinstance(n, Dim) else operator.index(n)


_HUGE = 1 << 31
"""The number of elements from which on an array may not fit into memory."""


def length_may_be_refused(n: Any, *args: Any, **kwargs: Any) -> bool:
    """The `raises` of an array whose first argument gives its lengths: NumPy refuses a negative length, and one for
    which there is no memory."""
    lengths = n if isinstance(n, tuple | list) else (n,)
    known = [length for length in lengths if not isinstance(length, TensorType | Dim) and length is not None]
    return any(isinstance(length, TensorType) for length in lengths) or math.prod(map(int, known)) >= _HUGE


def side_may_be_refused(N: Any, M: Any = None, *args: Any, **kwargs: Any) -> bool:
    """The same for matrices."""
    return length_may_be_refused((N, M))


def _filled(call: Callable[..., Any], **facts: Any) -> Op:
    def rule(shape: Any, dtype: Any = float, order: str = "C", *, device: Any = None, like: Any = None) -> TensorType:
        return array(np.dtype(dtype), shape_of_lengths(shape))

    return register(
        Op(numpy_name(call), call, rule, static=_STATIC, fresh_dims=True, raises=length_may_be_refused, **facts)
    )


zeros = _filled(np.zeros, warns=warns.never, fills=0)
ones = _filled(np.ones, warns=warns.never, fills=1)
empty = _filled(np.empty, fills=None)


def _full_rule(
    shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", *, device: Any = None, like: Any = None
) -> TensorType:
    new, value = shape_of_lengths(shape), operand(fill_value)
    if value.shape and not value.ndim <= len(new):
        raise ValueError("could not broadcast the fill value into the shape")
    return array(np.dtype(dtype) if dtype is not None else probe_dtype(np.full, (1,) * len(new), value), new)


full = register(
    Op(
        "full",
        np.full,
        _full_rule,
        static=_STATIC,
        fresh_dims=True,
        raises=length_may_be_refused,
        vjp=derivative.full,
    )
)


def _eye_rule(
    N: Any, M: Any = None, k: Any = 0, dtype: Any = float, order: str = "C", *, device: Any = None, like: Any = None
) -> TensorType:
    return array(np.dtype(dtype), shape_of_lengths((N, N if M is None else M)))


eye = register(
    Op("eye", np.eye, _eye_rule, static=_STATIC, fresh_dims=True, raises=side_may_be_refused, warns=warns.never)
)


def _identity_rule(n: Any, dtype: Any = None, *, like: Any = None) -> TensorType:
    return array(np.dtype(float if dtype is None else dtype), shape_of_lengths((n, n)))


identity = register(
    Op(
        "identity",
        np.identity,
        _identity_rule,
        static=_STATIC,
        fresh_dims=True,
        raises=length_may_be_refused,
        warns=warns.never,
    )
)


def _arange_rule(
    start_or_stop: Any, /, stop: Any = None, step: Any = 1, dtype: Any = None, *, device: Any = None, like: Any = None
) -> TensorType:
    start, end = (0, start_or_stop) if stop is None else (start_or_stop, stop)
    found = np.dtype(dtype) if dtype is not None else probe_dtype(_tiny_range, start, end, step)
    if all(isinstance(n, int | float | np.generic) for n in (start, end, step)):
        length = np.arange(start, end, step).size if dtype is None else np.arange(start, end, step, dtype=dtype).size
        return array(found, (length,))
    if isinstance(end, Dim) and start == 0 and step == 1 and type(start) is int and type(step) is int:
        return array(found, (end,))
    return array(found, (fresh_dim(),))


def _tiny_range(start: Any, stop: Any, step: Any) -> Any:
    """A range of their dtype. The step may be one of the type of a step that is not known: the range would be long."""
    if all(isinstance(n, int | float | np.number) for n in (start, stop, step)) and np.isfinite([start, stop]).all():
        return np.arange(start, start, step) + np.arange(stop, stop, step)
    return np.arange(start, stop, step)


def _has_no_length(start_or_stop: Any, stop: Any = None, step: Any = 1, *args: Any, **kwargs: Any) -> bool:
    """True if the step may be zero, or a bound NaN."""
    given = [type_of(n) for n in (start_or_stop, stop, step) if isinstance(n, TensorType)]
    return isinstance(step, TensorType) or any(t.dtype.kind not in "biu" for t in given)


arange = register(
    Op(
        "arange",
        np.arange,
        _arange_rule,
        static=_STATIC,
        fresh_dims=True,
        raises=_has_no_length,
        warns=warns.never,
        vjp=derivative.arange,
    )
)
