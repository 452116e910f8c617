"""Announces changes to the journal of the trace, and names the changed places."""

from __future__ import annotations

from collections import deque
from typing import Any, NoReturn

from ....errors import ControlFlowError, UnsupportedFunctionError, message
from ...active import TRACING, current
from ...context import Trace
from ...control.chosen import refuse_option
from ...control.unsettled import is_undecided
from ...origin import user_frame, user_source, where
from ...state.place import MISSING, Item, Place
from ...values.graph_list import GraphList


def name_of(value: Any) -> str:
    """The name of a variable of the user's code that holds a value, or its type."""
    frame = user_frame(2)
    if frame is None:
        return type(value).__name__
    for name, held in frame.f_locals.items():
        if held is value and not name.startswith(("owner", "key", "item", "part", "value")):
            return name
    for name, held in list(frame.f_globals.items()):
        if held is value:
            return f"global {name}"
    return type(value).__name__


def will_change(trace: Trace, place: Place) -> None:
    """To be called before a place is changed. The old value becomes a value of the graph if a branch or loop changes
    it."""
    source = user_source(3)
    root = trace.root
    refuse_unknown(trace, place.owner)
    refuse_option(place.owner)
    if place.key in root.moved:
        refuse_moved(str(place))
    if trace is not root and (before := place.load()) is not MISSING:
        found = trace.read_variable(place, before)
        if found is before and place.step is not None:
            found = trace.observe(place.owner, *place.step, before)
        found = _with_items(trace, found)
        if found is not before:
            if not (isinstance(place, Item) and trace.is_changed(place.owner)):  # else items stand elsewhere by now
                root.journal.will_change(place, source)
            place.store(found)
    if trace is not root and trace.journal.will_set_again(place):
        refuse_set_again(str(place))
    trace.journal.will_change(place, source)


def _with_items(trace: Trace, value: Any) -> Any:
    """A tuple with its items read at each call; other values unchanged."""
    if type(value) is not tuple or not trace.is_outside(value):
        return value
    found = [_with_items(trace, trace.observe(value, "item", i, v)) for i, v in enumerate(value)]
    return value if all(new is old for new, old in zip(found, value, strict=True)) else tuple(found)


def decided(container: Any) -> Any:
    """Returns a container whose content is known while tracing. Raises `ControlFlowError` for others."""
    if TRACING and (trace := current()) is not None:
        refuse_unknown(trace, container)
    if isinstance(container, dict | list | deque) and type(container) is not GraphList and TRACING:
        if is_undecided(container):
            refuse_undecided(container)
    return container


def refuse_moved(name: str) -> NoReturn:
    """Raises for an attribute that a generator from outside may have changed."""
    raise UnsupportedFunctionError(
        message(
            f"`{name}` is used after a generator from outside may have changed it",
            where(user_source(4)),
            "Use it before, or in the next call.",
        )
    )


def refuse_set_again(name: str) -> NoReturn:
    """Raises for an attribute that a branch or loop deletes and sets: its object has it last where that has run."""
    raise UnsupportedFunctionError(
        message(
            f"`{name}` is set again after it was deleted, in a branch or loop",
            where(user_source(4)),
            "Set it without deleting it first.",
        )
    )


def refuse_undecided(container: Any) -> NoReturn:
    raise ControlFlowError(
        message(
            f"`{name_of(container)}` is read after a branch that a traced value decides has added to it",
            where(user_source(3)),
            "Read it before the branch, or in the next call.",
        )
    )


def refuse_unknown(trace: Trace, owner: Any) -> None:
    """Raises for a container whose content only the call knows."""
    if id(owner) in trace.root.keyed:
        raise ControlFlowError(
            message(
                f"`{name_of(owner)}` is used after a change at a key that a traced value decides",
                where(user_source(3)),
                "Use it before, or in the next call.",
            )
        )
