"""Whether the source of a function is the one that it was compiled from: files are edited while a program runs, and
modules are reloaded."""

from __future__ import annotations

import ast
import dis
import os
import time
import types

from ...code.bytecode import instructions
from ...code.compiled import compiled_before
from .syntax import nested_class, nested_function, placed

_SINCE = time.time()
"""When this program began: modules are imported later, and files may be edited after that."""


def was_edited(file: str) -> bool:
    """True for a file that is newer than this program."""
    try:
        return os.stat(file).st_mtime >= _SINCE - 1
    except OSError:
        return False


def is_compiled_from(code: types.CodeType, function: ast.FunctionDef, class_name: str, futures: int) -> bool:
    """True if a code object is that of a definition (of a lambda, if its name says so)."""
    body: list[ast.stmt] = [function]
    if code.co_name == "<lambda>":
        returned = function.body[0]
        assert isinstance(returned, ast.Return) and returned.value is not None
        body = [placed(ast.Return(placed(ast.Lambda(function.args, returned.value), function)), function)]
    elif class_name:  # names that begin with `__` have that of the class in them
        body = [nested_class(class_name, body, function)]
    name = class_name or function.name  # a global of the file, and no variable of a function around it here
    if code.co_name != "<lambda>" and name not in code.co_freevars:
        body = [placed(ast.Global([name]), function), *body]
    around = nested_function("tracefn_around", body, [n for n in code.co_freevars if n != "__class__"], function)
    if "__class__" in code.co_freevars and not class_name:
        return True  # it was not defined where its name says
    module = ast.fix_missing_locations(ast.Module([around], []))
    with compiled_before():
        found = compile(module, code.co_filename, "exec", dont_inherit=True, flags=futures)
    while found.co_name != code.co_name:
        inner = [c for c in found.co_consts if isinstance(c, types.CodeType)]
        found = next((c for c in inner if c.co_name == code.co_name), inner[0])
    return _are_alike(found, code)


def _are_alike(one: types.CodeType, other: types.CodeType) -> bool:
    names = ("co_name", "co_names", "co_varnames", "co_freevars", "co_cellvars")
    if any(getattr(one, name) != getattr(other, name) for name in names) or _steps(one) != _steps(other):
        return False
    return len(one.co_consts) == len(other.co_consts) and all(map(_are_equal, one.co_consts, other.co_consts))


def _steps(code: types.CodeType) -> list[tuple[str, str]]:
    """The steps of the instructions. How an attribute of an imported module is called depends on the rest of the file,
    and so do distances of jumps."""
    steps = [("LOAD_ATTR" if name == "LOAD_METHOD" else name, value) for name, value in instructions(code)]
    return [(name, _shown(value) if name not in _JUMPS else "") for name, value in steps if name not in _NO_STEPS]


def _shown(value: object) -> str:
    return repr(value) if type(value) in (int, float, complex, str) and "<locals>." not in str(value) else ""


_JUMPS = {dis.opname[op] for op in (*dis.hasjrel, *dis.hasjabs)}
_NO_STEPS = {"CACHE", "PUSH_NULL", "PRECALL", "RESUME", "NOP", "EXTENDED_ARG", "NOT_TAKEN"}


def _are_equal(one: object, other: object) -> bool:
    if isinstance(one, types.CodeType) and isinstance(other, types.CodeType):
        return _are_alike(one, other)
    if isinstance(one, str) and isinstance(other, str) and "<locals>." in one:  # the name of a class in it
        return other.endswith(one.removeprefix("tracefn_around.<locals>."))
    return type(one) is type(other) and repr(one) == repr(other)
