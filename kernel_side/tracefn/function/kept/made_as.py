"""The identity of a traced function in tracefn's own code, such as a derivative: its computation and its function."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

from ...ir.module_name import module_of
from ...trace.origin import is_own_function
from .allowed import code_hash

MADE_OF = "function"
"""The free variable that holds the user's function. All other names are of tracefn's own code."""


def made_as(function: types.FunctionType) -> str:
    """The computation of such a function, from its attribute `__tracefn_made_as__`. Empty for other functions."""
    return getattr(function, "__tracefn_made_as__", "") if is_own_function(function) else ""


def identity_of(function: types.FunctionType) -> Iterator[str]:
    """The parts of a function's identity: its name and code, and the name and code of the function that it holds."""
    yield from (module_of(function), function.__qualname__, code_hash(function.__code__), made_as(function))
    if made_as(function):
        of: Any = function.__tracefn_of__  # type: ignore[attr-defined]
        inner = getattr(of, "python_function", of)
        if type(inner) is types.FunctionType:
            yield from identity_of(inner)
