"""Calls of cached programs that raise: an event for each line and class of error, with the node where it is known."""

from __future__ import annotations

from typing import Any, Protocol

from ... import events
from ...ir.graph import Graph, Node
from ...ir.infer import may_raise
from ...ir.place import Source
from ...trace.origin import error_source, user_frame


class Called(Protocol):
    """The facts about the trace whose program was called."""

    function_id: str
    signature_id: str
    graph: Graph
    _reported: set[Any]


def emit_error(called: Called, error: Exception) -> None:
    """Emits that a call has raised: one event for each class of error and line, however often it is raised."""
    source = error_source(error)
    if (type(error), source) in called._reported:
        return
    called._reported.add((type(error), source))
    frame = user_frame(2)
    node = _node_of(called.graph, source)
    events.emit(
        events.Error(
            function=called.function_id,
            signature=called.signature_id,
            location=None if frame is None else events.locate(frame.f_code.co_filename, frame.f_lineno),
            error=type(error).__name__,
            message=str(error),
            phase="call",
            raised=None if source is None else events.locate(source.file, source.line),
            node=None if node is None else called.graph.names[node],
        )
    )


def _node_of(graph: Graph, source: Source | None) -> Node | None:
    """The node of a line that can raise; None where there are several, or it is in the body of another."""
    found = [node for node in graph.nodes if node.source == source and may_raise(node)]
    return found[0] if source is not None and len(found) == 1 else None
