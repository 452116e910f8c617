"""Iterators that run no code with access to state: they can be advanced while tracing."""

from __future__ import annotations

import builtins
import collections
import functools
import gc
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from ....ir.types import random_kind
from ...code.bound import is_traced_function
from ...code.bytecode import instructions
from ...context import Trace
from ...origin import is_users

_PLAIN = (int, float, complex, str, bytes, bool, type(None), np.generic, np.ndarray, range, slice, types.ModuleType)
_INSIDE = (list, tuple, set, frozenset, dict)
_CHANGED = (*_INSIDE, collections.deque)
MAX_DEPTH = 4
_OF_ARRAYS = "tracefn.data.arrays"


def runs_alone(trace: Trace, iterator: Any, depth: int = 0) -> bool:
    """True for an iterator that reads and changes only its own state, as far as its code tells."""
    if depth > MAX_DEPTH or _is_users(getattr(type(iterator), "__next__", None)):
        return False
    if isinstance(iterator, types.GeneratorType):
        return _is_closed(trace, iterator, depth)
    held = _held(iterator)
    if any(_runs_code(value) or (type(value) in _CHANGED and trace.root.is_changed(value)) for value in held):
        return False
    return all(runs_alone(trace, value, depth + 1) for value in held if isinstance(value, Iterator))


def _held(iterator: Any) -> list[Any]:
    """The referents of an iterator of Python's own or of a library, and the iterators in its tuples and lists."""
    held = gc.get_referents(iterator)
    return held + [v for value in held if type(value) in (tuple, list) for v in value if isinstance(v, Iterator)]


def _runs_code(value: Any) -> bool:
    """True for a function or class of the user's, and for an object that acts as a function or a sequence."""
    if isinstance(value, types.FunctionType | types.MethodType | functools.partial) or is_traced_function(value):
        return True
    cls, names = (value, _MAKE) if isinstance(value, type) else (type(value), _ACT)
    return any(_is_users(getattr(cls, name, None)) for name in names)


def _is_users(function: Any) -> bool:
    return type(function) is types.FunctionType and is_users(function)


_MAKE, _ACT = ("__init__", "__new__"), ("__call__", "__getitem__", "__iter__")


def inner_iterators(iterator: Any, depth: int = 0) -> list[Any]:
    """The iterators that one advances, as far as they are found."""
    if isinstance(iterator, types.GeneratorType):
        frame = iterator.gi_frame
        held = [] if frame is None else [*frame.f_locals.values(), iterator.gi_yieldfrom]
    else:
        held = _held(iterator)
    found = [value for value in held if isinstance(value, Iterator)] if depth <= MAX_DEPTH else []
    return found + [inner for value in found for inner in inner_iterators(value, depth + 1)]


def _is_closed(trace: Trace, generator: types.GeneratorType[Any, Any, Any], depth: int) -> bool:
    if generator.gi_frame is None:
        return True
    if generator.gi_frame.f_globals.get("__name__") == _OF_ARRAYS:
        return True  # a Dataset of arrays or numbers
    if not all(is_plain(trace, value, depth) for value in generator.gi_frame.f_locals.values()):
        return False
    if not reads_nothing_else(generator.gi_code, generator.gi_frame.f_globals):
        return False
    source = generator.gi_yieldfrom
    return source is None or runs_alone(trace, source, depth + 1)


def reads_nothing_else(
    code: types.CodeType, namespace: dict[str, Any], own: Any = None, depth: int = 0, stores: bool = False
) -> bool:
    """True for code that reads and changes its local variables alone, and where it `stores` so their attributes. `own`
    is the function itself."""
    random = False
    for name, argument in instructions(code):
        if (name in _STORES and not (stores and name == "STORE_ATTR")) or (random and argument not in _MAKE_GENERATORS):
            return False
        random = argument == "random" and name in ("LOAD_ATTR", "LOAD_METHOD")
        if name in ("LOAD_GLOBAL", "LOAD_NAME"):
            value = namespace.get(argument, vars(builtins).get(argument))
            if argument in ("print", "input", "open") or not (value is own or _is_closed_value(value, depth)):
                return False
    return True


def _is_closed_value(value: Any, depth: int) -> bool:
    """True for a name that code may read without access to state."""
    if isinstance(value, types.ModuleType):
        return value.__name__.partition(".")[0] in _MODULES
    if isinstance(value, types.FunctionType) and depth < MAX_DEPTH:
        return not value.__closure__ and reads_nothing_else(value.__code__, value.__globals__, value, depth + 1)
    return getattr(builtins, getattr(value, "__name__", ""), None) is value


_MODULES = frozenset({"numpy", "math", "cmath", "itertools", "functools", "operator", "collections", "bisect", "scipy"})
_MAKE_GENERATORS = frozenset({"default_rng", "Generator", "RandomState", "PCG64", "MT19937", "Philox", "SFC64"})
_STORES = frozenset({"STORE_ATTR", "STORE_GLOBAL", "DELETE_ATTR", "STORE_DEREF", "MAKE_FUNCTION", "IMPORT_NAME"})


def is_plain(trace: Trace, value: Any, depth: int) -> bool:
    """True for an immutable value, and for a container of such values that the trace has not changed."""
    if depth > MAX_DEPTH or random_kind(value) is not None:
        return False
    if type(value) in _INSIDE:
        if trace.root.is_changed(value):
            return False
        parts = value.values() if type(value) is dict else value
        return len(value) <= 1000 and all(is_plain(trace, part, depth + 1) for part in parts)
    if isinstance(value, Iterator):
        return runs_alone(trace, value, depth + 1)
    return isinstance(value, _PLAIN)
