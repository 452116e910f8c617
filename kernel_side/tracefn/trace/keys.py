"""Keys of containers as paths and messages name them."""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any

from ..ir.module_name import module_of


def key_text(key: Any) -> str:
    """The text of a key. One of a class of the user's is not asked: its `__repr__` may raise where it is not complete
    yet, or be traced itself."""
    if type(key) in (str, int):
        return repr(key)
    if type(key) is tuple:
        return f"({', '.join(map(key_text, key))}{',' * (len(key) == 1)})"
    held = type(key).__repr__
    shows = getattr(held, "python_function", held)
    is_users = isinstance(shows, FunctionType) and module_of(shows).partition(".")[0] not in _KNOWN
    return object.__repr__(key) if is_users else repr(key)


def compares_itself(key: Any) -> bool:
    """True for an object of a class of the user's with a written `__eq__`, which may take unequal things for equal,
    raise, or be traced itself. One that it has of the standard library (`Mapping`) asks its other methods."""
    if type(key) in (str, int):
        return False
    if type(key) is tuple:
        return any(map(compares_itself, key))
    held = type(key).__eq__
    compares = getattr(held, "python_function", held)
    if not isinstance(compares, FunctionType) or _is_generated(compares, type(key)):
        return False
    return any(module_of(written).partition(".")[0] not in _KNOWN for written in (compares, type(key)))


def _is_generated(compares: FunctionType, cls: type) -> bool:
    """True for the `__eq__` that a dataclass has without writing one."""
    return compares.__code__.co_filename == "<string>" and hasattr(cls, "__dataclass_fields__")


_KNOWN = sys.stdlib_module_names | {"numpy"}
