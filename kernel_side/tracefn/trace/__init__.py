"""Tracing: symbolic arrays that record what NumPy code does to them."""

from . import operators

__all__ = ["operators"]
