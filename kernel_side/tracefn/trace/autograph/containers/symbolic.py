"""Containers from outside that the trace reorders, or reads after changes: each call reads their items anew."""

from __future__ import annotations

from typing import Any

from ...context import Trace
from ...control.unsettled import holds_inputs
from ...state.compared import pairs
from ...state.place import Contents, Item
from .changes import decided, name_of, will_change


def becomes_symbolic(trace: Trace, owner: Any) -> None:
    """Told before the items of a container move."""
    if trace.is_outside(owner) and not trace.is_changed(owner):
        trace.read_items(decided(owner))
        found = {key: trace.observe(owner, "item", key, value) for key, value in pairs(owner)}
        will_change(trace, Contents(owner, name_of(owner)))
        for key, value in found.items():
            Item(owner, key, "").store(value)
        if trace is trace.root:
            trace.symbolic[id(owner)] = owner
        return
    holds_what_is_found(trace, owner)
    will_change(trace, Contents(owner, name_of(owner)))


def holds_what_is_found(trace: Trace, owner: Any) -> None:
    """To be called before a container is read as a whole, or at an unknown item. A changed container becomes symbolic;
    others are guarded."""
    decided(owner)
    if not trace.is_outside(owner):
        return
    if Contents(owner, "") in trace.root.journal:
        holds_inputs(trace, owner)
    if id(owner) not in trace.symbolic or isinstance(owner, set):
        trace.read_whole(owner)
