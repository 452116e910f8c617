"""Special methods of the user's classes: those of `a[i]`, `len(a)`, `x in a`, `a += b`, `if a` and `with a` are traced.

Methods that operators call (`a + b`) run as they are written: rewritten code has the operators themselves.
"""

from __future__ import annotations

import functools
import itertools
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...ir.types import Kind
from .. import provided
from ..active import TRACING, current
from ..code.plain import plain
from ..origin import file_of, is_library, is_users
from ..tensor import Tensor

HEAP_TYPE = 1 << 9
_COMMON = frozenset({Tensor, int, float, bool, complex, str, tuple, list, dict, np.ndarray, np.float64, np.int64})
"""Types without such methods, that are looked for first."""


def special(owner: Any, name: str) -> Any:
    """The special method of an object of a class of the user's, rewritten. None where Python or a library has it."""
    cls = type(owner)
    if cls in _COMMON or not TRACING or not cls.__flags__ & HEAP_TYPE:
        return None
    held = getattr(cls, name, None)
    if held is None and name in _REPLACED_BY_OTHERS:
        lacks(owner, name)
    is_property = isinstance(held, property)
    function = plain(held.fget if isinstance(held, property) else held)
    if isinstance(held, _OF_C) and held.__name__ != name:
        return _of_c(owner, name, held)
    if type(function) is not types.FunctionType or not is_users(function):
        return None
    trace = current()
    if trace is None:
        return None
    trace.uses_method(cls, name, held)
    bound = types.MethodType(trace.function_copy(function), owner)
    if is_property:  # of which the method comes: that of an array which the object holds
        return provided.callee(bound())
    return bound


_OF_C = (types.MethodDescriptorType, types.WrapperDescriptorType)


def _of_c(owner: Any, name: str, held: Any) -> Any:
    """A method in C under the name of an operator, `__lshift__ = list.append`: its changes are recorded."""
    if (trace := current()) is None:
        return None
    trace.uses_method(type(owner), name, held)
    own_name: str = held.__name__
    if isinstance(held, types.MethodDescriptorType) and getattr(type(owner), own_name, None) is held:
        return provided.method(owner, own_name)
    return functools.partial(provided.callee(held), owner)


_REPLACED_BY_OTHERS = frozenset(
    f"__{name}__"
    for name in "contains iter len getitem call enter iadd isub imul itruediv imod ifloordiv ipow imatmul iand ior "
    "ixor ilshift irshift".split()
)
"""Methods in whose place Python calls others, or raises errors that a `try` may catch."""


def is_code_of_user(function: Any) -> bool:
    """True for a Python function that the user has written, decorated or not."""
    function = plain(function)
    return type(function) is types.FunctionType and not is_library(function.__code__.co_filename)


def is_of_user(cls: type) -> bool:
    """True for a class that the user has written."""
    return bool(cls.__flags__ & HEAP_TYPE) and not is_library(file_of(cls))


def inherits(owner: Any, name: str) -> None:
    """Notes that Python's own method is used for an object of a class of the user's, which may get another one."""
    cls = type(owner)
    held = getattr(cls, name, None)
    if held is not None and held is getattr(object, name, None) and cls.__flags__ & HEAP_TYPE:
        if (trace := current()) is not None:
            trace.uses_method(cls, name, held)


def lacks(owner: Any, name: str) -> None:
    """Notes that a class of the user's has no such method: it may get one."""
    cls = type(owner)
    if cls not in _COMMON and cls.__flags__ & HEAP_TYPE and (trace := current()) is not None:
        if not hasattr(cls, name):
            trace.lacks(cls, "attr", name)


def array_of(value: Any) -> Any:
    """The array that NumPy gets of an object of the user's, of which it calls `__array__`. Any other value as it is."""
    cls = type(value)
    if cls in _COMMON or not TRACING or not hasattr(cls, "__array__") or any(hasattr(cls, n) for n in _OVERRIDING):
        return value
    if (mine := special(value, "__array__")) is None:
        return value
    held = getattr(mine, "__self__", None)  # a property may give the method of an array that the object holds
    made = held if type(held) is Tensor else mine()
    is_array = isinstance(made, np.ndarray) or type(made) is Tensor and made._node.types[0].kind is Kind.ARRAY
    return made if is_array else value


_OVERRIDING = ("__array_ufunc__", "__array_function__")
"""The methods that NumPy asks first: an object with one of these decides the results of its functions."""


def described(owner: Any, name: str, method: str) -> Any:
    """The method of a descriptor of the user's, rewritten, for an attribute of an object. None for any other."""
    if isinstance(owner, type | types.ModuleType):
        return None
    descriptor = next((c.__dict__[name] for c in type(owner).__mro__ if name in c.__dict__), None)
    if descriptor is None or not hasattr(type(descriptor), "__set__"):
        return None
    return special(descriptor, method)


def truth_of(value: Any) -> Any:
    """The truth of an object of the user's as a condition; any other value as it is."""
    if (mine := special(value, "__bool__")) is not None:
        return mine()
    if not hasattr(type(value), "__bool__"):
        lacks(value, "__bool__")
        if (mine := special(value, "__len__")) is not None:
            return mine()
        lacks(value, "__len__")
    return value


def rounds_of(value: Any) -> Any:
    """The iterator of an object of a user's class, with rewritten methods. None for other values."""
    if (mine := special(value, "__iter__")) is not None:
        made = mine()
        return Stepped(made) if special(made, "__next__") is not None else made
    if special(value, "__next__") is not None and isinstance(value, Iterator):  # a class of a library has `__iter__`
        return Stepped(value)
    if special(value, "__getitem__") is not None and not hasattr(type(value), "__iter__"):
        return _items(value)
    return None


class Stepped:
    """An iterator of the user's, whose `__next__` is rewritten."""

    def __init__(self, iterator: Any) -> None:
        self._iterator = iterator

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        return (special(self._iterator, "__next__") or self._iterator.__next__)()


def _items(value: Any) -> Iterator[Any]:
    """The items of an object with `__getitem__` and without `__iter__`."""
    for index in itertools.count():
        try:
            yield (special(value, "__getitem__") or value.__getitem__)(index)
        except IndexError:
            return


class Entered:
    """A context manager of the user's, whose methods are rewritten."""

    def __init__(self, manager: Any) -> None:
        self._manager = manager

    def __enter__(self) -> Any:
        return (special(self._manager, "__enter__") or self._manager.__enter__)()

    def __exit__(self, *error: Any) -> Any:
        return (special(self._manager, "__exit__") or self._manager.__exit__)(*error)


def is_rewritten(manager: Any) -> bool:
    return special(manager, "__enter__") is not None or special(manager, "__exit__") is not None
