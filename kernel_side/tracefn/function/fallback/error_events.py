"""Calls of cached programs that raise: an event for each line and class of error, with the node where it is known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from ... import events
from ...ir.graph import Graph, Node
from ...ir.infer import may_raise
from ...ir.place import Source
from ...trace.origin import error_source, notes_of, user_frame
from ...trace.recording.types_met import types_met


class Called(Protocol):
    """The facts about the trace whose program was called."""

    function_id: str
    signature_id: str
    graph: Graph
    _notes: dict[Any, str | None]

    def _raised_by(self, error: BaseException) -> str | None: ...


_CALLS = frozenset({"function", "operator", "index", "write", "method", "subscript", "builtin"})
"""The styles of ops whose types tell why a call raised."""


def tell_error(called: Called, error: Exception, known_by: Exception) -> None:
    """Notes the types that met in a call that has raised, where they are known, and emits that it has: one event for
    each class of error and line, however often it is raised. `known_by` is the error of the program, in the place of
    which the function itself has raised."""
    source = error_source(error)
    known = (type(error), source)
    if known in called._notes:
        _note(error, called._notes[known])
        return
    found = [] if source is None else _nodes_of(called.graph, source)
    met = {_met(node) for node, _ in found}
    called._notes[known] = f"  {text}" if len(met) == 1 and (text := met.pop()) is not None else None
    _note(error, called._notes[known])
    frame = user_frame(2)
    events.emit(
        events.Error(
            function=called.function_id,
            signature=called.signature_id,
            location=None if frame is None else events.locate(frame.f_code.co_filename, frame.f_lineno),
            error=type(error).__name__,
            message=str(error),
            phase="call",
            raised=None if source is None else events.locate(source.file, source.line),
            note=notes_of(error),
            node=_raising(found, called, known_by),
        )
    )


def _raising(found: list[tuple[Node, str]], called: Called, error: Exception) -> str | None:
    """The node that raised, of those of the line: of unrolled rounds, the one whose line of the program did."""
    names = [name for _, name in found]
    raised = called._raised_by(error) if len(names) > 1 else None
    last = [name for name in names if raised is None or name.rpartition("/")[2] == raised]
    return last[0] if len(last) == 1 else None


def _met(node: Node) -> str | None:
    """Operation and operands of a call that has raised; None where they do not tell why."""
    if node.op.name == "raise_error":
        return dict(node.kwargs).get("met")
    return types_met(node) if node.inputs and node.op.style in _CALLS else None


def _nodes_of(graph: Graph, source: Source) -> list[tuple[Node, str]]:
    """The nodes of a line that can raise, in bodies, too, with their names: one in each unrolled round."""
    return [(node, name) for node, name in _nodes(graph) if node.source == source and _raises(node)]


def _raises(node: Node) -> bool:
    return (may_raise(node) or node.op.name == "raise_error") and not node.bodies


def _nodes(graph: Graph, base: str = "") -> Iterator[tuple[Node, str]]:
    """All nodes with their names: those of a body follow the name of the branch or loop and that of the body."""
    for node in graph.nodes:
        name = f"{base}{graph.names[node]}"
        yield node, name
        for body in node.bodies:
            yield from _nodes(body.graph, f"{name}/{body.name}/")


def _note(error: Exception, note: str | None) -> None:
    if note is not None and not hasattr(error, "__notes__"):
        error.add_note(note)
