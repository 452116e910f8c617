"""What a trace changed outside: places that hold traced values are written at each call, the others are reported."""

from __future__ import annotations

import functools
import operator
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import InPlaceWriteError, message
from ..runtime.writes import Assignment, Write
from ..trace.captures import FunctionCopies
from ..trace.context import Trace, current
from ..trace.control.undefined import Undefined
from ..trace.journal import MISSING, Attribute, Contents, Held, Item, Outer, Place
from ..trace.symbolic_int import SymbolicInt
from ..trace.tensor import Tensor
from ..trace.tree import flatten
from ..trace.variable import Variable

ALTERNATIVE = "Keep such a value in a tracefn.Variable, or return it and assign it outside the traced function."


def take_writes(
    trace: Trace, copies: FunctionCopies, outputs: list[Any], inside: set[int], undo: list[Callable[[], None]]
) -> tuple[list[Write], list[str]]:
    """The writes of a trace, whose values join the graph's `outputs`, and the names of places that it changed for good.

    Places get back what they held, until the call stores its values there. `inside` are the ids of containers that
    stand for the arguments while tracing. What takes back that a variable made in the trace was stored joins `undo`.
    """
    writes: list[Write] = []
    changed: list[str] = []
    for place, (before, after) in reversed(list(trace.journal.changes().items())):
        if isinstance(place, Held):
            continue
        if id(place.owner) in inside:
            continue
        leaves, tree = flatten(after) if after is not MISSING else ([], None)
        if tree is None or not any(isinstance(v, Tensor | SymbolicInt) for _, v in leaves):
            if not _is_same(before, after):
                _move(place, after, copies)
                changed.append(place.name)
                if trace.leaves_nothing or holds_created(trace, after):
                    undo.append(_undo(place, before, copies))
                    continue
                source = trace.journal.sources.get(place)
                text = f"`{place.name}` changed while tracing; later calls will not change it"
                trace.note_effect("write", text, ALTERNATIVE, source)
            continue
        if isinstance(place, Contents):
            leaves, tree = flatten(_added(place, before, after))
        described: list[tuple[str, Any]] = []
        for _, leaf in leaves:
            if isinstance(leaf, SymbolicInt):
                leaf = leaf.as_tensor()
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
    if isinstance(place, Outer):
        cell = copies.original_cell(owner)
        return lambda value: setattr(cell, "cell_contents", value)
    if isinstance(place, Attribute):
        return functools.partial(_set_attribute, _reference(owner), place.attribute)
    if isinstance(place, Item):
        container, key = copies.original_globals(owner), place.item
        return lambda value: container.__setitem__(key, value)
    return owner.extend if isinstance(owner, list) else owner.update


def _set_attribute(reference: Callable[[], Any], name: str, value: Any) -> None:
    """Sets an attribute of an object that is still there: one that the traced function made is gone with it."""
    owner = reference()
    if owner is not None:
        setattr(owner, name, value)


def _added(place: Place, before: Any, after: Any) -> Any:
    """What a container has more than before. Raises `InPlaceWriteError` where that is not all that changed."""
    if isinstance(after, list) and len(after) >= len(before) and all(map(operator.is_, after, before)):
        return list(after[len(before) :])
    if isinstance(after, dict) and after.keys() >= before.keys():
        return {k: v for k, v in after.items() if k not in before or before[k] is not v}
    raise InPlaceWriteError(
        message(
            f"`{place.name}`, which is outside the traced function, loses or moves items and is given traced values",
            fix="Only add to it, or return the values and put them there outside.",
        )
    )


def _move(place: Place, after: Any, copies: FunctionCopies) -> None:
    """Gives a global or a variable of an outer function what its copy has."""
    if isinstance(place, Item) and (original := copies.original_globals(place.owner)) is not place.owner:
        if after is MISSING:
            original.pop(place.item, None)
        else:
            original[place.item] = after
    elif isinstance(place, Outer) and (cell := copies.original_cell(place.owner)) is not place.owner:
        cell.cell_contents = after


def _undo(place: Place, before: Any, copies: FunctionCopies) -> Callable[[], None]:
    def undo() -> None:
        place.store(before)
        _move(place, before, copies)

    return undo


def take_assignments(trace: Trace, values: Sequence[Any], outputs: list[Any]) -> list[Assignment]:
    """What the trace leaves in Variables that it assigned, whose values join the graph's `outputs`.

    `values` are the leaves of the call. Variables made in the trace are among them.
    """
    found = {id(variable): (variable, value) for variable, value in trace.variables.created_values()}
    for place, (_, after) in trace.journal.changes().items():
        if isinstance(place.owner, Variable):
            found[id(place.owner)] = (place.owner, after)
    assignments = []
    for variable, value in found.values():
        node = trace.node_of(value)
        if not trace.variables.is_read_value(variable, node):
            leaf = next((i for i, v in enumerate(values) if v is variable), None)
            assignments.append(Assignment(len(outputs), leaf, None if leaf is not None else variable))
            outputs.append(node)
    return assignments


def holds_tensor(value: Any) -> bool:
    """True for a value that is of no use outside the trace."""
    trace = current()
    try:
        leaves = [] if value is MISSING else [v for _, v in flatten(value)[0]]
    except ValueError:
        return False
    return any(isinstance(v, Tensor | SymbolicInt) or (trace and trace.variables.is_created(v)) for v in leaves)


def holds_created(trace: Trace, value: Any) -> bool:
    """True where a variable that was made in the trace is in the value."""
    return value is not MISSING and any(trace.variables.is_created(v) for _, v in flatten(value)[0])


def _reference(value: Any) -> Callable[[], Any]:
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: value
