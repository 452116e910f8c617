"""Attributes in rewritten code that are no places: those that a traced value has at the call, and the dict of all."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ....errors import UnsupportedFunctionError, message
from ....ir.types import Kind, class_name, python_type
from ...active import current
from ...origin import user_source, where
from ...tensor import Tensor
from ...values.traced_text import text

_TEXTS: dict[str, Callable[..., Any]] = {
    "__str__": lambda value: text((value, "s", "")),
    "__repr__": lambda value: text((value, "r", "")),
    "__format__": lambda value, spec: text((value, "", spec)),
}
"""Methods that give a text of a value."""


def refuse_dict(what: str) -> NoReturn:
    raise UnsupportedFunctionError(
        message(
            f"{what} gives the dict of an object's attributes, and reads and writes through it are not watched",
            where(user_source(3)),
            "Use getattr and setattr.",
        )
    )


def holder_of(owner: Any) -> Any:
    """The object that holds an attribute: the user's function where code has a copy of it. Code outside sees the
    attributes of that one."""
    trace = current() if type(owner) is types.FunctionType else None
    if trace is None:
        return owner
    original = trace.original_function(owner)
    return original if trace.is_outside(original) else owner


def set_of_tensor(owner: Tensor, name: str, value: Any) -> None:
    """`owner.name = value`. Raises AttributeError as the value at the call does, which a `try` may catch."""
    try:
        setattr(owner, name, value)
    except AttributeError:
        found = class_name(owner._node.type)
        is_known = hasattr(owner.__class__, name)
        text = f"{found!r} object attribute {name!r} is read-only" if is_known else _lacks(found, name)
        raise AttributeError(text) from None


def _lacks(found: str, name: str) -> str:
    return f"{found!r} object has no attribute {name!r}"


def of_tensor(value: Tensor, name: str) -> Any:
    """`value.name`. Raises AttributeError for attributes of arrays that a Python number lacks, and
    UnsupportedFunctionError for those of a number or text that its Tensor lacks."""
    if name in _TEXTS:
        return lambda *args: _TEXTS[name](value, *args)
    found = value._node.type
    if found.kind is Kind.PYTHON and not hasattr(number := python_type(found.dtype), name):
        raise AttributeError(_lacks(number.__name__, name))
    try:
        return getattr(value, name)
    except AttributeError:
        cls = type(value) if found.kind is Kind.LIST or found.kind.is_random else value.__class__
        if found.kind is Kind.ARRAY or not hasattr(cls, name):
            raise AttributeError(_lacks(class_name(found), name)) from None
    instead = f"np.strings.{name}(x)" if found.dtype.kind in "SU" and hasattr(np.strings, name) else "a NumPy function"
    raise UnsupportedFunctionError(
        message(
            f"{value.describe()} has no traced `.{name}`", where(user_source(3)), f"Use {instead}; see docs/numpy.md."
        )
    )
