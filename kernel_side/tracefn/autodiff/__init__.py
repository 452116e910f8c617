"""Derivatives of the nodes of a trace: walks over its nodes that record the backward pass in the same trace."""

from __future__ import annotations

from .forward import forward
from .libraries import above
from .reverse import active_nodes, reverse
from .sources import result_of, source_of

__all__ = ["active_nodes", "forward", "result_of", "reverse", "source_of"]


def _import_control_flow() -> None:
    """Brings the rules of branches and loops, which most functions do not need."""
    from . import control, loops  # noqa: F401


above.import_control_flow = _import_control_flow
