"""Frames between a user's function and its caller that Python's warnings pass over.

`warnings.warn(text, stacklevel=2)` in a function that runs eagerly then names the line of its caller, as undecorated,
and filters for the caller's module hold.
"""

from __future__ import annotations

import functools
import linecache
import types
from typing import Any, TypeVar

T = TypeVar("T")

MARK = "importlib._bootstrap"
"""Warnings take a frame for one of the import system, and pass over it, by this in the name of its file:
`is_internal_frame` in CPython's Python/_warnings.c."""


def unseen_by_warnings(owner: T) -> T:
    """The function, or the class with its methods, with the mark in the file names of their code."""
    for function in [owner] if isinstance(owner, types.FunctionType) else vars(owner).values():
        if isinstance(function, types.FunctionType):
            code: Any = function.__code__
            file = f"{code.co_filename} ({MARK})"
            function.__code__ = code.replace(co_filename=file)
            cache: Any = linecache.cache  # there is no such file, and the source may be asked for
            cache[file] = (functools.partial(_text, code.co_filename),)
    return owner


def _text(file: str) -> str:
    return "".join(linecache.getlines(file))
