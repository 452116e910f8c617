"""Results that generated lines make anew at each call: objects, sets, deques, slices, dicts with unknown keys, and
structures that hold one container twice."""

from __future__ import annotations

import functools
import types
from collections import Counter, deque
from typing import Any

import numpy as np

from ...trace.autograph.containers.copies import is_plain_object, was_made
from ...trace.context import Trace
from ...trace.control.one_of import OneOf
from ...trace.control.undefined import Maybe
from ...trace.control.unsettled import Unsettled
from ...trace.tensor import Tensor
from ...trace.tree import parts
from ...trace.variables.variable import Variable
from ..bound import BoundFunction
from .closures import is_defined

MAX_DEPTH = 8


def parts_of_slice(value: slice) -> tuple[Any, Any, Any]:
    return value.start, value.stop, value.step


def is_remade(trace: Trace, value: Any, depth: int = 0) -> bool:
    """True for a value that has to be, and can be, made anew at each call other than as a structure, or holds one."""
    cls = type(value)
    if cls is Maybe or cls is Unsettled:
        return True
    if cls is OneOf:
        if any(id(value.option(number)) in trace.living for number in value.numbers):
            return True
        return any(is_remade(trace, value.option(number), depth + 1) for number in value.all_numbers())
    if cls is types.FunctionType:
        return is_defined(trace, value)
    if isinstance(value, Tensor | np.ndarray | Variable | types.ModuleType | type | str):
        return False
    if cls is slice:
        return any(type(part) is Tensor for part in parts_of_slice(value))
    if depth > MAX_DEPTH:
        return False
    if cls in (set, deque, Counter, types.MethodType, functools.partial, BoundFunction):
        return True
    found = parts(value)
    if found is not None:
        return any(is_remade(trace, child, depth + 1) for child in found.children)
    return was_made(trace, value) and is_plain_object(value)


def holds_one_twice(value: Any, met: set[int] | None = None, depth: int = 0) -> bool:
    """True where a container or a slice stands in several places of a value, itself among them."""
    met = set() if met is None else met
    if id(value) in met:
        return True
    if type(value) is slice:
        met.add(id(value))
    found = None if depth > MAX_DEPTH else parts(value)
    if found is None:
        return False
    if found.children or found.kind != "tuple":  # Python has one empty tuple
        met.add(id(value))
    return any(holds_one_twice(child, met, depth + 1) for child in found.children)
