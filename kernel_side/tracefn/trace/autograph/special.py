"""Special methods of the user's classes: what `a[i]`, `len(a)`, `x in a`, `a += b`, `if a` and `with a` call is traced.

What operators call (`a + b`) runs as it is written: rewritten code has the operators themselves.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from ..context import TRACING, current
from ..origin import is_library
from ..tensor import Tensor

_HEAP_TYPE = 1 << 9
_COMMON = frozenset({Tensor, int, float, bool, complex, str, tuple, list, dict, np.ndarray, np.float64, np.int64})
"""Types without such methods, that are looked for first."""


def special(owner: Any, name: str) -> Any:
    """The special method of an object of a class of the user's, rewritten. None where Python or a library has it."""
    cls = type(owner)
    if cls in _COMMON or not TRACING or not cls.__flags__ & _HEAP_TYPE:
        return None
    function = getattr(cls, name, None)
    if type(function) is not types.FunctionType or is_library(function.__code__.co_filename):
        return None
    trace = current()
    return None if trace is None else types.MethodType(trace.function_copy(function), owner)


def truth_of(value: Any) -> Any:
    """What decides where an object of the user's is a condition; any other value as it is."""
    if (mine := special(value, "__bool__")) is not None:
        return mine()
    if not hasattr(type(value), "__bool__") and (mine := special(value, "__len__")) is not None:
        return mine()
    return value


class Entered:
    """A context manager of the user's, whose methods are rewritten."""

    def __init__(self, manager: Any) -> None:
        self._manager = manager

    def __enter__(self) -> Any:
        return (special(self._manager, "__enter__") or self._manager.__enter__)()

    def __exit__(self, *error: Any) -> Any:
        return (special(self._manager, "__exit__") or self._manager.__exit__)(*error)


def is_rewritten(manager: Any) -> bool:
    return special(manager, "__enter__") is not None or special(manager, "__exit__") is not None
