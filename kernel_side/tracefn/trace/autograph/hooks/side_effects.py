"""Calls that have an effect while tracing alone: they are reported with their line."""

from __future__ import annotations

import functools
import io
import sys
from typing import Any

from ....errors import UnsupportedFunctionError, message
from ...active import current
from ...effects import print_
from ...libraries import is_logger
from ...origin import user_source, where
from ...tensor import Tensor
from ...tensor_parts.formatting import FORMATTING
from ...tree import flatten
from ...values.symbolic_int import SymbolicInt
from ...values.traced_text import Text
from .texts import text_of_object

_OUTPUT = "tracefn.print runs at each call."
_SHOWING = {"sep", "end", "flush"}
_LOGGED = {"debug", "info", "warning", "error", "exception", "critical", "log"}


def note(kind: str, text: str, alternative: str, depth: int = 3) -> None:
    """Reports an effect of the line that is running, once."""
    trace = current()
    if trace is not None:
        trace.note_effect(kind, text, alternative, user_source(depth))


def later(function: Any) -> Any:
    """A function that logs, which is done when the trace is made; any other function as it is."""
    owner = getattr(function, "__self__", None)
    if function.__name__ not in _LOGGED or not (is_logger(owner) or getattr(function, "__module__", "") == "logging"):
        return function
    note(
        "log",
        f"`{function.__name__}` of logging runs while tracing alone",
        "tracefn.py_function(logging.info, [...]) runs at each call.",
        5,
    )
    trace = current()
    assert trace is not None
    if trace.root.leaves_nothing:
        return lambda *args, **kwargs: None
    return lambda *args, **kwargs: trace.root.printed.append(functools.partial(function, *args, **kwargs))


def noted_print(*args: Any, **kwargs: Any) -> None:
    if current() is not None and kwargs.get("file") not in (None, sys.stdout, sys.stderr):
        raise UnsupportedFunctionError(
            message(
                "`print` writes to a file, which each call has to do",
                where(user_source(3)),
                "Return the text, or print it with tracefn.py_function.",
            )
        )
    trace = current()
    if trace is not None and trace.root.leaves_nothing:
        return
    if trace is not None and trace.is_branch and any(map(_is_of_a_call, args)) and kwargs.keys() <= _SHOWING:
        kwargs.pop("flush", None)
        print_(*map(_shown, args), **kwargs)  # the branch may be one that no call takes, and only a call has the values
        return
    note("print", "`print` runs while tracing alone", _OUTPUT)
    if trace is None:
        print(*args, **kwargs)
        return
    around, FORMATTING.is_shown = FORMATTING.is_shown, trace.is_branch
    text, file = io.StringIO(), kwargs.pop("file", None)
    try:  # a loop on trial is unrolled for prints of rounds; prints of a branch in it are shown once anyway
        print(*map(_shown, args), file=text, **kwargs)
    finally:
        FORMATTING.is_shown = around
    trace.root.printed.append(lambda: print(text.getvalue(), end="", file=file, flush=kwargs.get("flush", False)))


def _is_of_a_call(value: Any) -> bool:
    """True for a traced value or a text of some, and for a container of one."""
    return any(type(leaf) in (Tensor, SymbolicInt, Text) for _, leaf in flatten(value)[0])


def _shown(value: Any) -> Any:
    """A value as `print` shows it: an object whose class is the user's by its rewritten `__str__`."""

    given = text_of_object(value, "__str__")
    return value if given is None else given
