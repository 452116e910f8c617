"""Traced functions of tracefn's own code, as derivatives are: what each computes of the function that it has."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

from ...trace.origin import is_own_function
from .allowed import code_hash

MADE_OF = "function"
"""The variable of such a function that holds what it is made of. Its other names are those of tracefn's own code."""


def made_as(function: types.FunctionType) -> str:
    """What such a function computes, of what it is made of: its attribute `__tracefn_made_as__`. Empty for others."""
    return getattr(function, "__tracefn_made_as__", "") if is_own_function(function) else ""


def identity_of(function: types.FunctionType) -> Iterator[str]:
    """What distinguishes a function from others: its name and its code, and those of what it is made of."""
    yield from (function.__module__, function.__qualname__, code_hash(function.__code__), made_as(function))
    if made_as(function):
        held: Any = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))[MADE_OF]
        inner = getattr(held.cell_contents, "python_function", held.cell_contents)
        if type(inner) is types.FunctionType:
            yield from identity_of(inner)
