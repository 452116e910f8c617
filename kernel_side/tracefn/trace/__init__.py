"""Tracing: symbolic arrays that record the operations of NumPy code."""

from . import operators

__all__ = ["operators"]
