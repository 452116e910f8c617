"""A cell that is run again: a function of the same source goes on with the traces of the one before."""

from __future__ import annotations

from types import FunctionType
from typing import Any, Protocol, TypeVar

from ..config import traces_are_reused
from ..trace.code.source import source_of


class HasFunction(Protocol):
    @property
    def python_function(self) -> Any: ...


F = TypeVar("F", bound=HasFunction)


def earlier_definition(function: F) -> F | None:
    """The traced function of the same name, source, defaults and options that a module or notebook has now.

    Only functions at the top level are taken for the same; a lambda also has to stand in the same line. Two traced
    functions of one Python function are meant to be two.
    """
    plain = function.python_function
    if not traces_are_reused() or not isinstance(plain, FunctionType) or "." in plain.__qualname__:
        return None
    if plain.__closure__ is not None:
        return None
    is_lambda = plain.__name__ == "<lambda>"
    wanted = source_of(function)
    known = list(plain.__globals__.values()) if is_lambda else [plain.__globals__.get(plain.__name__)]
    for other in known:
        if isinstance(other, type(function)) and other.python_function is not plain and source_of(other) == wanted:
            code = other.python_function.__code__
            if not is_lambda or (code.co_filename, code.co_firstlineno) == _place(plain):
                return other
    return None


def _place(function: FunctionType) -> tuple[str, int]:
    return function.__code__.co_filename, function.__code__.co_firstlineno
