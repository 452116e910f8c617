"""Values as elements of a TensorArray: their dtype, and how their shape compares with the one that is wanted."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import message
from ...ir.dims import Dim, definitely_different
from ...ir.op import by_name
from ...ir.types import Kind, dtype_name, ufunc_dtypes, weak_operand
from ..active import current
from ..origin import user_source, where
from ..tensor import Tensor
from .symbolic_int import SymbolicInt


def of_dtype(value: Any, dtype: np.dtype[Any]) -> Any:
    """A value as an array or NumPy scalar. Raises `TypeError` where it has another dtype.

    Python numbers, and lists of them, take the dtype where promotion allows it.
    """
    found = _as_array(value, dtype)
    if found.dtype != dtype:
        wanted = dtype_name(dtype)
        what = f"a value of dtype {dtype_name(found.dtype)} is written to a TensorArray of {wanted}"
        raise TypeError(message(what, where(user_source()), f"Write `value.astype(np.{wanted})`."))
    return found


def _as_array(value: Any, dtype: np.dtype[Any]) -> Any:
    trace = current()
    if isinstance(value, SymbolicInt):
        value = value._trace.dimension(value.dim)
    if type(value) is Tensor and value._node.type.kind is Kind.PYTHON:
        return np.multiply(value, dtype.type(1))
    if type(value) is Tensor or hasattr(value, "dtype"):
        return value
    if type(value) in (bool, int, float, complex):
        strong = ufunc_dtypes(np.add, (weak_operand(value), dtype))[-1] == dtype
        return dtype.type(value) if strong else np.asarray(value)[()]
    if trace is not None and any(isinstance(v, Tensor | SymbolicInt) for v in value):
        return trace.record(by_name("array"), (list(value),), {})
    found = np.asarray(value)
    return found.astype(dtype) if np.can_cast(found.dtype, dtype, "same_kind") else found


def as_scalar(value: Any) -> Any:
    """A 0-d array as a NumPy scalar; every other value as it is."""
    is_array = value._node.type.kind is Kind.ARRAY if type(value) is Tensor else isinstance(value, np.ndarray)
    return value[()] if is_array and not shape_of(value) else value


def shape_of(value: Any) -> tuple[Any, ...]:
    """The shape, in the graph's terms where lengths are open."""
    return value._node.type.shape if type(value) is Tensor else tuple(value.shape)


def is_open(length: Any) -> bool:
    """True for a length that only values tell."""
    return isinstance(length, Dim) and length.depends_on_values


def fits(shape: tuple[Any, ...], wanted: tuple[Any, ...]) -> bool:
    """False if a shape certainly is another one. None stands for any length."""
    if len(shape) != len(wanted):
        return False
    pairs = zip(shape, wanted, strict=True)
    return not any(w is not None and definitely_different(n, w) for n, w in pairs)
