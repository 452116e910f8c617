"""Objects that traced code makes: of the user's classes, and as copies of others by `copy.copy` and `copy.deepcopy`."""

from __future__ import annotations

import copy
import types
import weakref
from collections import OrderedDict, defaultdict, deque
from typing import Any

import numpy as np

from ....errors import UnsupportedFunctionError, message
from ....ir.types import random_kind
from ... import provided
from ...active import current
from ...context import Trace
from ...origin import user_source, where
from ...state.compared import like
from ...state.place import Attribute
from ...tensor import Tensor
from ...values.graph_list import GraphList
from ...values.symbolic_int import SymbolicInt
from ...values.traced_text import Text
from .changes import will_change
from .contents import copied, items_of
from .foreseen import foresee, is_foreseen

_HEAP_TYPE = 1 << 9
_ATOMS = (
    bool, int, float, complex, str, bytes, type(None), np.generic, type, types.FunctionType, Text, range, slice,
    SymbolicInt,
)  # fmt: skip
_CONTAINERS = (list, dict, set, tuple, deque, OrderedDict, defaultdict)
_HOOKS = ("__copy__", "__deepcopy__", "__getstate__", "__setstate__", "__reduce__", "__reduce_ex__", "__getnewargs__")


def note_made(trace: Trace, made: Any) -> None:
    """Remembers an object that traced code has made: each call makes one like it."""
    try:
        trace.root.made[id(made)] = weakref.ref(made)
    except TypeError:
        return


def was_made(trace: Trace, value: Any) -> bool:
    """True for an object that was given to `note_made`."""
    reference = trace.root.made.get(id(value))
    return reference is not None and reference() is value


def is_plain_object(value: Any) -> bool:
    """True for an object of a class that is written in Python alone, without a word about how it is copied."""
    cls = type(value)
    if cls is types.SimpleNamespace:
        return True
    if issubclass(cls, BaseException | type) or any(not c.__flags__ & _HEAP_TYPE for c in cls.__mro__[:-1]):
        return False
    return all(getattr(cls, name, None) is getattr(object, name, None) for name in _HOOKS)


def shallow(value: Any) -> Any:
    """`copy.copy(value)`."""
    trace = current()
    if trace is None:
        return copy.copy(value)
    if isinstance(value, Tensor | np.ndarray):
        return _array(trace, value)
    if is_plain_object(value):
        return _object(trace, value, lambda held: held)
    if type(value) in _CONTAINERS:
        return like(value, _found_in(value))
    if isinstance(value, _ATOMS):
        return copy.copy(value)
    _refuse(value)


def _found_in(value: Any) -> Any:
    """The content of a container at each call: a dict's items, or those of any other."""
    return copied(value).items() if isinstance(value, dict) else items_of(value)


def deep(value: Any, memo: dict[int, Any] | None = None) -> Any:
    """`copy.deepcopy(value)`: arrays become nodes, and the copied value is read as any other place."""
    trace = current()
    if trace is None:
        return copy.deepcopy(value, memo)
    memo = {} if memo is None else memo
    if id(value) not in memo:
        copied = _deep(trace, value, memo)
        if copied is value:
            return value
        memo[id(value)] = copied, value  # which stays alive as long as its id is known
    return memo[id(value)][0]


def _deep(trace: Trace, value: Any, memo: dict[int, Any]) -> Any:
    cls = type(value)
    if isinstance(value, Tensor | np.ndarray):
        return _array(trace, value)
    if isinstance(value, _ATOMS) and not isinstance(value, Tensor):
        return value
    if cls is tuple:
        return tuple([deep(v, memo) for v in items_of(value)])
    if cls is list or (cls is GraphList and not value.is_staged):
        made: Any = []
        memo[id(value)] = made, value
        made += [deep(v, memo) for v in items_of(value)]
        return GraphList(made) if cls is GraphList else made
    if cls in (dict, OrderedDict, defaultdict):
        made = like(value, ())
        memo[id(value)] = made, value
        made.update({k: deep(v, memo) for k, v in _found_in(value)})
        return made
    if cls in (set, frozenset) and all(isinstance(v, _ATOMS) for v in value):
        return foresee(value, copy.copy) if is_foreseen(value) else copy.copy(items_of(value))
    if cls is deque:
        return like(value, [deep(v, memo) for v in items_of(value)])
    if not is_plain_object(value):
        _refuse(value)
    return _object(trace, value, lambda held: deep(held, memo), memo)


def _array(trace: Trace, value: Any) -> Any:
    if random_kind(value) is not None:
        _refuse(value)
    return (value if isinstance(value, Tensor) else trace.captured(value)).copy()


def _object(trace: Trace, value: Any, inner: Any, memo: dict[int, Any] | None = None) -> Any:
    made = types.SimpleNamespace() if type(value) is types.SimpleNamespace else object.__new__(type(value))
    if memo is not None:
        memo[id(value)] = made, value
    note_made(trace, made)
    trace.root.read_names(value)
    names = list(getattr(value, "__dict__", ()))
    for cls in type(value).__mro__:
        slots = cls.__dict__.get("__slots__", ())
        names += [n for n in ((slots,) if isinstance(slots, str) else slots) if hasattr(value, n)]
    for name in names:
        if name not in ("__dict__", "__weakref__"):
            will_change(trace, Attribute(made, name))
            object.__setattr__(made, name, inner(provided.attribute(value, name)))
    return made


def _refuse(value: Any) -> Any:
    kind = "a random generator" if random_kind(value) is not None else f"a {type(value).__qualname__}"
    raise UnsupportedFunctionError(
        message(
            f"{kind} is copied in traced code, and the effect of its copy method is not known",
            where(user_source(3)),
            "Copy it outside the traced function, or copy the arrays in it.",
        )
    )
