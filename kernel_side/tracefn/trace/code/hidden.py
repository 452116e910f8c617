"""Refuses classes with methods that Python calls unrewritten and that have side effects: these are not recorded."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from ...errors import UnsupportedFunctionError, message
from ...ir.place import Source
from ..origin import FORGET, is_library, where
from .bytecode import instructions
from .plain import plain

_OPERATORS = tuple(
    f"__{name}__"
    for name in "add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow matmul rmatmul and "
    "rand or ror xor rxor neg pos abs invert eq ne lt le gt ge".split()
)
_HEAP_TYPE = 1 << 9  # the flag of classes that are made by code
_MUTATORS = frozenset("append extend insert add update setdefault pop popitem remove discard clear appendleft".split())


def refuse_hidden(cls: type) -> None:
    """Raises for a class of the user's with an operator that changes more than its result."""
    method = None if not cls.__flags__ & _HEAP_TYPE else _changing_operator(cls)
    if method is not None:
        raise UnsupportedFunctionError(
            message(
                f"`{method.__qualname__}` changes something, and is called by an operator, which is not seen",
                where(Source(method.__code__.co_filename, method.__code__.co_firstlineno)),
                "Change it in a method of another name.",
            )
        )


def refuse_finalizer(cls: type) -> None:
    """Raises for a class of the user's whose objects do something when they are gone, before one is made."""
    _refuse_where(cls, ("__del__",), "runs when an object is gone", lambda code: True)


def refuse_derived(cls: Any) -> None:
    """Raises for a class of the user's that changes something when another one is derived from it."""
    _refuse_where(cls, ("__init_subclass__",), "runs where a class is defined", _changes)
    refuse_metaclass(type(cls))


def refuse_metaclass(cls: Any) -> None:
    """Raises for a metaclass of the user's that changes something when it makes a class."""
    _refuse_where(cls, ("__new__", "__init__", "__prepare__"), "runs where a class is defined", _changes)


def _refuse_where(cls: Any, names: tuple[str, ...], when: str, does: Callable[[types.CodeType], bool]) -> None:
    for name in names:
        held = getattr(cls, name, None)
        method = plain(getattr(held, "__func__", held))
        if type(method) is types.FunctionType and not is_library(method.__code__.co_filename) and does(method.__code__):
            place = where(Source(method.__code__.co_filename, method.__code__.co_firstlineno))
            fix = "Do it outside the traced function."
            raise UnsupportedFunctionError(message(f"`{method.__qualname__}` {when}, which is not seen", place, fix))


@functools.lru_cache(maxsize=1024)
def _changing_operator(cls: type) -> Any:
    for name in _OPERATORS:
        method = plain(getattr(cls, name, None))
        if type(method) is types.FunctionType and not is_library(method.__code__.co_filename):
            if _changes(method.__code__):
                return method
    return None


FORGET.append(_changing_operator.cache_clear)


def _changes(code: types.CodeType) -> bool:
    """True for code that sets attributes or items of its arguments, globals, or variables of outer functions."""
    own = set(code.co_varnames[code.co_argcount + code.co_kwonlyargcount :])
    before: list[tuple[str, Any]] = []
    for name, argument in instructions(code):
        if name == "STORE_GLOBAL" or (name == "STORE_DEREF" and argument in code.co_freevars):
            return True
        if name == "STORE_ATTR" and not _is_own(before[-1:], own, code):
            return True
        if name == "STORE_SUBSCR" and not _is_own(before[-2:-1], own, code):
            return True
        if name in ("LOAD_METHOD", "LOAD_ATTR") and argument in _MUTATORS and not _is_own(before[-1:], own, code):
            return True
        before.append((name, argument))
    return False


def _is_own(loaded: list[tuple[str, Any]], own: set[str], code: types.CodeType) -> bool:
    """True where the loaded value is a variable that the code itself has made."""
    if not loaded:
        return False
    name, argument = loaded[0]
    return (name.startswith("LOAD_FAST") and argument in own) or (name == "LOAD_DEREF" and argument in code.co_cellvars)
