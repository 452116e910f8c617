"""Gives a cotangent the dtype and the shape of the value that it belongs to."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.types import TensorType
from ..ops.derivatives.common import unbroadcast


def is_differentiable(found: TensorType) -> bool:
    """True for values of a floating-point or complex dtype."""
    return found.dtype.kind in "fc"


def fitted(g: Any, like: Any) -> Any:
    """The cotangent of a broadcast and cast operand as that of the operand: summed over the axes along which it was
    repeated, real where the operand is real. What is written may have more axes of length 1 than its place."""
    if like.dtype.kind != "c" and g.dtype.kind == "c":
        g = np.real(g)
    missing = like.ndim - g.ndim
    if missing > 0:
        g = np.broadcast_to(unbroadcast(g[(np.newaxis,) * missing], like), like.shape)
    else:
        g = unbroadcast(g, like)
    return g if g.dtype == like.dtype else g.astype(like.dtype)
