"""Calls that have an effect while tracing alone: they are reported with their line."""

from __future__ import annotations

import io
import logging
import warnings
from typing import Any

from ..context import current
from ..origin import user_source
from ..tensor import FORMATTING

_OUTPUT = "tracefn.print runs at each call."
_INPUT = "Pass the value as an argument, or read it with tracefn.py_function at each call."
_LOGGED = {"debug", "info", "warning", "error", "exception", "critical", "log"}


def note(kind: str, text: str, alternative: str, depth: int = 3) -> None:
    """Reports an effect of the line that is running, once."""
    trace = current()
    if trace is not None:
        trace.note_effect(kind, text, alternative, user_source(depth))


def note_call(function: Any) -> None:
    """Reports a call, if it has an effect."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, io.IOBase):
        note("file", f"a file's `{function.__name__}` runs while tracing alone", _INPUT, 5)
    elif function is warnings.warn:
        note(
            "warning",
            "`warnings.warn` runs while tracing alone",
            "tracefn.py_function(warnings.warn, [...]) runs at each call.",
            5,
        )
    elif function.__name__ in _LOGGED and (isinstance(owner, logging.Logger) or function.__module__ == "logging"):
        note(
            "log",
            f"`{function.__name__}` of logging runs while tracing alone",
            "tracefn.py_function(logging.info, [...]) runs at each call.",
            5,
        )


def noted_print(*args: Any, **kwargs: Any) -> None:
    note("print", "`print` runs while tracing alone", _OUTPUT)
    trace = current()
    if trace is not None and trace.root.leaves_nothing:
        return
    around, FORMATTING.is_shown = FORMATTING.is_shown, trace is not None and trace.is_branch
    try:  # a loop on trial is unrolled for what each round prints; what a branch in it prints is shown once anyway
        print(*map(_shown, args), **kwargs)
    finally:
        FORMATTING.is_shown = around


def _shown(value: Any) -> Any:
    """A value as `print` shows it: an object whose class is the user's by what its rewritten `__str__` gives."""
    from .texts import text_of_object

    given = text_of_object(value, "__str__")
    return value if given is None else given
