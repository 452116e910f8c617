"""The iterators that the code of a branch or loop finds around it."""

from __future__ import annotations

import functools
import types
from typing import Any

import numpy as np

from .tensor import Tensor

MOST = 256
"""Functions and variables that are looked at."""

_EMPTY = types.CellType()
_LEAVES = frozenset({Tensor, np.ndarray, bool, int, float, str, tuple, list, dict, type(None)})
"""Types of most variables: they hold none."""


def iterators_around(function: Any) -> dict[int, Any]:
    """The iterators in the variables of a function, and in those of functions among these, by their ids."""
    found: dict[int, Any] = {}
    seen: set[int] = set()
    stack = [function]
    while stack and len(seen) < MOST:
        value = stack.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, types.FunctionType):
            held = [cell.cell_contents for cell in value.__closure__ or () if cell != _EMPTY]
            stack += [each for each in held if type(each) not in _LEAVES]
        elif isinstance(value, functools.partial):
            stack += [value.func, *value.args]
        elif isinstance(value, types.MethodType):
            stack.append(value.__func__)
        elif hasattr(type(value), "__next__"):
            found[id(value)] = value
    return found
