"""What a trace has changed so far, and each call will change at its end: a library must not come by it in between."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from ..context import Trace
from ..state.place import Item, Outer
from .reach import Reach


def pending_in(trace: Trace, reach: Reach, defined: Collection[int]) -> str:
    """A place among what is reached that the trace has changed, '' where there is none. Attributes of functions that
    the traced code has `defined` (their ids) are none: these have got them."""
    around: Any = trace
    while around is not None:
        for place in around.journal.places():
            if id(place.owner) not in defined and _is_reached(place, reach):
                return str(place)
        around = getattr(around, "parent", None)
    for known in trace.root.outside.updates():
        if known.array is not None and any(np.may_share_memory(known.array, a) for a in reach.arrays):
            return known.tensor.describe()
    return ""


def _is_reached(place: Any, reach: Reach) -> bool:
    """Copies of functions have variables of their own, so those are known by their names."""
    if isinstance(place, Outer):
        return place.name.rpartition(" ")[2] in reach.names
    if isinstance(place, Item) and isinstance(place.owner, dict) and "__builtins__" in place.owner:
        return place.item in reach.names
    return id(place.owner) in reach.seen
