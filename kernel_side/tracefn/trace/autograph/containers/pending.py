"""Refuses code that is not rewritten and finds a container with pending changes (`keyed.py`): in an object, or of a
class of the user's. Code that is given one of Python's own classes reads it in a step (`foreseen.py`)."""

from __future__ import annotations

import gc
import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ...active import TRACING, current
from ...values.graph_list import GraphList
from .changes import refuse_unknown
from .foreseen import CONTAINERS, foresee, is_foreseen


def refuse_pending_inside(*values: Any) -> None:
    """Raises `ControlFlowError` for values through which code finds a container with pending changes."""
    if TRACING and (trace := current()) is not None and trace.root.keyed:
        for value in values:
            _look(trace, value)


def refuse_pending(*values: Any) -> None:
    """The same, also for such containers themselves."""
    if TRACING and (trace := current()) is not None and trace.root.keyed:
        _look_behind(trace, values)


def without_pending(function: Any, called: Callable[..., Any]) -> Callable[..., Any]:
    """What is called for a function that is not rewritten, which is given no such values."""
    if any(function is other for other in _LOOKS_NO_FURTHER):
        return called
    owner = getattr(function, "__self__", None)
    refuse = refuse_pending if called is function else refuse_pending_inside

    is_reading = any(function is other for other in _READ_ALL)

    def call(*args: Any, **kwargs: Any) -> Any:
        if function is sorted and len(args) == 1 and not kwargs and type(args[0]) is set and is_foreseen(args[0]):
            return foresee(args[0], sorted)
        if is_reading:
            args = tuple([foresee(a, list) if is_foreseen(a) else a for a in args])
        refuse(owner, *args, *kwargs.values())
        return called(*args, **kwargs)

    return call


def given_items(owner: Any, name: str, called: Callable[..., Any]) -> Callable[..., Any]:
    """A method of a container, which reads what it is given if it does not keep that."""
    if name in _KEEP or (name == "update" and isinstance(owner, dict)):
        return called

    def call(*args: Any, **kwargs: Any) -> Any:
        if name in _ADD_ALL:
            args = tuple([foresee(a, list) if is_foreseen(a) else a for a in args])
        refuse_pending(*args, *kwargs.values())
        return called(*args, **kwargs)

    return call


_KEEP = frozenset({"append", "appendleft", "insert", "add", "get", "setdefault", "pop", "__setitem__"})
_ADD_ALL = frozenset({"extend", "extendleft"})


_READ_ALL = (all, any, enumerate, filter, map, max, min, sorted, sum, tuple, zip, math.fsum)
"""Functions that read the items of what they are given, in order, and do not keep it."""

_LOOKS_NO_FURTHER = (isinstance, issubclass, callable, id, type, getattr, setattr, hasattr, delattr, super, next)
"""Builtins that read nothing of what an object holds, or of which rewritten code has its own."""


def _look(trace: Any, value: Any) -> None:
    """Raises for such a container that is reached through an object."""
    waiting, met = [value], set(trace.root.keyed)
    while waiting:
        value = waiting.pop()
        if type(value) not in _READ_BY_ITEM:
            _look_behind(trace, value)
        elif id(value) not in met:
            met.add(id(value))
            waiting.extend((*value, *value.values()) if isinstance(value, dict) else _items(value))


_READ_BY_ITEM = CONTAINERS | {tuple, GraphList}


def _look_behind(trace: Any, value: Any) -> None:
    """The same for one that is the value, or that Python reaches from it."""
    waiting, met = [value], {id(trace.root.keyed)}
    while waiting:
        value = waiting.pop()
        refuse_unknown(trace, value)
        if id(value) not in met and not isinstance(value, _NOT_ENTERED) and not _is_ours(type(value)):
            met.add(id(value))
            waiting.extend(_items(value) if type(value) is GraphList else gc.get_referents(value))


def _items(values: Any) -> Any:
    """The items of a container; one that the graph keeps holds arrays and numbers."""
    return () if type(values) is GraphList and values.is_staged else values


_NOT_ENTERED = (
    type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.CodeType, types.FrameType,
    types.TracebackType, types.GeneratorType, np.generic, np.dtype, np.ufunc, str, int, float,
)  # fmt: skip
"""Types that hold no state, or lead to all of a program."""


def _is_ours(cls: type) -> bool:
    module = cls.__module__
    return cls is not GraphList and type(module) is str and module.partition(".")[0] == "tracefn"
