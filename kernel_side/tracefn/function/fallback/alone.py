"""Functions of libraries whose graphs are their own call and nothing else: Python makes that call faster."""

from __future__ import annotations

from typing import Any

from ...ir.graph import Graph
from ..wrapped import calls_library
from .early import are_many
from .reasons import ANY, Fallback

_STEPS = frozenset({"foreign", "foreign_pure"})
_CHECKPOINT = "checkpoint"
"""The op that notes the state before steps which may be undone."""


def is_its_call_alone(function: Any, graph: Graph) -> bool:
    """True for the graph of a library's function that is one opaque step."""
    if not calls_library(function):
        return False
    names = [n.op.name for n in graph.nodes if n.op.style != "leaf" and n.op.name != _CHECKPOINT]
    return len(names) == 1 and names[0] in _STEPS


def fallback_of_call_alone(function: Any, graph: Graph) -> Fallback | None:
    """The fallback of such a function where `MANY` are decorated: a few are graphs that the user wants to see."""
    if not are_many() or not is_its_call_alone(function, graph):
        return None
    reason = "its graph is this call of a library and nothing else, which Python makes faster"
    return Fallback(ANY, "CallAlone", reason, "Decorate the functions that call it.", None)
