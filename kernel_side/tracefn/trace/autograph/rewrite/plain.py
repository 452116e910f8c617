"""Which functions need no rewriting: straight lines of NumPy's functions, operators, and attributes of arrays."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ....ir.own_modules import own_numpy
from ... import provided
from ...code.bytecode import instructions
from ...numpy_api.composed import CALLS_BACK


def is_plain(function: Any, arguments: Iterable[Any] | None = None) -> bool:
    """True if there is nothing to rewrite: one expression after the other, of NumPy functions that dispatch and, where
    all `arguments` are known to be arrays of numbers, of attributes of such arrays."""
    code = function.__code__
    if (found := _found_in_plain(code)) is None or any(_outside(function, name) is not np for name in found.modules):
        return False
    if found.of_arrays and (arguments is None or not all(map(_is_of_numbers, arguments))):
        return False
    return all(getattr(np, n, None) is getattr(own_numpy, n, None) for n in code.co_names)


def _is_of_numbers(argument: Any) -> bool:
    is_array = type(argument) is np.ndarray or isinstance(argument, np.generic)
    return is_array and argument.dtype.kind in "biufc"


class _PlainCode(NamedTuple):
    """The variables that must hold NumPy for code to be plain, where nothing of NumPy was replaced, and whether it asks
    for attributes or calls methods."""

    modules: frozenset[str]
    of_arrays: bool


def _outside(function: Any, name: str) -> Any:
    """The value of a global variable, or of one of a function around. None where it is not set."""
    if name not in function.__code__.co_freevars:
        return function.__globals__.get(name)
    cell = (function.__closure__ or ())[function.__code__.co_freevars.index(name)]
    try:
        return cell.cell_contents
    except ValueError:
        return None


@lru_cache(maxsize=1024)
def _found_in_plain(code: types.CodeType) -> _PlainCode | None:
    """The names found in plain code. None for other code."""
    previous, after_tuple, has_text, of_arrays = "", False, False, False
    fixed = 0  # how many values on top of the stack are constants, or made of them
    modules = set()
    for name, argument in instructions(code):
        if name in _PASSED_OVER and not after_tuple and previous != "PUSH_NULL":
            previous, fixed = name, 0
            continue
        if _is_no_attribute(previous, name):
            return None
        takes_item = name in _TAKING_ITEMS or (name, argument) == ("BINARY_OP", "[]")
        if after_tuple and name != "RETURN_VALUE" and not (takes_item and fixed):
            return None  # NumPy does not look for traced values in all that it is given
        after_tuple = name == "BUILD_TUPLE"
        has_text = has_text or (name == "LOAD_CONST" and isinstance(argument, str))
        if (name, argument) == ("BINARY_OP", "%") and has_text:
            return None
        if name in _FROM_OUTSIDE:
            modules.add(argument)
        if name in ("LOAD_ATTR", "LOAD_METHOD"):
            value = getattr(own_numpy, argument, None)
            if previous not in _FROM_OUTSIDE and argument in _OF_ARRAYS:
                of_arrays = True
            elif previous not in _FROM_OUTSIDE or isinstance(value, types.ModuleType) or not _is_dispatched(value):
                return None
        elif takes_item:
            of_arrays = True
            if fixed < _TAKING_ITEMS.get(name, 1):
                return None
        elif name not in _PLAIN and not (name == "BUILD_SLICE" and fixed >= argument):
            return None
        if name in _MAKING and fixed >= argument:
            fixed += 1 - argument
        else:
            fixed = fixed + 1 if name == "LOAD_CONST" else 0
        previous = name
    return _PlainCode(frozenset(modules), of_arrays)


def _is_no_attribute(first: str, second: str) -> bool:
    """True for neighbours of which one is the mark of a call, and the other shows that no attribute is called: an
    argument is, or the result of a call."""
    if sys.version_info >= (3, 13):  # the mark stands behind the function
        return second == "PUSH_NULL" and first != "LOAD_ATTR"
    return first == "PUSH_NULL" and second != "LOAD_GLOBAL"


def _is_dispatched(value: Any) -> bool:
    """True for a NumPy function that hands calls with traced values over, and for values that are not called."""
    is_handed_over = isinstance(value, np.ufunc) or hasattr(value, "_implementation")
    return value not in provided.numpy_calls and value not in CALLS_BACK if is_handed_over else not callable(value)


_FROM_OUTSIDE = ("LOAD_GLOBAL", "LOAD_DEREF")

_PLAIN = {
    "RESUME", "NOP", "CACHE", "PUSH_NULL", "PRECALL", "CALL", "KW_NAMES", "CALL_KW", "POP_TOP", "LOAD_CONST",
    "LOAD_FAST", "LOAD_FAST_BORROW", "LOAD_SMALL_INT", *_FROM_OUTSIDE, "COPY_FREE_VARS", "STORE_FAST", "BINARY_OP",
    "UNARY_NEGATIVE", "UNARY_INVERT", "COMPARE_OP", "BUILD_TUPLE", "RETURN_VALUE", "RETURN_CONST", "EXTENDED_ARG",
}  # fmt: skip

_PASSED_OVER = _PLAIN - {*_FROM_OUTSIDE, "PUSH_NULL", "LOAD_CONST", "BINARY_OP", "BUILD_TUPLE"}
"""Those of which nothing is asked."""

_TAKING_ITEMS = {"BINARY_SUBSCR": 1, "BINARY_SLICE": 2}
"""Instructions that take an item → the number of values that say which one."""

_MAKING = ("BUILD_SLICE", "BUILD_TUPLE")

_OF_ARRAYS = frozenset(
    "T all any argmax argmin argsort clip conj conjugate copy cumprod cumsum dtype imag max mean min ndim prod ravel "
    "real reshape round shape size squeeze std sum swapaxes trace transpose var".split()
)
"""Attributes of arrays and NumPy's scalars that a Tensor has as well: none that writes into an array."""
