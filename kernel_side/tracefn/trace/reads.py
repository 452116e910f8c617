"""What variables hold, in the place of variables."""

from __future__ import annotations

from typing import Any

from .active import current
from .kinds import is_variable
from .tree import flatten, map_leaves


def as_value(value: Any) -> Any:
    """What a variable holds, a Tensor in a trace; any other value as it is."""
    return value.value() if is_variable(value) else value


def in_trace(value: Any) -> Any:
    """The Tensor of what a variable holds, in a trace; any other value as it is."""
    return as_value(value) if current() is not None else value


def all_in_trace(value: Any) -> Any:
    """The structure with such Tensors in the place of variables."""
    if current() is None or not any(is_variable(v) for _, v in flatten(value)[0]):
        return value
    return map_leaves(lambda path, leaf: as_value(leaf), value)
