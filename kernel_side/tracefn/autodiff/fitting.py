"""Gives a cotangent the dtype and the shape of the value that it belongs to."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.types import TensorType


def is_differentiable(found: TensorType) -> bool:
    """True for values of a floating-point or complex dtype."""
    return found.dtype.kind in "fc"


def fitted(g: Any, like: Any) -> Any:
    """The cotangent of a broadcast and cast operand as that of the operand: summed over the axes along which it was
    repeated, real where the operand is real."""
    if like.dtype.kind != "c" and g.dtype.kind == "c":
        g = np.real(g)
    g = unbroadcast(g, like)
    return g if g.dtype == like.dtype else g.astype(like.dtype)


def unbroadcast(g: Any, like: Any) -> Any:
    """A cotangent summed over the axes along which `like` was repeated."""
    wanted, found = np.shape(like), np.shape(g)
    leading = len(found) - len(wanted)
    if leading > 0:
        g = np.sum(g, axis=tuple(range(leading)))
        found = found[leading:]
    axes = tuple([axis for axis, (n, m) in enumerate(zip(wanted, found, strict=False)) if not _is_same(n, m)])
    if axes:
        g = np.sum(g, axis=axes, keepdims=True)
    if leading < 0:
        g = np.broadcast_to(g, wanted)
    return g


def _is_same(wanted: Any, found: Any) -> bool:
    """False for an axis of length 1 that was repeated. Open lengths that are one expression are not asked for."""
    return wanted is found or bool(wanted == found)
