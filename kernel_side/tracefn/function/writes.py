"""Takes from a trace what it changed outside: what holds traced values is stored anew at each call, the rest reported."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ..runtime.writes import Write
from ..trace.captures import FunctionCopies
from ..trace.context import Trace
from ..trace.control.undefined import Undefined
from ..trace.journal import MISSING, Attribute, Contents, Held, Item, Outer, Place
from ..trace.symbolic_int import SymbolicInt
from ..trace.tensor import Tensor
from ..trace.tree import flatten

ALTERNATIVE = "Keep such a value in a tracefn.Variable, or return it and assign it outside the traced function."


def take_writes(
    trace: Trace, copies: FunctionCopies, outputs: list[Any], inside: set[int]
) -> tuple[list[Write], list[str]]:
    """The writes of a trace, whose values join the graph's `outputs`, and the names of places that it changed for good.

    Places get back what they held, until the call stores its values there. `inside` are the ids of containers that
    stand for the arguments while tracing.
    """
    writes: list[Write] = []
    changed: list[str] = []
    for place, (before, after) in reversed(list(trace.journal.changes().items())):
        if isinstance(place, Held) and not hasattr(place.owner, "__tracefn_store__"):
            continue
        if id(place.owner) in inside:
            continue
        leaves, tree = flatten(after) if after is not MISSING else ([], None)
        if tree is None or not any(isinstance(v, Tensor | SymbolicInt) for _, v in leaves):
            if not _is_same(before, after):
                changed.append(place.name)
                source = trace.journal.sources.get(place)
                text = f"`{place.name}` changed while tracing; later calls will not change it"
                trace.note_effect("write", text, ALTERNATIVE, source)
            continue
        described: list[tuple[str, Any]] = []
        for _, leaf in leaves:
            if isinstance(leaf, SymbolicInt):
                leaf = trace.dimension(leaf.dim)
            if isinstance(leaf, Tensor):
                described.append(("output", len(outputs)))
                outputs.append(trace.node_of(leaf))
            else:
                described.append(("value", leaf))
        place.store(before)
        writes.append(Write(place.name, _store(place, copies), tree, tuple(described)))
    return writes[::-1], changed


def _is_same(before: Any, after: Any) -> bool:
    if type(before) is Undefined or type(after) is Undefined:
        return True
    try:
        return before is after or bool(type(before) is type(after) and before == after)
    except Exception:
        return isinstance(before, np.ndarray) and before is after


def _store(place: Place, copies: FunctionCopies) -> Callable[[Any], None]:
    """Puts a value where the place is, outside the trace."""
    owner = place.owner
    if isinstance(place, Held):
        return owner.__tracefn_store__  # type: ignore[no-any-return]
    if isinstance(place, Outer):
        cell = copies.original_cell(owner)
        return lambda value: setattr(cell, "cell_contents", value)
    if isinstance(place, Attribute):
        name, reference = place.attribute, _reference(owner)
        return lambda value: setattr(reference(), name, value)
    if isinstance(place, Item):
        container, key = copies.original_globals(owner), place.item
        return lambda value: container.__setitem__(key, value)
    contents = Contents(owner, place.name)
    return contents.store


def _reference(value: Any) -> Callable[[], Any]:
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: value
