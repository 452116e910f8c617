"""Texts in rewritten code: f-strings, `%`, and the functions and methods of `str` that are given traced values."""

from __future__ import annotations

import collections
import types
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ....errors import UnsupportedFunctionError, message
from ....ops.texts import METHODS
from ... import provided
from ...active import TRACING, current
from ...code.plain import plain
from ...origin import is_library, user_source, where
from ...reads import in_trace
from ...tensor import Tensor
from ...tensor_parts.formatting import FORMATTING
from ...tree import Parts, parts
from ...values.traced_text import Text, converted, formatted_with, is_traced, text_call
from ...values.traced_text import text as made
from ..containers.contents import as_found
from ..special import inherits


def text(*parts: Any) -> Any:
    """An f-string: texts and fields, which are (value, conversion, spec)."""
    if not TRACING:
        return made(*parts)
    return made(*[_field(*p) if type(p) is tuple else p for p in parts])


def _field(value: Any, conversion: str, spec: Any) -> tuple[Any, str, Any]:
    """A field of an f-string, with the text that an object gives of itself in the object's place."""
    value = as_found(in_trace(value))
    name = "__repr__" if conversion == "r" else "__str__"
    if conversion == "a" or not hasattr(type(value), "__dict__") or type(value).__format__ is not object.__format__:
        return value, conversion, spec
    given = text_of_object(value, name)
    return (value, conversion, spec) if given is None else (given, "", spec)


def text_of_object(value: Any, name: str) -> Any:
    """What an object's `__str__` or `__repr__` gives, rewritten. None where these are no code of the user's; named
    tuples and dataclasses that hold traced values count as that."""
    cls = type(value)
    is_unread = isinstance(value, _UNREAD) or (isinstance(value, np.ndarray) and value.dtype.kind in "OV")
    if is_unread and (trace := current()) is not None and trace.is_outside(value):
        _refuse(f"the text of a {cls.__name__} is made, and its contents are not recorded")
    if cls.__module__ == "builtins" or cls is Tensor or cls is Text:
        return None
    inherits(value, name)
    if getattr(cls, name) is object.__str__:
        name = "__repr__"
        inherits(value, name)
    function = plain(getattr(cls, name))
    named = parts(value)
    if named is not None and named.kind in ("namedtuple", "dataclass") and any(map(is_traced, named.children)):
        if named.kind == "namedtuple" or cls.__dataclass_params__.repr:
            return _of_fields(cls, named)
    if type(function) is not types.FunctionType or is_library(function.__code__.co_filename):
        return None
    if (trace := current()) is not None and trace.is_outside(value):
        trace.uses_method(cls, name, getattr(cls, name))
    return provided.callee(types.MethodType(function, value))()


def _of_fields(cls: type, named: Parts) -> Any:
    """`Point(x=1.0, y=2.0)`."""
    found: list[Any] = [f"{cls.__name__ if named.kind == 'namedtuple' else cls.__qualname__}("]
    for position, (field, value) in enumerate(zip(named.keys, named.children, strict=True)):
        found += [f"{', ' if position else ''}{field}=", (value, "r", "")]
    return text(*found, ")")


def percent(left: Any, right: Any) -> Any:
    """`left % right`, where `left` is a text in the source."""
    right = tuple(map(as_found, right)) if type(right) is tuple else as_found(right)
    if TRACING and current() is not None and is_traced(right):
        made = text_call("__mod__", left, right)
        return str(made) if FORMATTING.stack else made
    return left % right


def conversion(function: Any) -> Callable[..., Any]:
    """`str` or `repr`."""

    def convert(*args: Any, **kwargs: Any) -> Any:
        args = tuple(map(as_found, args))
        if len(args) == 1 and not kwargs and current() is not None:
            given = text_of_object(args[0], f"__{function.__name__}__")
            if given is not None:
                return given
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
    return made((as_found(value), "", spec))


_UNREAD = (collections.UserDict, collections.UserList, collections.ChainMap)


def _refuse(why: str) -> NoReturn:
    raise UnsupportedFunctionError(message(why, where(user_source(3)), "Make the text outside the traced function."))


def refuse_ascii(value: Any, /) -> str:
    """The built-in function `ascii`."""
    if current() is not None and is_traced(value):
        _refuse("`ascii` of a traced value is not traced")
    return ascii(value)


def method_of_text(bound: Any) -> Callable[..., Any]:
    """A method of a `str`, which may be given traced values."""
    owner, name = bound.__self__, bound.__name__

    def call(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = tuple(map(as_found, args)), {k: as_found(v) for k, v in kwargs.items()}
        if name == "join" and len(args) == 1 and not isinstance(args[0], str):
            args = (list(args[0]),)
        if FORMATTING.stack or not any(map(is_traced, (*args, *kwargs.values()))):
            return bound(*args, **kwargs)
        if name == "format":
            return formatted_with(owner, args, kwargs)
        return bound(*args, **kwargs) if name not in METHODS or kwargs else text_call(name, owner, *args)

    return call
