"""What later parts of the package do for traced functions: a registry that is filled when they are imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_ADDED: dict[str, Callable[..., Any]] = {}


def adds(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a function as what `added(name)` gives."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _ADDED[name] = function
        return function

    return register


def added(name: str) -> Callable[..., Any]:
    """The function that is registered under this name."""
    return _ADDED[name]
