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


def _derivative(g: Any, out: Any, a: Any, dtype: Any = None) -> Any:
    """A complex number is two floats; the cotangent has the imaginary one with the other sign. Other bytes than these
    are no numbers."""
    old, new = a.dtype, out.dtype
    if old == new:
        return (g,)
    if new.kind != "f" or old.kind != "c" or old.itemsize != 2 * new.itemsize:
        return _joined(g, a) if (old.kind, new.kind) == ("f", "c") and new.itemsize == 2 * old.itemsize else (None,)
    return (g[..., ::2] - 1j * g[..., 1::2],)


def _joined(g: Any, a: Any) -> tuple[Any]:
    return (np.reshape(np.stack([np.real(g), -np.imag(g)], -1), np.shape(a)),)


view = register(
    Op(
        "view",
        _view,
        _rule,
        style="method",
        view=True,
        static=frozenset({"dtype"}),
        raises=_may_raise,
        vjp=_derivative,
    )
)
