"""The identity of a function's source, equal for all made from it: by a cell that is run again, a lambda in a loop."""

from __future__ import annotations

import functools
from collections.abc import Hashable
from types import CodeType, FunctionType
from typing import Any

SIMPLE = (str, bytes, bool, int, float, complex, type(None))
"""Types of values that are compared by value; all others by identity."""


def source_of(function: Any) -> Hashable:
    """Equal for functions, traced or not, of the same code, with equal closures, defaults and options. None for
    objects that are no Python functions."""
    plain = getattr(function, "python_function", function)
    if not isinstance(plain, FunctionType):
        return None
    return (
        id(plain.__globals__),
        plain.__qualname__,
        _code(plain.__code__),
        tuple([_cell(c) for c in plain.__closure__ or ()]),
        tuple([_value(v) for v in plain.__defaults__ or ()]),
        tuple([(n, _value(v)) for n, v in (plain.__kwdefaults__ or {}).items()]),
        repr(getattr(function, "options", None)),
    )


@functools.lru_cache(maxsize=1024)
def _code(code: CodeType) -> Hashable:
    constants = tuple([_code(c) if isinstance(c, CodeType) else (type(c), repr(c)) for c in code.co_consts])
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return (code.co_code, code.co_exceptiontable, constants, counts, names)


def _cell(cell: Any) -> Hashable:
    try:
        return _value(cell.cell_contents)
    except ValueError:
        return "empty"


def _value(value: Any) -> Hashable:
    if isinstance(value, int):  # as text it may have too many digits
        return (type(value), int(value))
    return (type(value), repr(value) if isinstance(value, SIMPLE) else id(value))
