"""Refuses the user's functions that cannot be rewritten and whose reads or writes would not be recorded."""

from __future__ import annotations

import inspect
import types
from typing import Any

from ....errors import UnsupportedFunctionError, message
from ....ir.graph import Source
from ...bytecode import instructions
from ...origin import where
from ...state.resolve import MUTATORS
from ..rewrite.convert import is_kept


def refuse_unseen(fn: Any, is_called: bool = True) -> None:
    """Raises for a function that is not rewritten, if it changes or reads something in a way that is not recorded.

    `is_called` where the trace calls it: an `__init__` that is generated then sets attributes of a new object.
    """
    code = fn.__code__
    if is_kept(code):
        return
    what = ""
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        what = "is a generator or coroutine"
    elif not (is_called and code.co_name == "__init__") and _changes_places(code):
        what = "changes more than its own variables"
    elif any(name == "LOAD_GLOBAL" and argument in _BY_NAME for name, argument in instructions(code)):
        what = "reads variables through `eval`, `exec`, `locals` or `dir`"
    if not what:
        return
    raise UnsupportedFunctionError(
        message(
            f"`{fn.__qualname__}` {what} and cannot be rewritten: its reads and writes are not recorded",
            where(Source(code.co_filename, code.co_firstlineno)),
            "Call it outside the traced function, and pass what it gives.",
        )
    )


def _changes_places(code: types.CodeType) -> bool:
    """True for code that sets attributes, globals or variables of outer functions, or changes a container. What it
    writes into arrays is seen."""
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


_BY_NAME = {"eval", "exec", "locals", "vars", "dir"}
_STORES = {"STORE_ATTR", "STORE_GLOBAL", "DELETE_ATTR", "DELETE_GLOBAL"}
