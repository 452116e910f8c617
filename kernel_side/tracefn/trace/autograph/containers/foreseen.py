"""Reads of a container after a change at a traced key: steps of the graph.

Such changes are delayed until after the program (`keyed.py`). A read before that is a step: it copies the container,
makes the pending changes on the copy, and reads the copy.
"""

from __future__ import annotations

import copy
import functools
import operator
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ....errors import ControlFlowError, UnsupportedFunctionError, message
from ....ir.types import Kind
from ... import provided
from ...active import TRACING, current
from ...context import Trace
from ...control.raising import raise_in_graph
from ...control.undefined import Maybe
from ...foreign import Foreign, call
from ...foreign.located import Located
from ...origin import user_source, where
from ...state.journal import Journal
from ...state.place import MISSING, Item
from ...tensor import Tensor
from ..augmented import IN_PLACE, ORDERING
from .changes import decided, name_of, refuse_unknown
from .keyed import changed_later

MAKES = frozenset({"append", "appendleft", "extend", "extendleft", "add", "discard", "update", "subtract", "clear"})
"""Methods that change a container and give None."""

_TAKES_ITEMS = frozenset({"extend", "extendleft", "update", "subtract"})
_VIEWS = frozenset({"keys", "values", "items", "elements"})
_COPIES = _VIEWS | {"copy", "most_common"}
_COPY: tuple[Any, ...] = (list, sorted, copy.copy)


CONTAINERS = frozenset({list, dict, set, deque, OrderedDict, defaultdict, Counter})


class PendingChange(NamedTuple):
    """A pending change. `happens` is a traced bool for a change in a branch."""

    happens: Any
    method: str
    args: list[Any]


def is_foreseen(owner: Any) -> bool:
    """True for a container with pending changes that can be read before the end of the program."""
    if not TRACING or (trace := current()) is None or id(owner) not in trace.root.keyed:
        return False
    is_here = trace is trace.root or (type(owner) is set and all(not t.repeats for t in _around(trace)))
    return is_here and type(owner).__module__ in ("builtins", "collections") and bool(trace.path_to(owner))


def _around(trace: Any) -> list[Any]:
    """A trace and those around it, from the outermost on."""
    found = [trace]
    while (trace := getattr(trace, "parent", None)) is not None:
        found.insert(0, trace)
    return found


def foresee(owner: Any, read: Callable[..., Any], *args: Any, name: str = "") -> Any:
    """The result of `read(container, *args)` after the pending changes."""
    trace = current()
    assert trace is not None
    located = Located(trace.path_to(owner), trace.root.journal.restored(owner, owner))
    changes = [tuple(change) for around in _around(trace) for change in _changes(around.journal, owner)]

    def look(container: Any, changes: Iterable[Any], args: Any) -> Any:
        return read(_changed(container.copy(), changes), *args)

    shown = f"{type(owner).__name__}.{name or read.__name__}"
    try:
        found = call(look, (located, changes, list(args)), {}, shown, reads=True)
    finally:
        located.settle()
    if _holds_memory(found) or _is_shared(found, is_new=read in _COPY or name in _COPIES):
        raise ControlFlowError(
            message(
                f"an array or list is read from `{name_of(owner)}` after a change at a key that a traced value decides",
                where(user_source(3)),
                "Read it before, or in the next call.",
            )
        )
    return found


def settled(value: Any) -> Any:
    """An operand: a container with its pending changes made."""
    if type(value) not in CONTAINERS or not TRACING:
        return value
    if not is_foreseen(value):
        return decided(value)
    return foresee(value, copy.copy)


def filled(value: Any) -> Any:
    """The value of a container as a condition: its length, where changes are pending."""
    if is_foreseen(value):
        return foresee(value, len)
    return decided(value)


def foreseen_method(owner: Any, name: str, changes: bool) -> Callable[..., Any]:
    """A method of such a container. A change that it makes is pending, too."""

    if type(owner) is set and name in ("remove", "pop"):
        return functools.partial(_remove_member if name == "remove" else refuse_pop, owner)

    def method(*args: Any, **kwargs: Any) -> Any:
        trace = current()
        assert trace is not None
        if name in _TAKES_ITEMS:
            for arg in args:
                refuse_unknown(trace, arg)
        given = [a if name not in _TAKES_ITEMS else dict(a) if isinstance(a, dict) else list(a) for a in args]
        found = None if name in MAKES else foresee(owner, _caller(name, tuple(kwargs)), given, kwargs, name=name)
        if changes and (kwargs or not changed_later(trace, owner, name, tuple(given))):
            refuse_later(owner)
        return found

    return method


def _remove_member(owner: set[Any], value: Any, /) -> None:
    """`remove` of such a set, which may not have the value."""
    trace = current()
    assert trace is not None
    missing = functools.partial(raise_in_graph, KeyError(value))
    provided.if_exp(foresee(owner, operator.contains, value), lambda: None, missing)
    if not changed_later(trace, owner, "discard", (value,)):
        refuse_later(owner)


def refuse_pop(owner: set[Any]) -> None:
    """Raises for `pop` of a set: which item that takes depends on the changes of the set before, and no copy tells."""
    raise UnsupportedFunctionError(
        message(
            f"`{name_of(owner)}.pop()` takes an item that depends on earlier changes of the set",
            where(user_source(3)),
            "Take one by a rule, as in `s.remove(min(s))`, or keep a list.",
        )
    )


def foreseen_item(trace: Trace, owner: Any, key: Any) -> Any:
    """`owner[key]`."""
    found = foresee(owner, operator.getitem, key)
    missing = getattr(type(owner), "__missing__", None)
    if missing is not None and "Counter" not in missing.__qualname__:
        changed_later(trace, owner, "__getitem__", (key,))  # it makes an item that is not there
    return found


def refuse_later(owner: Any) -> None:
    raise ControlFlowError(
        message(
            f"`{name_of(owner)}` is changed after a change at a key that a traced value decides",
            where(user_source(3)),
            "Change it before, or in the next call.",
        )
    )


def _caller(name: str, keywords: tuple[str, ...]) -> Callable[..., Any]:
    def read(container: Any, args: Any, kwargs: Any) -> Any:
        found = getattr(container, name)(*args, **kwargs)
        return list(found) if name in _VIEWS else found

    return read


def _changes(journal: Journal, owner: Any) -> list[PendingChange]:
    """The changes of a container so far, in order."""
    found = []
    for place in journal.places():
        if place.owner is not owner:
            continue
        if not isinstance(place, Item):
            found += [_change(o.method, o.args) for o in journal.operations.get(place) or ()]
        elif (value := place.load()) is MISSING:
            found.append(PendingChange(True, "pop", [place.item, None]))
        else:
            found.append(_change("__setitem__", (place.item, value)))
    return found


def _change(method: str, args: tuple[Any, ...]) -> PendingChange:
    happens = next((a.is_set for a in args if type(a) is Maybe), True)
    return PendingChange(happens, method, [a.value if type(a) is Maybe else a for a in args])


def _changed(container: Any, changes: Iterable[Any]) -> Any:
    for happens, method, args in changes:
        if not happens:
            continue
        if method in IN_PLACE:
            key, value = args
            container[key] = IN_PLACE[method](container[key], value)
        elif method in ORDERING:
            ORDERING[method](container, *args)
        else:
            getattr(container, method)(*args)
    return container


def _holds_memory(value: Any) -> bool:
    """True for arrays and objects, which may have aliases."""
    if type(value) in (list, tuple):
        return any(map(_holds_memory, value))
    if isinstance(value, dict):
        return any(map(_holds_memory, value.values()))
    return type(value) is Foreign or isinstance(value, np.ndarray) or (type(value) is Tensor and not _is_number(value))


def _is_shared(value: Any, is_new: bool = False) -> bool:
    """True for lists, dicts and the like that a container holds: a change of one is seen there. `is_new` for the result
    of a read that makes one."""
    if not isinstance(value, list | dict | set | deque | tuple):
        return False
    parts = value.values() if isinstance(value, dict) else value
    return (type(value) is not tuple and not is_new) or any(map(_is_shared, parts))


def _is_number(value: Tensor) -> bool:
    return value._node.type.kind in (Kind.SCALAR, Kind.PYTHON)
