"""Tapes outside of traced functions: what is computed of watched values runs at once, and is recorded."""

from __future__ import annotations

from .session import Session

__all__ = ["Session"]
