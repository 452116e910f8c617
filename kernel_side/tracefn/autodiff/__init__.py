"""Derivatives of what a trace has recorded: walks over its nodes that record the backward pass in the same trace."""

from __future__ import annotations

from . import control
from .forward import forward
from .reverse import reverse
from .sources import result_of, source_of

__all__ = ["control", "forward", "result_of", "reverse", "source_of"]
