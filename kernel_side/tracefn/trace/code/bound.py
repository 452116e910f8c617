"""Traced functions and their methods, recognised by their attributes."""

from __future__ import annotations

import functools
import types
from typing import Any


def is_bound(value: Any) -> bool:
    """True for a traced method with its object."""
    kinds = types.MethodType | functools.partial
    return isinstance(value, kinds) and is_traced_function(getattr(value, "__func__", None))


def is_traced_function(value: Any) -> bool:
    return hasattr(type(value), "concrete_functions") or is_bound(value)
