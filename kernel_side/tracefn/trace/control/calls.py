"""Calls in the graph: a traced function that another one calls, its operations the body of a node.

It runs in any case, and once. Its changes stay, and so do the containers and objects that it makes:
only the traced values in them are replaced by results of the node.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

from ...errors import TracefnError
from ...records import dataclass
from ..body import BodyTrace, NeverReturns
from ..context import Trace
from ..state.journal import Operation
from ..state.place import Attribute, Contents, Item, Outer, Place
from ..tensor import Tensor
from ..tree import flatten, parts
from ..values.symbolic_int import SymbolicInt
from .branches import Side, choose, written_arrays

_PLACES = (Attribute, Item, Contents, Outer)
_LISTS = (list, deque)
_MAPPINGS = (dict, OrderedDict, defaultdict)


def called(trace: Trace, name: str, function: Callable[[], Any], op_name: str = "call") -> Any:
    """The result of a function, as a call in the graph."""
    body = BodyTrace(trace, name, is_call=True)
    body.is_branch = trace.is_branch
    variables = trace.variables.number_created
    try:
        returned = body.run(function)
    except NeverReturns:
        body.journal.take_back()
        return choose(trace, op_name, None, [Side(body, None)])
    except (TracefnError, RecursionError, MemoryError):
        raise
    except Exception:  # the code around may catch it: changes until then are to stay
        if trace.variables.number_created != variables:
            raise  # a variable is made once
        with trace.name_scope(name):
            return function()
    try:
        result = _taken_up(trace, body, returned, op_name)
    except Exception:
        body.journal.take_back()  # changes that the trace around has taken over, it undoes again
        raise
    body.journal.clear()
    return result


def _taken_up(trace: Trace, body: BodyTrace, returned: Any, op_name: str) -> Any:
    """The result of a body's function, with the values of the call's node; its changes are those of the trace
    around."""
    changes = body.journal.changes()
    arrays = {place: change for place, change in changes.items() if not isinstance(place, _PLACES)}
    places = [place for place in changes if place not in arrays]
    values = _Values(body)
    values.find(returned)
    operations = [o.args for place in places for o in body.journal.operations.get(place) or ()]
    for value in [*(changes[place][1] for place in places), *operations]:
        values.find(value)
    for place, (before, _) in reversed(arrays.items()):
        place.store(before)
    trace.journal.take_over(body.journal, places)
    body.ended = False
    left: dict[Any, Any] = {_Result(number): value for number, value in enumerate(values.found)}
    left |= {place: after for place, (_, after) in arrays.items()}
    chosen = choose(trace, op_name, None, [Side(body, left, None, written_arrays(changes))])
    values.given = {id(value): chosen[key] for key, value in left.items() if isinstance(key, _Result)}
    for place in places:
        _replace(place, changes[place][1], values)
        if (done := trace.journal.operations.get(place)) is not None:
            trace.journal.operations[place] = [Operation(o.method, values.replaced(o.args)) for o in done]
    return values.replaced(returned)


@dataclass(frozen=True)
class _Result:
    number: int

    def __str__(self) -> str:
        return "result"


class _Values:
    """The values of a body that its results and changes hold, wherever they are in them."""

    def __init__(self, body: BodyTrace) -> None:
        self.found: list[Any] = []
        self.given: dict[int, Any] = {}
        self._body = body
        self._seen: dict[int, Any] = {}

    def find(self, value: Any) -> None:
        """Collects those in a value."""
        if id(value) in self._seen:
            return
        self._seen[id(value)] = value
        children = _children(value)
        if children is not None:
            for child in children:
                self.find(child)
        elif _is_traced(value):
            self.found.append(value)

    def replaced(self, value: Any, done: set[int] | None = None) -> Any:
        """The value with those of the body replaced: the same container, with other values in it."""
        if id(value) in self.given:
            return self.given[id(value)]
        children = _children(value)
        done = set() if done is None else done
        if children is None or id(value) in done:
            return value
        done.add(id(value))
        new = [self.replaced(child, done) for child in children]
        if all(a is b for a, b in zip(new, children, strict=True)):
            return value
        if type(value) is tuple:
            return tuple(new)
        if type(value) in _LISTS:
            for position, child in enumerate(new):
                value[position] = child
        else:
            dict.update(value, zip(value, new, strict=True))
        return value


def _children(value: Any) -> list[Any] | None:
    """The items of a container that stays the same object. None for all that is a value as a whole."""
    cls = type(value)
    if cls is tuple or cls in _LISTS:
        return list(value)
    return list(value.values()) if cls in _MAPPINGS else None


def _is_traced(value: Any) -> bool:
    if isinstance(value, Tensor | SymbolicInt):
        return True
    return parts(value) is not None and any(isinstance(v, Tensor | SymbolicInt) for _, v in flatten(value)[0])


def _replace(place: Place, after: Any, values: _Values) -> None:
    """Puts the values of the node into the content of a place."""
    held = _children(after) or []
    new = values.replaced(after)
    changed = new is not after or any(a is not b for a, b in zip(_children(new) or [], held, strict=True))
    if changed and (new is not after or isinstance(place, Contents)):  # the content of another place has been changed
        place.store(new)
