"""The name of the module of a class or a function."""

from __future__ import annotations

from typing import Any


def module_of(found: Any) -> str:
    """The module of a class or a function. Empty where it has none, as in code that `exec` runs in a bare namespace."""
    module = found.__module__
    return module if isinstance(module, str) else ""
