"""Methods of exceptions in rewritten code: their writes are recorded."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from ....errors import UnsupportedFunctionError, message
from ... import provided
from ...context import Trace
from ...origin import user_source, where
from ...state.place import Attribute
from ...values.traced_text import Text
from ..containers.changes import name_of, will_change
from ..special import HEAP_TYPE
from .attributes import get_attribute, has_attribute, set_attribute


def method_of_error(function: Any) -> Callable[..., Any] | None:
    """The replacement of a method in C of an exception. None for those that change nothing."""
    error = function.__self__
    if function.__name__ == "__setstate__":
        _refuse("__setstate__")
    return (lambda note, /: _add_note(error, note)) if function.__name__ == "add_note" else None


def _add_note(error: BaseException, note: Any) -> None:
    if not isinstance(note, str | Text):
        error.add_note(note)  # raises
    if not has_attribute(error, "__notes__"):
        set_attribute(error, "__notes__", [])
    provided.method(get_attribute(error, "__notes__"), "append")(note)


def will_be_made(trace: Trace, error: BaseException) -> None:
    """To be called before the `__init__` of an exception keeps its arguments."""
    if any(map(_has_fields, type(error).__mro__)):
        _refuse("__init__")
    will_change(trace, Attribute(error, "args", name_of(error)))


def _has_fields(cls: type) -> bool:
    """True for an exception in C that holds more than `args`."""
    if cls.__flags__ & HEAP_TYPE or cls in (BaseException, object):
        return False
    return any(type(v) in (types.MemberDescriptorType, types.GetSetDescriptorType) for v in vars(cls).values())


def _refuse(name: str) -> None:
    raise UnsupportedFunctionError(
        message(
            f"`{name}` of an exception is called, and its effect is not recorded",
            where(user_source(4)),
            "Make the exception where it is raised.",
        )
    )
