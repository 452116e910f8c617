"""Changes outside a trace: distinguished from its own objects, undone, and assigned to Variables."""

from __future__ import annotations

import enum
import gc
import types
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...runtime.calls.writes import Assignment
from ...trace.active import current
from ...trace.context import Trace
from ...trace.state.place import MISSING, Item, Outer, Place
from ...trace.state.substitute import FunctionCopies
from ...trace.tensor import Tensor
from ...trace.tree import flatten
from ...trace.values.symbolic_int import SymbolicInt
from ...trace.variables.variable import Variable
from ..held import Held

_IMMUTABLE = (bool, int, float, complex, str, bytes, type(None), np.generic, np.dtype, enum.Enum, range, slice)


_SHARED = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType, np.ufunc, Variable, Trace)


def _holds_the_same(before: Any, after: Any) -> bool:
    if isinstance(after, set):
        return bool(before == after)
    if isinstance(after, dict):
        pairs = zip(before.items(), after.items(), strict=False)
        return len(before) == len(after) and all(a == c and b is d for (a, b), (c, d) in pairs)
    return len(before) == len(after) and all(a is b for a, b in zip(before, after, strict=True))


def _add_containers(value: Any, found: set[int]) -> None:
    """Adds the ids of a value and of all that is in it."""
    pending = [value]
    while pending:
        value = pending.pop()
        if id(value) in found or isinstance(value, (*_IMMUTABLE, *_SHARED, Tensor, np.ndarray, Held)):
            continue  # a traced function holds all its traces
        found.add(id(value))
        for inner in gc.get_referents(value):
            if isinstance(inner, (list, tuple, dict, set, deque)) or type(inner).__module__ != "builtins":
                pending.append(inner)


def _move(place: Place, after: Any, copies: FunctionCopies) -> None:
    """Gives a global or a variable of an outer function the value of its copy."""
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
    """The final values of Variables that the trace assigned, which values join the graph's `outputs`.

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
    try:
        return value is not MISSING and any(trace.variables.is_created(v) for _, v in flatten(value)[0])
    except ValueError:  # it contains itself
        return False
