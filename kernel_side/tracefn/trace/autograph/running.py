"""Iterators that run no code with access to state: they can be advanced while tracing."""

from __future__ import annotations

import builtins
import gc
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ...ir.types import random_kind
from ..bytecode import instructions
from ..context import Trace
from ..state.kept_calls import is_traced_function

_PLAIN = (int, float, complex, str, bytes, bool, type(None), np.generic, np.ndarray, range, slice, types.ModuleType)
_INSIDE = (list, tuple, set, frozenset, dict)
MAX_DEPTH = 4
_OF_ARRAYS = str(Path(__file__).parents[2] / "data" / "arrays.py")


def runs_alone(trace: Trace, iterator: Any, depth: int = 0) -> bool:
    """True for an iterator that reads and changes only its own state, as far as its code tells."""
    if depth > MAX_DEPTH:
        return False
    if isinstance(iterator, types.GeneratorType):
        return _is_closed(trace, iterator, depth)
    held = gc.get_referents(iterator)
    held += [inner for value in held if type(value) in (tuple, list) for inner in value if isinstance(inner, Iterator)]
    if any(isinstance(value, types.FunctionType | types.MethodType) or is_traced_function(value) for value in held):
        return False
    return all(runs_alone(trace, value, depth + 1) for value in held if isinstance(value, Iterator))


def _is_closed(trace: Trace, generator: types.GeneratorType[Any, Any, Any], depth: int) -> bool:
    if generator.gi_frame is None:
        return True
    if generator.gi_code.co_filename == _OF_ARRAYS:
        return True  # a Dataset of arrays or numbers
    if not all(_is_plain(trace, value, depth) for value in generator.gi_frame.f_locals.values()):
        return False
    if not reads_nothing_else(generator.gi_code, generator.gi_frame.f_globals):
        return False
    source = generator.gi_yieldfrom
    return source is None or runs_alone(trace, source, depth + 1)


def reads_nothing_else(code: types.CodeType, namespace: dict[str, Any], own: Any = None, depth: int = 0) -> bool:
    """True for code that reads and changes its local variables alone. `own` is the function itself."""
    random = False
    for name, argument in instructions(code):
        if name in _STORES or (random and argument not in _MAKE_GENERATORS):
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


def _is_plain(trace: Trace, value: Any, depth: int) -> bool:
    """True for an immutable value, and for a container of such values that the trace has not changed."""
    if depth > MAX_DEPTH or random_kind(value) is not None:
        return False
    if type(value) in _INSIDE:
        if trace.root.is_changed(value):
            return False
        parts = value.values() if type(value) is dict else value
        return len(value) <= 1000 and all(_is_plain(trace, part, depth + 1) for part in parts)
    if isinstance(value, Iterator):
        return runs_alone(trace, value, depth + 1)
    return isinstance(value, _PLAIN)
