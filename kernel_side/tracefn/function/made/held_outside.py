"""Whether something outside of a trace holds an object that the trace has changed, but was not seen to reach."""

from __future__ import annotations

import gc
import types
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ...trace.references import ITEM, PARAMETER, holders
from ...trace.state.journal import Journal
from ...trace.state.place import Contents, Place

_STEPS = 6
"""The depth to which referrers are followed: each step walks over all objects of the process."""

_MOST = 200
"""The limit of referrers that one step follows: objects of one call have fewer."""


def held_outside(journal: Journal, places: Sequence[Place], changes: dict[Place, tuple[Any, Any]]) -> Place | None:
    """The first of these places whose owner something outside the trace holds. An object may hold itself, as by a bound
    method among its attributes: what only the objects of these places lead to is no holder of theirs."""
    if not places:
        return None
    ours = _ours(journal, changes)
    if not _holders([place.owner for place in places], ours):
        return None
    journal.made.collect()
    held = {id(v) for holder in _outside([place.owner for place in places], ours) for v in gc.get_referents(holder)}
    return next((place for place in places if id(place.owner) in held), None)


def _ours(journal: Journal, changes: dict[Place, tuple[Any, Any]]) -> set[int]:
    """The ids of the objects of the trace that refer to the owners of places."""
    owners = [place.owner for place in journal.places()]
    ours = {id(owner) for owner in owners}
    ours |= {id(held) for o in owners if type(held := getattr(o, "__dict__", None)) is dict}
    ours |= {id(before) for before in journal.places().values()} | {id(owners)}
    ours |= {id(change) for change in changes.values()}
    ours |= {id(after) for place, (_, after) in changes.items() if isinstance(place, Contents)}  # a copy of it
    return ours | {id(operation.args) for done in journal.operations.values() for operation in done or ()}


def _outside(owners: list[Any], ours: set[int]) -> list[Any]:
    """The holders of these objects. None where nothing else holds these holders than the objects and one another."""
    found = _holders(owners, ours)
    if (members := _closed(found, ours)) is None:
        return found
    del found  # a holder, too
    return [] if all(_is_held_by_objects_alone(members)) else members


def _closed(values: list[Any], ours: set[int]) -> list[Any] | None:
    """These objects and all that refer to them. None where these are too many, or the variables of a module."""
    known: dict[int, Any] = {}
    newest = values
    ours = ours | {id(values), id(known)}
    for _ in range(_STEPS):
        if len(newest) > _MOST or any(map(_is_of_module, newest)):
            return None
        known.update({id(value): value for value in newest})
        newest = _holders(newest, ours | known.keys())
        if not newest:
            return list(known.values())
    return None


def _is_held_by_objects_alone(values: list[Any]) -> Iterator[bool]:
    """For each of these objects whether all of its holders are known to the garbage collector: variables of functions
    that run are not."""
    references = Counter(id(v) for r in gc.get_referrers(*values) if r is not values for v in gc.get_referents(r))
    for value in values:
        yield holders(value) == ITEM + references[id(value)]


def _is_of_module(value: Any) -> bool:
    """True for modules, their variables and classes, which outlive calls."""
    return isinstance(value, types.ModuleType | type) or (type(value) is dict and "__builtins__" in value)


def _holders(values: list[Any], ours: set[int]) -> list[Any]:
    """The objects that refer to these, besides those of the trace: one walk over all objects."""
    return [
        other
        for other in gc.get_referrers(*values)
        if other is not values
        and id(other) not in ours
        and not isinstance(other, types.FrameType | Place)
        and not _is_temporary(other)
    ]


def _is_temporary(value: Any) -> bool:
    """True for objects that only the walk over references holds."""
    return isinstance(value, list | tuple) and holders(value) <= ITEM + PARAMETER
