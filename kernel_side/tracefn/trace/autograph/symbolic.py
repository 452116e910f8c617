"""Containers from outside whose items the trace moves, or reads after it has changed them: from then on they hold what
each call finds there."""

from __future__ import annotations

from typing import Any

from ..context import Trace
from ..control.unsettled import holds_inputs
from ..state.place import Contents
from .changes import decided, name_of, will_change


def becomes_symbolic(trace: Trace, owner: Any) -> None:
    """Told before the items of a container move."""
    if trace.is_outside(owner) and not trace.is_changed(owner):
        trace.read_items(decided(owner))
        found = {key: trace.observe(owner, "item", key, value) for key, value in _pairs(owner)}
        will_change(trace, Contents(owner, name_of(owner)))
        for key, value in found.items():
            owner[key] = value
        if trace is trace.root:
            trace.symbolic[id(owner)] = owner
        return
    holds_what_is_found(trace, owner)
    will_change(trace, Contents(owner, name_of(owner)))


def holds_what_is_found(trace: Trace, owner: Any) -> None:
    """Told before a container is read as a whole, or which item is read is not known. If the trace has changed it, it
    becomes what each call finds there, with the same changes; or what is in it is guarded."""
    decided(owner)
    if not trace.is_outside(owner):
        return
    if Contents(owner, "") in trace.root.journal:
        holds_inputs(trace, owner)
    if id(owner) not in trace.symbolic or isinstance(owner, set):
        trace.read_whole(owner)


def _pairs(container: Any) -> Any:
    return dict.items(container) if isinstance(container, dict) else enumerate(container)
