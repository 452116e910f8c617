"""What variables hold, in the place of variables."""

from __future__ import annotations

from typing import Any

from ..active import current
from ..tree import flatten, map_leaves


def is_variable(value: Any) -> bool:
    return hasattr(type(value), "__tracefn_tensor__") and not is_choice(value)


def is_choice(value: Any) -> bool:
    """True for a `OneOf`: a traced number says what it is."""
    return hasattr(type(value), "__tracefn_choice__")


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
