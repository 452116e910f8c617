"""Tapes outside of traced functions: operations on watched values run at once, and are recorded."""

from __future__ import annotations

from .session import Session

__all__ = ["Session"]
