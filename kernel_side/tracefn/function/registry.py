"""The traced functions that exist, by their ids: for what knows a function by its events alone."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .traced import Function

_FUNCTIONS: weakref.WeakValueDictionary[str, Function] = weakref.WeakValueDictionary()


def remember(function: Function) -> None:
    """Makes a function known. Of several with one id (a cell that was run again) it is the last."""
    _FUNCTIONS[function.function_id] = function


def living(function_id: str) -> Function | None:
    """The function with this id, None if it is gone."""
    return _FUNCTIONS.get(function_id)
