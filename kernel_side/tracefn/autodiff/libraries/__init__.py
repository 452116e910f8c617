"""Derivatives of other libraries' functions: steps of a graph that its ops know nothing of.

Rules stand under the names by which users reach the functions. A library is looked at only where it is imported.
"""

from __future__ import annotations

from .lookup import rule_of

__all__ = ["rule_of"]
