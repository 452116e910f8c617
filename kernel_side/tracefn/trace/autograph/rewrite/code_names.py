"""The names of definitions in a rewritten function: `outer.<locals>.Point`, as where it is not rewritten."""

from __future__ import annotations

import inspect
import types

from ...code.rewritten import REWRITTEN
from ...trace_parts.scopes import is_part_of_function


def with_names_as_written(code: types.CodeType, name: str, qualname: str) -> types.CodeType:
    """The code of a rewritten function, with its name and qualified name as it is written, and so the functions and
    classes in it. Functions of blocks have the name of the function that they are parts of: tracebacks show it."""
    constants = _constants_as_written(code, name, qualname)
    return code.replace(co_name=name, co_qualname=qualname, co_consts=constants)


def _constants_as_written(code: types.CodeType, name: str, qualname: str) -> tuple[object, ...]:
    """The constants of a function or class, or of a part of one, which is called so where it is written."""
    made = code.co_qualname
    constants: list[object] = []
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            constant = _inner_as_written(constant, made, name, qualname)
        elif _is_class(code) and constant == made:
            constant = qualname  # the start of a class body: `__qualname__ = ...`
        constants.append(constant)
    return tuple(constants)


def _inner_as_written(code: types.CodeType, made: str, name: str, qualname: str) -> types.CodeType:
    """The same for a code in another one, which is `made` with one qualified name and written with another."""
    if is_part_of_function(code):
        return code.replace(co_name=name, co_consts=_constants_as_written(code, name, qualname))
    own = code.co_qualname
    own = qualname + own.removeprefix(made) if own.startswith(f"{made}.") else own  # else one that is `global`
    constants = _constants_as_written(code, code.co_name, own)
    if _is_class(code) or REWRITTEN not in code.co_qualname:
        return code.replace(co_consts=constants)
    return code.replace(co_qualname=own, co_consts=(*constants, REWRITTEN))


def _is_class(code: types.CodeType) -> bool:
    return not code.co_flags & inspect.CO_OPTIMIZED
