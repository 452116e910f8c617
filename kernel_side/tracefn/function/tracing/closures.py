"""Functions that traced code defines: each call makes them anew, from the original code and with fresh variables."""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from typing import Any

from ...trace.autograph import HELPERS
from ...trace.code.metadata import copy_metadata
from ...trace.code.rewritten import REWRITTEN
from ...trace.context import Trace


def is_defined(trace: Trace, function: types.FunctionType) -> bool:
    """True for a function that the traced code has defined."""
    return HELPERS in trace.original_function(function).__globals__


def written_code(function: types.FunctionType, outer: Iterable[types.FunctionType]) -> types.CodeType | None:
    """The original code of a function, one of the constants of the `outer` functions. None if it is not found or
    ambiguous."""
    code = function.__code__
    found = {c for f in outer for c in _inner(f.__code__) if _is_like(c, code)}
    return found.pop() if len(found) == 1 else None


def _inner(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _inner(constant)


def _is_like(written: types.CodeType, rewritten: types.CodeType) -> bool:
    return (
        written.co_filename == rewritten.co_filename
        and written.co_firstlineno == rewritten.co_firstlineno
        and written.co_name == rewritten.co_name
        and _parameters(written) == _parameters(rewritten)
        and set(written.co_freevars) <= set(rewritten.co_freevars)
    )


def _parameters(code: types.CodeType) -> tuple[Any, ...]:
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
    return code.co_argcount, code.co_posonlyargcount, code.co_varnames[:count]


def cells_of(function: types.FunctionType) -> dict[str, types.CellType]:
    """The variables of outer functions that a function uses, by name."""
    return dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))


def made_function(
    code: types.CodeType,
    namespace: dict[str, Any],
    like: types.FunctionType,
    cells: tuple[types.CellType, ...],
    defaults: tuple[Any, ...] | None,
    keyword_defaults: dict[str, Any] | None,
) -> types.FunctionType:
    """The function object of a `def`."""
    made = types.FunctionType(code, namespace, like.__name__, defaults, cells)
    copy_metadata(made, like)
    if REWRITTEN in made.__qualname__:
        made.__qualname__ = code.co_qualname
    made.__kwdefaults__ = keyword_defaults
    return made
