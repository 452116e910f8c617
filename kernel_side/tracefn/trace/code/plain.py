"""The Python function behind a traced one that a class has, and attributes that are read without running code of the
user's."""

from __future__ import annotations

from types import FunctionType, MappingProxyType
from typing import Any

from .bound import is_traced_function


def plain(value: Any) -> Any:
    """The Python function of a traced function: methods, properties and special methods may be decorated. Any other
    value as it is."""
    if type(value) is FunctionType or not hasattr(type(value), "concrete_functions"):
        return value
    function = value.python_function
    return function if type(function) is FunctionType else value


def stored(value: Any, name: str, default: Any = None) -> Any:
    """An attribute that an object or its class has. `__getattr__` and `__getattribute__` of the user's are not asked:
    they may count the reads of eager code."""
    own = type(value).__getattribute__
    read: Any = object.__getattribute__ if own is object.__getattribute__ or type(own) is FunctionType else getattr
    try:
        return read(value, name)
    except AttributeError:
        return default


def holds(owner: Any, name: str) -> bool:
    """True for a name in the dict of an object itself. In a class method, `super().__dict__` is no dict."""
    kept = stored(owner, "__dict__")
    return isinstance(kept, dict | MappingProxyType) and name in kept


def seen(value: Any, name: str) -> Any:
    """An attribute of anything, None where there is none. A `__getattr__` of the user's is not asked: it may have
    effects, or be the traced function that looks at its arguments."""
    cls = type(value)
    if hasattr(cls, "__getattr__") and not is_traced_function(value):
        return None
    return None if isinstance(plain(cls.__getattribute__), FunctionType) else getattr(value, name, None)
