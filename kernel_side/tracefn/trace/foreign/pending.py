"""Pending changes of a trace, which calls make at their end: a library must not read these places before."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Collection
from typing import Any

import numpy as np

from ..context import Trace
from ..state.place import Item, Outer
from .reach import Reach, Unfollowed


def pending_in(trace: Trace, reach: Reach, defined: Collection[int]) -> str:
    """A place among the reached ones that the trace has changed, '' where there is none. Attributes of functions that
    the traced code has `defined` (their ids) are none: these have got them."""
    around: Any = trace
    while around is not None:
        for place in around.journal.places():
            if id(place.owner) not in defined and _is_reached(place, reach):
                return str(place)
        around = getattr(around, "parent", None)
    return _shared(trace, reach.arrays)


def written_in(trace: Trace, objects: list[Any]) -> str:
    """An array that the trace has written into, and whose memory one of these objects of libraries may use; ''."""
    if not objects or not trace.root.outside.updates():
        return ""
    arrays: list[Any] = []
    for value in objects:
        if getattr(value, "readonly", 0) and hasattr(value, "frombytes"):
            return "an image"  # Pillow says that it shares memory, not with which array
        arrays += [b.values for b in getattr(getattr(value, "_mgr", None), "blocks", ())]
        if not hasattr(value, "__dict__"):
            names = [k for k, v in vars(type(value)).items() if isinstance(v, types.GetSetDescriptorType)]
            arrays += [getattr(value, name, None) for name in names]
    with contextlib.suppress(Unfollowed):
        arrays += Reach(objects).arrays
    return _shared(trace, [a for a in arrays if isinstance(a, np.ndarray)])


def _shared(trace: Trace, arrays: list[Any]) -> str:
    for known in trace.root.outside.updates():
        if known.array is not None and any(np.may_share_memory(known.array, a) for a in arrays):
            return known.tensor.describe()
    return ""


def _is_reached(place: Any, reach: Reach) -> bool:
    """Copies of functions have variables of their own, so those are known by their names."""
    if isinstance(place, Outer):
        return place.name.rpartition(" ")[2] in reach.names
    if isinstance(place, Item) and isinstance(place.owner, dict) and "__builtins__" in place.owner:
        return place.item in reach.names
    return id(place.owner) in reach.seen
