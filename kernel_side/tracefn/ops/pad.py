"""Padding."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.op import op
from .derivatives.movement.pad import of_pad, pairs_of
from .rules import Dim, Length, TensorType, operand, probe, require_broadcast


@op(np.pad, static=frozenset({"pad_width", "mode", "reflect_type"}), vjp=of_pad)
def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> TensorType:
    a = operand(array)
    if callable(mode):
        raise TypeError("np.pad with a function of one's own would run Python code inside the graph")
    kept = probe(np.pad, a, 0, mode, **kwargs)
    for name in ("constant_values", "end_values", "stat_length"):
        if kwargs.get(name) is not None:
            _require_pairs(operand(kwargs[name]), a.ndim)
    shape: list[Length] = []
    for length, (before, after) in zip(a.shape, _widths(pad_width, a.ndim), strict=True):
        if length == 0 and mode not in ("constant", "empty") and (before, after) != (0, 0):
            raise ValueError("an axis without elements cannot be extended in this mode")
        shape.append(length + before + after)
    return TensorType(kept.dtype, tuple(shape))


def _widths(pad_width: Any, ndim: int) -> list[tuple[Length, Length]]:
    """A pad_width argument as one pair for each axis."""
    pairs = pairs_of(pad_width, ndim)
    widths = [n for pair in pairs for n in pair]
    if not all(map(_is_integer, widths)) or getattr(pad_width, "dtype", np.dtype(int)).kind != "i":
        raise TypeError("pad_width must be made of integers")
    if any(n < 0 for n in widths if not isinstance(n, Dim)):
        raise ValueError("pad_width must not be negative")
    return pairs


def _is_integer(value: Any) -> bool:
    return isinstance(value, int | np.signedinteger | Dim) and not isinstance(value, bool)


def _require_pairs(values: TensorType, ndim: int) -> None:
    """Raises ValueError where values do not fit as one, as a pair, or as pairs for each axis."""
    if values.ndim < 3 and (values.size == 1 or (values.size == 2 and values.shape != (2, 1))):
        return
    require_broadcast(values.shape, (ndim, 2))
