"""The names of definitions in a rewritten function: `outer.<locals>.Point`, as where it is not rewritten."""

from __future__ import annotations

import inspect
import types

from ...code.rewritten import REWRITTEN
from ...trace_parts.scopes import is_part_of_function


def with_names_as_written(code: types.CodeType, name: str, qualname: str) -> types.CodeType:
    """The code of a rewritten function or class, or of a part of it, in which functions and classes have the names that
    they have in the function as it is written. `name` and `qualname` are those of the code itself there. Functions
    of blocks have the name of the function that they are parts of: tracebacks show it."""
    made = code.co_qualname
    constants: list[object] = []
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            constant = _inner_as_written(constant, made, name, qualname)
        elif _is_class(code) and constant == made:
            constant = qualname  # the start of a class body: `__qualname__ = ...`
        constants.append(constant)
    return code.replace(co_consts=tuple(constants))


def _inner_as_written(code: types.CodeType, made: str, name: str, qualname: str) -> types.CodeType:
    """The same for a code in another one, which is `made` with one qualified name and written with another."""
    if is_part_of_function(code):
        return with_names_as_written(code, name, qualname).replace(co_name=name)
    own = code.co_qualname
    own = qualname + own.removeprefix(made) if own.startswith(f"{made}.") else own  # else one that is `global`
    code = with_names_as_written(code, code.co_name, own)
    if _is_class(code) or REWRITTEN not in code.co_qualname:
        return code
    return code.replace(co_qualname=own, co_consts=(*code.co_consts, REWRITTEN))


def _is_class(code: types.CodeType) -> bool:
    return not code.co_flags & inspect.CO_OPTIMIZED
