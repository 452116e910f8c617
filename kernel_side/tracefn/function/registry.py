"""The traced functions that exist, by their ids: for code that knows a function by its events alone."""

from __future__ import annotations

import weakref
from typing import Generic, Protocol, TypeVar


class HasId(Protocol):
    @property
    def function_id(self) -> str: ...


F = TypeVar("F", bound=HasId)


class Registry(Generic[F]):
    """Functions of one class, by their ids."""

    def __init__(self) -> None:
        self._functions: weakref.WeakValueDictionary[str, F] = weakref.WeakValueDictionary()

    def remember(self, function: F) -> None:
        """Makes a function known. Of several with one id (a cell that was run again) it is the last."""
        self._functions[function.function_id] = function

    def living(self, function_id: str) -> F | None:
        """The function with this id, None if it is gone."""
        return self._functions.get(function_id)
