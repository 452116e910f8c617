"""Functions of the user's that cannot be rewritten: refused where they change something, which nobody would see."""

from __future__ import annotations

import inspect
import types
from typing import Any

from ...errors import UnsupportedFunctionError, message
from ...ir.graph import Source
from ..bytecode import instructions
from ..origin import where
from ..state.resolve import MUTATORS
from .convert import is_kept


def refuse_unseen(fn: Any) -> None:
    """Raises for a function that is not rewritten, where what it changes would not be seen."""
    code = fn.__code__
    if is_kept(code):
        return
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        what = "is a generator or coroutine"
    elif code.co_name != "__init__" and _changes_places(code):  # one that is generated sets attributes of a new object
        what = "changes more than variables of its own, and"
    else:
        return
    what = f"`{fn.__qualname__}` {what}{' that' if what.startswith('is') else ''} cannot be rewritten"
    raise UnsupportedFunctionError(
        message(
            f"{what}: what it changes is not seen",
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


_STORES = {"STORE_ATTR", "STORE_GLOBAL", "DELETE_ATTR", "DELETE_GLOBAL"}
