"""The changes of the active traces, from the innermost to the outermost."""

from __future__ import annotations

from typing import Any

from ...trace.active import current
from ...trace.autograph.containers.changes import refuse_moved
from ...trace.code.plain import stored
from ...trace.context import Trace
from ...trace.state.captures import Captures


def original(container: Any) -> Any:
    """The content of a container before the active traces changed it."""
    held, trace = container, current()
    while trace is not None:
        held = trace.journal.restored(container, held)
        trace = getattr(trace, "parent", None)
    return held


def original_names(owner: Any) -> tuple[str, ...]:
    """The names of the attributes that an object itself held before the active traces changed it."""
    names, trace = list(stored(owner, "__dict__")), current()
    while trace is not None:
        before = trace.journal.names_before(owner)
        names = names if before is None else before
        trace = getattr(trace, "parent", None)
    return tuple(names)


def is_changed(container: Any) -> bool:
    """True if a container was changed as a whole."""
    trace = current()
    while trace is not None:
        if trace.journal.has((id(container), "contents")):
            return True
        trace = getattr(trace, "parent", None)
    return False


def has_changed(owner: Any, kind: str, key: Any) -> bool:
    """True if an active trace has written there."""
    place = (id(owner), key) if kind == "attr" else (id(owner), "item", key) if kind == "item" else (id(owner), "cell")
    trace = current()
    while trace is not None:
        if trace.journal.has(place) or (kind != "attr" and trace.journal.has((id(owner), "contents"))):
            return True
        trace = getattr(trace, "parent", None)
    return False


def is_written(trace: Trace, container: Any) -> bool:
    """True for a container that the trace has changed: in part, as a whole, or with a change that waits."""
    journal = trace.journal
    is_changed = journal.has((id(container), "contents")) or journal.has_items(container)
    return is_changed or id(container) in trace.keyed


def refuse_unread(trace: Trace, before: Captures) -> None:
    """Raises where code that is not rewritten may have read or changed state that a generator from outside has
    changed."""
    for key, place in trace.moved.items():
        if key in before.covered or trace.journal.has(key):
            refuse_moved(str(place))
