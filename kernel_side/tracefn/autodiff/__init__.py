"""Derivatives of the nodes of a trace: walks over its nodes that record the backward pass in the same trace."""

from __future__ import annotations

from . import control, loops
from .forward import forward
from .reverse import active_nodes, reverse
from .sources import result_of, source_of

__all__ = ["active_nodes", "control", "loops", "forward", "result_of", "reverse", "source_of"]
