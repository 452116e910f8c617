"""Lists, dicts, objects from outside that branches and loops leave: each stays the object that it is."""

from __future__ import annotations

import dataclasses
import enum
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

import numpy as np

from ...ir.module_name import module_of
from ..active import current
from ..libraries import is_foreign_class
from ..tensor import Tensor
from ..tree import Tree, flatten

NO_CONTAINERS = frozenset({Tensor, int, float, bool, str, type(None)})
"""Types of most values."""

_CONTAINERS = (list, dict, set, deque, OrderedDict, defaultdict, Counter)


_CHANGEABLE = (list, dict, set, deque, bytearray)
"""Containers that rounds may change: a name then keeps the one that it has."""


def may_change(value: Any) -> bool:
    """True for containers whose contents may change."""
    return type(value) is not Tensor and isinstance(value, _CHANGEABLE)  # a Tensor is asked for its class


def is_outside_container(value: Any) -> bool:
    """True for a container, or an object of a class of the user's, that was there before the call, or has other names:
    code sees which one it is."""
    if type(value) in NO_CONTAINERS or (trace := current()) is None:
        return False
    if id(value) in trace.root.callers or id(value) in trace.root.living:
        return True
    return (type(value) in _CONTAINERS or _has_objects(type(value))) and trace.is_outside(value)


def is_outside_object(value: Any) -> bool:
    """The same for an object of a class of the user's alone."""
    return _has_objects(type(value)) and is_outside_container(value)


def has_address(value: Any) -> bool:
    """True for an object that is one at all calls: objects of dataclasses may be arguments, which others replace."""
    return is_outside_object(value) and not dataclasses.is_dataclass(value)


def _has_objects(cls: type) -> bool:
    """True for a class of the user's with attributes that may change."""
    params = getattr(cls, "__dataclass_params__", None)
    if params is not None:
        return not params.frozen
    return bool(cls.__flags__ & _HEAP_TYPE) and not issubclass(cls, _OTHERS) and not _is_of_package(cls)


def _is_of_package(cls: type) -> bool:
    """True for a class of tracefn's, or of a library, whose objects are used in steps of the graph."""
    return module_of(cls).partition(".")[0] == __name__.partition(".")[0] or is_foreign_class(cls)


_HEAP_TYPE = 1 << 9
_OTHERS = (np.ndarray, np.generic, int, float, complex, str, bytes, tuple, type, enum.Enum, BaseException)


def flatten_made(value: Any, path: str) -> tuple[list[tuple[str, Any]], Tree]:
    """The leaves of a value and their structure. Containers from outside are leaves, wherever they are in it."""
    return flatten(value, path, is_outside_container)
