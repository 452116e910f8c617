"""Derivatives of loops: a loop over the rounds backwards, with the values that the rounds kept for it."""

from __future__ import annotations

from .twin import twin_of_loop
from .walk import through_loop

__all__ = ["through_loop", "twin_of_loop"]
