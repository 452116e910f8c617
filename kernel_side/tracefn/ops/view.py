"""The same memory seen anew: `x.view()`, and `x.view(dtype)`, which reads the bytes as another dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.dims import definitely_different
from ..ir.op import Op, register
from .rules import TensorType, operand, probe_dtype


def _view(a: Any, dtype: Any = None) -> Any:
    return a.view() if dtype is None else a.view(dtype)


def _rule(a: Any, dtype: Any = None) -> TensorType:
    a = operand(a)
    if dtype is None:
        return a
    old, new = a.dtype.itemsize, np.dtype(dtype).itemsize
    shape = a.shape
    if old != new:
        *outer, last = a.shape
        if definitely_different(last * old % new, 0):
            raise ValueError(f"{last} elements of {old} bytes are no whole number of elements of {new} bytes")
        shape = (*outer, last * old // new)
    return TensorType(probe_dtype(_same_size, TensorType(a.dtype, (1,)), np.dtype(dtype)), shape, a.kind)


def _same_size(a: Any, dtype: Any) -> Any:
    """NumPy's verdict on whether memory of one dtype may be read as another, whatever their sizes."""
    return np.zeros(dtype.itemsize, a.dtype).view(dtype)


def _may_raise(a: Any, dtype: Any = None) -> bool:
    """Another size of the elements needs a last axis without gaps, which is seen in the array alone."""
    return dtype is not None and bool(np.dtype(dtype).itemsize != operand(a).dtype.itemsize)


view = register(Op("view", _view, _rule, style="method", view=True, static=frozenset({"dtype"}), raises=_may_raise))
