"""Refuses the user's functions that cannot be rewritten and whose reads or writes would not be recorded."""

from __future__ import annotations

import builtins
import inspect
import types
from typing import Any

import numpy as np

from ....errors import UnsupportedFunctionError, message
from ....ir.place import Source
from ...active import current
from ...code.bytecode import instructions
from ...origin import is_users, where
from ...state.reads import MUTATORS
from ..rewrite.convert import is_marked


def refuse_unseen(fn: Any, is_called: bool = True) -> None:
    """Raises for a function that is not rewritten, if it changes or reads something in a way that is not recorded.

    `is_called` where the trace calls it: an `__init__` that is generated then sets attributes of a new object.
    """
    code = fn.__code__
    if is_marked(code):
        return
    what = ""
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        what = "is a generator or coroutine"
    elif not (is_called and code.co_name == "__init__") and _changes_places(code):
        what = "changes more than its own variables"
    elif any(name == "LOAD_GLOBAL" and argument in _BY_NAME for name, argument in instructions(code)):
        what = "reads variables through `eval`, `exec`, `locals` or `dir`"
    elif not (is_called and (_is_generated(code) or _is_of_one_call())) and (
        outside := uses_outside(fn, code, is_called)
    ):
        what = f"uses {outside}"
    if not what:
        return
    raise UnsupportedFunctionError(
        message(
            f"`{fn.__qualname__}` {what} and cannot be rewritten: its reads and writes are not recorded",
            where(Source(code.co_filename, code.co_firstlineno)),
            "Call it outside the traced function, and pass the result.",
        )
    )


def _changes_places(code: types.CodeType) -> bool:
    """True for code that sets attributes, globals or variables of outer functions, or changes a container. Writes
    into arrays are seen."""
    previous: tuple[str, Any] = ("", None)
    for name, argument in instructions(code):
        if name in _STORES and argument not in ("shape", "flat", "real", "imag"):
            return True
        if name == "STORE_DEREF" and argument in code.co_freevars:
            return True
        if name in ("LOAD_METHOD", "LOAD_ATTR") and argument in MUTATORS - {"sort"}:  # arrays have one, too
            if previous[0] in ("LOAD_GLOBAL", "LOAD_DEREF", "LOAD_ATTR") and previous[1] not in ("np", "numpy"):
                return True
        previous = name, argument
    return any(_changes_places(c) for c in code.co_consts if isinstance(c, types.CodeType))


def _is_generated(code: types.CodeType) -> bool:
    """True for a special method that dataclasses and named tuples make: it uses its arguments alone."""
    return code.co_filename == "<string>" and code.co_name.startswith("__")


def _is_of_one_call() -> bool:
    """True in a trace for one call: that another one may find something else does not matter to it."""
    trace = current()
    return trace is not None and trace.root.value_now is not None


def uses_outside(fn: Any, code: types.CodeType, is_called: bool, around: tuple[types.CodeType, ...] = ()) -> str:
    """The state that code without hooks uses and that may differ at the next call, in words; '' for none.

    It may use its arguments, constants, numbers and arrays from outside, which are found in its bytecode, and NumPy's
    functions. The arguments of a function that `is_called` may be iterators, which it must not advance.
    """
    cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
    modules: Any = None  # the module that an attribute is read of
    for name, argument in instructions(code):
        module, modules = modules, None
        if name == "PUSH_NULL":  # stands between a module and nothing else
            modules = module
        elif name in ("LOAD_GLOBAL", "LOAD_NAME"):
            value = fn.__globals__.get(argument, getattr(builtins, argument, _UNKNOWN))
            if isinstance(value, types.ModuleType) and value.__name__.partition(".")[0] in ("numpy", "math"):
                modules = value
            elif isinstance(value, types.FunctionType) and _uses_nothing(value, (*around, code)):
                continue
            elif not _is_fixed(value) and not _is_harmless(value, is_called):
                return f"the global variable `{argument}`"
        elif name in ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF") and argument in cells:
            if not _is_fixed(_held_by(cells[argument])):
                return f"`{argument}` of an outer function"
        elif name in ("LOAD_ATTR", "LOAD_METHOD"):
            if module is not None:
                value = getattr(module, argument, None)
                modules = value if isinstance(value, types.ModuleType) else None
                if module is np.random or getattr(np.random, argument, _UNKNOWN) is value:
                    return f"`np.random.{argument}`"
            elif not hasattr(np.ndarray, argument):
                return f"the attribute `{argument}` of an object"
        elif name in _STRANGE or (is_called and name in _ADVANCING):
            return "statements that are followed in rewritten code alone"
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return next((found for c in inner if (found := uses_outside(fn, c, is_called, around))), "")


def _uses_nothing(fn: types.FunctionType, around: tuple[types.CodeType, ...]) -> bool:
    """True for a function of the user's that uses nothing outside, and calls only such. `around` are those that call
    it."""
    code = fn.__code__
    return code in around or (
        is_users(fn) and not _changes_places(code) and not uses_outside(fn, code, True, (*around, code))
    )


def _held_by(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _UNKNOWN


def _is_fixed(value: Any) -> bool:
    """True for a value that is guarded or an input, and does nothing of its own when it is used."""
    return value is None or type(value) in _FIXED


def _is_harmless(value: Any, is_called: bool) -> bool:
    """True for a function or class whose calls depend on their arguments alone."""
    if is_called:
        return any(value is known for known in _OF_VALUES)
    return any(value is known for known in (*_OF_VALUES, *_OF_ITERATORS))


def _builtins(names: str) -> tuple[Any, ...]:
    return tuple([getattr(builtins, name) for name in names.split()])


_UNKNOWN = object()
"""Stands for a value that is not there."""

_FIXED = (bool, int, float, complex, str, bytes, np.ndarray, np.dtype, *np.sctypeDict.values())
"""Types of values that a trace guards or takes as inputs. A tuple, as types of the user's may have no hash."""

_OF_VALUES = _builtins("abs bool complex divmod float int isinstance len pow print range round slice type str repr")
"""Builtins that depend on the values of their arguments alone, and advance no iterator."""

_OF_ITERATORS = _builtins("all any dict enumerate filter iter list map max min next reversed set sorted sum tuple zip")
"""Builtins that may advance an iterator that is their argument."""

_STRANGE = frozenset(
    {"IMPORT_NAME", "LOAD_BUILD_CLASS", "LOAD_SUPER_ATTR", "BEFORE_WITH", "LOAD_SPECIAL", "SETUP_WITH"}
)
"""Instructions of statements that rewritten code alone records: imports, classes, `super`, `with`."""

_ADVANCING = frozenset(
    {"GET_ITER", "FOR_ITER", "UNPACK_SEQUENCE", "UNPACK_EX", "LIST_EXTEND", "SET_UPDATE", "CALL_FUNCTION_EX"}
)
"""Instructions that may advance an iterator."""

_BY_NAME = frozenset({"eval", "exec", "locals", "vars", "dir"})
"""Builtins that read variables by their names."""

_STORES = frozenset({"STORE_ATTR", "STORE_GLOBAL", "DELETE_ATTR", "DELETE_GLOBAL"})
"""Instructions that change attributes and global variables."""
