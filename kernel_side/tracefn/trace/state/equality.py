"""The `__eq__` that `dataclass` makes, which reads all fields: where code may compare objects, and there alone."""

from __future__ import annotations

import dataclasses
import dis
import operator
import sys
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from ..code.bytecode import instructions


def is_of_dataclass(cls: type, method: Any) -> bool:
    """True for such an `__eq__`. Objects with a hash are left out: sets and dicts compare them."""
    if not dataclasses.is_dataclass(cls) or cls.__hash__ is not None:
        return False
    code: CodeType = method.__code__
    return code.co_name == "__eq__" and code.co_filename == "<string>"


def may_compare(function: FunctionType) -> bool:
    """True for a function of which the code may ask whether two objects are equal."""
    read = [function.__globals__.get(name) for name in function.__code__.co_names]
    return _may_compare(function.__code__) or any(value is f for value in read for f in _FUNCTIONS)


@lru_cache(maxsize=2048)
def _may_compare(code: CodeType) -> bool:
    """True for code that may ask whether two objects are equal. A constant of the code is equal to no dataclass."""
    if not _COMPARING.isdisjoint(code.co_names):
        return True
    before: list[str] = []
    for name, argument in instructions(code):
        if name == "COMPARE_OP" and dis.cmp_op[argument >> _SHIFT] in ("==", "!=") and not _is_constant(before):
            return True
        if name == "CONTAINS_OP" and not _is_constant(before) and not _is_constant(_without_last(before)):
            return True
        before.append(name)
    return any(_may_compare(inner) for inner in code.co_consts if isinstance(inner, CodeType))


def _is_constant(loads: list[str]) -> bool:
    return bool(loads) and loads[-1] in ("LOAD_CONST", "LOAD_SMALL_INT")


def _without_last(loads: list[str]) -> list[str]:
    """The instructions before those that load the last value, where that is a variable or an attribute of one."""
    end = len(loads)
    while end and loads[end - 1] == "LOAD_ATTR":
        end -= 1
    return loads[: end - 1] if end and loads[end - 1] in _VARIABLES else []


_VARIABLES = {"LOAD_FAST", "LOAD_FAST_BORROW", "LOAD_GLOBAL", "LOAD_DEREF"}
_SHIFT = 0 if sys.version_info < (3, 12) else 4 if sys.version_info < (3, 13) else 5
"""How many bits below the number of a comparison say something else."""
_COMPARING = frozenset(
    "index count remove eq ne contains indexOf countOf array_equal array_equiv assert_equal __eq__ __ne__ __contains__"
    .split()
)  # fmt: skip
"""Names of functions and methods that compare their arguments."""
_FUNCTIONS = (operator.eq, operator.ne, operator.contains, operator.indexOf, operator.countOf)

__all__ = ["is_of_dataclass", "may_compare"]
