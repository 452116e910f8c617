"""Texts that Python's own methods and functions of libraries make of their arguments: `o.__str__()`,
`pprint.pformat(o)`, `np.array2string(a)`. They call the `__repr__` of each object as it is written."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ...active import current, note_address
from ...values.traced_text import is_traced
from .texts import conversion, refuse_text, shows_made

_MODULES = frozenset({"pprint", "reprlib", "string"})
_OF_ARRAYS = frozenset(map(id, (np.array2string, np.array_repr, np.array_str)))


def text_by(method: Any, owner: Any, *args: Any) -> Any:
    """The result of a method in C, `object.__str__` or `list.__repr__`, for an object of its class."""
    if method is object.__str__ and not args:
        return conversion(repr)(owner)
    if method is object.__format__ and args == ("",):
        return conversion(str)(owner)
    if method is object.__repr__:
        note_address()
    elif shows_made(owner):
        if method is not type(owner).__repr__ or args:
            refuse_text(f"`{method.__qualname__}` calls the `__repr__` of objects, and what this reads is not recorded")
        return conversion(repr)(owner)
    return method(owner, *args)


def makes_texts(function: Any) -> bool:
    """True for a function of a library that shows its arguments."""
    return getattr(function, "__module__", None) in _MODULES or id(function) in _OF_ARRAYS


def showing(function: Any, made: Callable[..., Any]) -> Callable[..., Any]:
    """The replacement of such a function: `made`, if one of its arguments has a text of its own."""

    @functools.wraps(function)
    def show(*args: Any, **kwargs: Any) -> Any:
        if current() is not None and any(map(_is_unseen, (*args, *kwargs.values()))):
            refuse_text(f"`{function.__name__}` makes texts of its arguments, and what these show is not recorded")
        return made(*args, **kwargs)

    return show


def _is_unseen(value: Any) -> bool:
    """True for objects with a text by code of the user's, and for traced values and containers of them."""
    return shows_made(value) or is_traced(value)
