"""Lists, dicts and the like from outside that branches and loops leave: each stays the object that it is."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

from ..active import current
from ..tensor import Tensor
from ..tree import Tree, flatten

NO_CONTAINERS = frozenset({Tensor, int, float, bool, str, type(None)})
"""Types of most values."""

_CONTAINERS = (list, dict, set, deque, OrderedDict, defaultdict, Counter)


def is_outside_container(value: Any) -> bool:
    """True for a container that was there before the call, or has other names: code sees which one it is."""
    if type(value) in NO_CONTAINERS or (trace := current()) is None:
        return False
    if id(value) in trace.root.callers or id(value) in trace.root.living:
        return True
    return (type(value) in _CONTAINERS or _is_dataclass(value)) and trace.is_outside(value)


def _is_dataclass(value: Any) -> bool:
    """True for an object of a dataclass whose fields may change."""
    params = getattr(type(value), "__dataclass_params__", None)
    return params is not None and not params.frozen


def flatten_made(value: Any, path: str) -> tuple[list[tuple[str, Any]], Tree]:
    """The leaves of a value and their structure. Containers from outside are leaves, wherever they are in it."""
    return flatten(value, path, is_outside_container)
