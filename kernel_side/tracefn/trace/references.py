"""Who holds an object, by CPython's reference counts: all that depends on them asks here.

The tracer tells by them whether an array, a list or an object has another name: then a write is seen there. How many
references an interpreter itself has to a variable, a parameter or an item is measured when this file is imported. The
file imports no other of the package: `tests/unit/trace/test_references.py` runs it in each Python that is there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def _counted(value: Any) -> int:
    return sys.getrefcount(value)


_OF_CALL = _counted(object())
"""The references of a call that counts: its parameter, and the argument of `sys.getrefcount`."""


def holders(value: Any) -> int:
    """How many references there are to a value, but for those of this call."""
    return sys.getrefcount(value) - _OF_CALL


def _of_variable(value: Callable[[], Any]) -> int:
    variable = value()
    return holders(variable)


def _of_parameter(value: Any) -> int:
    return holders(value)


def _of_argument() -> int:
    variable = object()
    return _of_parameter(variable)


def _of_item(items: list[Any]) -> int:
    return next(holders(item) for item in items)


VARIABLE = _of_variable(object)
"""The holders of a variable's value, asked where the variable is."""

PARAMETER = _of_parameter(object())
"""The holders of an argument that nothing else holds, asked in the function that is given it."""

ARGUMENT = _of_argument()
"""The holders of a variable's value, asked in a function that is given it."""

ITEM = _of_item([object()])
"""The holders of an item of one container, asked in a loop over the container."""
