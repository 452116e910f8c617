"""Texts in rewritten code: f-strings, `%`, and the functions and methods of `str` that are given traced values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ops.texts import METHODS
from ..context import TRACING, current
from ..tensor import FORMATTING, Tensor
from ..text import Text, converted, formatted_with, is_traced, text_call
from ..text import text as made
from ..variable_reads import in_trace


def text(*parts: Any) -> Any:
    """An f-string: texts and fields, which are (value, conversion, spec)."""
    if not TRACING:
        return made(*parts)
    return made(*[(in_trace(p[0]), *p[1:]) if type(p) is tuple else p for p in parts])


def percent(left: Any, right: Any) -> Any:
    """`left % right`, where `left` is a text in the source."""
    if TRACING and current() is not None and is_traced(right):
        made = text_call("__mod__", left, right)
        return str(made) if FORMATTING.stack else made
    return left % right


def conversion(function: Any) -> Callable[..., Any]:
    """`str` or `repr`."""

    def convert(*args: Any, **kwargs: Any) -> Any:
        if len(args) != 1 or kwargs or current() is None or FORMATTING.stack or not is_traced(args[0]):
            return function(*args, **kwargs)
        (value,) = args
        known = value._known() if type(value) is Tensor else None
        if known is not None:
            return function(known[0])
        return value if type(value) is Text and function is str else converted(function.__name__, value)

    return convert


def format_(value: Any, spec: Any = "", /) -> Any:
    """The built-in function `format`."""
    return made((value, "", spec))


def method_of_text(bound: Any) -> Callable[..., Any]:
    """A method of a `str`, which may be given traced values."""
    owner, name = bound.__self__, bound.__name__

    def call(*args: Any, **kwargs: Any) -> Any:
        if name == "join" and len(args) == 1 and not isinstance(args[0], str):
            args = (list(args[0]),)
        if FORMATTING.stack or not any(map(is_traced, (*args, *kwargs.values()))):
            return bound(*args, **kwargs)
        if name == "format":
            return formatted_with(owner, args, kwargs)
        return bound(*args, **kwargs) if name not in METHODS or kwargs else text_call(name, owner, *args)

    return call
