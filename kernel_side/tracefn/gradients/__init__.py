"""Derivatives of functions of plain NumPy: `grad` and its relatives, each a traced function itself."""

from __future__ import annotations

from .grad import grad, value_and_grad

__all__ = ["grad", "value_and_grad"]
