"""Derivatives of other libraries' functions: steps of a graph that its ops know nothing of.

Rules stand under the names by which users reach the functions. A library is looked at only where it is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ir.graph import Node
from ...trace.foreign import Step

__all__ = ["rule_of"]


def rule_of(node: Node) -> Callable[..., Any] | None:
    """The rule of a node that calls another library, in the form of `Op.vjp`. None where none is known, and for other
    nodes."""
    called = node.args[0] if node.args else None
    if not isinstance(called, Step) and node.op.name != "foreign_ufunc":
        return None
    from .lookup import rule_of_call  # with hundreds of rules, which most graphs do not need

    return rule_of_call(node)
