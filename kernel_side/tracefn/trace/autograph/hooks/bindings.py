"""Aliases of arrays in rewritten code, found by reference counts when a name is bound.

A loop may carry an array by value only while the array has no alias. References are not followed through calls,
containers and attributes: an array with one reference has no alias. References that the branches and loops of this
package hold are subtracted (`note_held`).
"""

from __future__ import annotations

import collections
from collections.abc import Iterable
from typing import Any

from ...active import TRACING, current
from ...references import ARGUMENT, ITEM, PARAMETER, holders
from ...tensor import Tensor
from ...values.graph_list import GraphList
from ...values.kept_items import round_of


def bound(value: Any, *before: Any) -> Any:
    """A value that is about to be bound to names, which hold `before` until then."""
    if not TRACING:
        return value
    if type(value) is Tensor:
        if _may_be_own(value) and (others := holders(value) - PARAMETER) > 0:  # mostly there are none
            if others - 2 * _times(value, before) - _internal(value) > 0:
                value._aliased = True
    elif type(value) in _CONTAINERS or type(value) is GraphList:
        is_alone = holders(value) <= PARAMETER
        if is_alone and (trace := current()) is not None:
            round_of(trace).new_containers.add(id(value))
        _bound_parts(value, ITEM if is_alone else _SHARED, before)
    return value


def unpacked(value: Any, *before: Any) -> Any:
    """A value whose parts are about to be bound to names."""
    if not TRACING:
        return value
    if type(value) in _CONTAINERS or isinstance(value, tuple):
        _bound_parts(value, ITEM if holders(value) <= PARAMETER else _SHARED, before)
    elif hasattr(type(value), "__next__") or isinstance(value, _VIEWS):
        return map(alias, value)
    return value


def alias(value: Any) -> Any:
    """A value that another variable holds, too."""
    if type(value) is Tensor:
        value._aliased = True
    return value


def parameter(value: Any) -> Any:
    """The argument of a parameter that the function rebinds: the caller may hold an alias."""
    if type(value) is Tensor and _may_be_own(value) and holders(value) - ARGUMENT > 0:
        value._aliased = True
    return value


def kept(values: Iterable[Any]) -> None:
    """Marks arguments of code that may keep them as aliased."""
    for value in values:
        if type(value) is Tensor and _may_be_own(value):
            value._aliased = True


def note_held(values: tuple[Any, ...]) -> None:
    """Notes at the start of a block how many references to its variables' values the branches and loops around it
    hold."""
    trace = current()
    if trace is not None:
        for value in values:
            if type(value) is Tensor and _may_be_own(value):
                trace.held[id(value)] = holders(value) - ARGUMENT - 1


def _bound_parts(value: Any, own: int, before: tuple[Any, ...]) -> None:
    if type(value) is GraphList and value.is_staged:
        return
    for part in _parts(value):
        if type(part) is Tensor:
            if _may_be_own(part) and holders(part) - own - 2 * _times(part, before) - _internal(part) > 0:
                part._aliased = True
        elif type(part) in _CONTAINERS:
            _bound_parts(part, own, before)


def _parts(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


def _may_be_own(value: Tensor) -> bool:
    is_own = value._owned or value._choice is not None
    return is_own and not value._aliased and value._node.types[0].has_memory


def _internal(value: Tensor) -> int:
    """How often branches and loops around hold an array that a variable of theirs holds."""
    trace: Any = current()
    while trace is not None:
        if (found := trace.held.get(id(value))) is not None:
            return int(found)
        trace = getattr(trace, "parent", None)
    return 0


def _times(value: Any, values: tuple[Any, ...]) -> int:
    return sum(1 for v in values if v is value)


_SHARED = -2
"""Holders of the parts of a container that has another name itself: that name leads to them."""

_CONTAINERS = frozenset({list, tuple, dict, collections.deque, collections.OrderedDict})
_VIEWS: tuple[type, ...] = (type({}.values()), type({}.items()))
