"""Errors about the stand-ins of values while tracing: eager code has none of these."""

from __future__ import annotations

import re

from ..errors import TracefnError, UnsupportedFunctionError, message
from .origin import error_source, where

_NAMES = (
    r"\b(Tensor|OneOf|Maybe|Undefined|GraphList|GraphDeque|GraphSet|GraphDict|DictView|Foreign|SymbolicInt|Text|Chosen|"
    r"ChosenDict)\b"
)
_OF_OPERATORS = re.compile(r"unsupported operand|bad operand|'[<>]=?' not supported between")
_VALUES = r"\b(Tensor|Text)\b"
"""Those of them that traced code gives to functions of any kind."""


def is_refusal(error: BaseException) -> bool:
    """True for an error that says that something is not traced. Where a Variable may not be made it is a ValueError, as
    in TensorFlow."""
    return isinstance(error, TracefnError) or str(error).startswith("tracefn.")


def names_stand_in(error: BaseException) -> bool:
    """True for an error whose text names a class of stand-ins. Errors of operators are none: stand-ins
    have the operators of their values, and real values raise the same with their own names."""
    return re.search(_NAMES, str(error)) is not None and _OF_OPERATORS.match(str(error)) is None


def is_given_stand_in(error: BaseException) -> bool:
    """True for a TypeError of code that was given a stand-in, and takes real values alone: functions in C, methods of
    bytes, and code that looks at types itself."""
    return isinstance(error, TypeError) and re.search(_VALUES, str(error)) is not None


def raised_by_tracing(error: Exception) -> UnsupportedFunctionError:
    """The refusal to trace that an error amounts to which eager code has not."""
    text = f"tracing it raised {type(error).__name__}: {error}"
    refused = UnsupportedFunctionError(message(text, where(error_source(error))))
    refused.__cause__ = error
    return refused


def file_of(error: BaseException) -> str:
    """The file of the line that raised an error."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return last.tb_frame.f_code.co_filename if last is not None else ""
