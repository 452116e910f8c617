"""Reads and writes of attributes, items, globals and outer variables in rewritten code.

Writes are entered into the journal of the trace, reads of what is outside become captures or guards. Where nothing is
traced they are what Python does.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import ControlFlowError, message
from ..context import TRACING, Trace, current
from ..control.one_of import OneOf, is_fixed
from ..graph_list import GraphList
from ..journal import Attribute, Contents, Item, Outer, Place
from ..origin import user_frame, user_source, where
from ..symbolic_int import SymbolicInt
from ..tensor import Tensor
from ..variable_reads import in_trace
from .lookup import is_looked_up, looked_up
from .numpy_objects import BRACKETS, in_brackets

slice_ = slice


def name_of(value: Any) -> str:
    """The name of a variable of the user's code that holds a value, or its type."""
    frame = user_frame(2)
    if frame is None:
        return type(value).__name__
    for name, held in frame.f_locals.items():
        if held is value and not name.startswith(("owner", "key", "item", "part", "value")):
            return name
    for name, held in frame.f_globals.items():
        if held is value:
            return f"global {name}"
    return type(value).__name__


def will_change(trace: Trace, place: Place) -> None:
    trace.journal.will_change(place, user_source(3))


def store_attribute(value: Any, owner: Any, name: str) -> None:
    trace = current()
    if trace is not None and type(owner) is not Tensor:
        will_change(trace, Attribute(owner, name, name_of(owner)))
    setattr(owner, name, value)


def delete_attribute(owner: Any, name: str) -> None:
    trace = current()
    if trace is not None:
        will_change(trace, Attribute(owner, name, name_of(owner)))
    delattr(owner, name)


def store_item(value: Any, owner: Any, key: Any) -> None:
    trace = current()
    if type(owner) is OneOf:
        owner.split(lambda option: store_item(value, option, key))
        return
    if type(value) is OneOf and type(owner) is Tensor:
        value.split(lambda option: store_item(option, owner, key))
        return
    if trace is not None:
        if type(owner) is dict or (isinstance(owner, dict) and type(key) is not Tensor):
            will_change(trace, Item(owner, key, f"{name_of(owner)}[{key!r}]"))
        elif isinstance(owner, list) and not isinstance(owner, GraphList):
            _store_in_list(trace, value, owner, key)
            return
        elif type(owner) is Tensor:
            key = _index(key)
        elif type(owner) is np.ndarray and (type(value) is Tensor or type(key) is Tensor or _has_tensor(key)):
            _refuse_array(owner)
    owner[key] = value


def augment_item(name: str, owner: Any, key: Any, old: Any, value: Any) -> None:
    """`owner[key] op= value`, where `old` is what was there before the value was computed."""
    new = IN_PLACE[name](old, value)
    if type(owner) is not Tensor or new is not old or old._base is None:  # else it was written into a view of the owner
        store_item(new, owner, key)


IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.iadd, "Sub": operator.isub, "Mult": operator.imul, "Div": operator.itruediv, "Mod": operator.imod,
    "FloorDiv": operator.ifloordiv, "Pow": operator.ipow, "MatMult": operator.imatmul, "BitAnd": operator.iand,
    "BitOr": operator.ior, "BitXor": operator.ixor, "LShift": operator.ilshift, "RShift": operator.irshift,
}  # fmt: skip
"""What `op=` calls, by the name of the operator in a syntax tree."""


def _store_in_list(trace: Trace, value: Any, owner: list[Any], key: Any) -> None:
    if type(key) is Tensor:
        raise ControlFlowError(
            message(
                f"an item of the list `{name_of(owner)}` is set, and a traced value says which",
                where(user_source(3)),
                "Make it an array, or set items by Python ints.",
            )
        )
    place: Place = Contents(owner, name_of(owner))
    if type(key) is int and -len(owner) <= key < len(owner):
        place = Item(owner, key % len(owner), f"{name_of(owner)}[{key}]")
    trace.journal.will_change(place, user_source(3))
    owner[key] = value


def _has_tensor(key: Any) -> bool:
    if type(key) is slice:
        return any(type(p) is Tensor for p in (key.start, key.stop, key.step))
    return type(key) is tuple and any(type(k) is Tensor or _has_tensor(k) for k in key)


def _refuse_array(owner: Any) -> None:
    from ...errors import InPlaceWriteError

    raise InPlaceWriteError(
        message(
            f"the array `{name_of(owner)}`, which is outside the traced function, is given traced values in place",
            where(user_source(3)),
            "Return the new value and assign it outside, or write into an array that the function makes.",
        )
    )


def delete_item(owner: Any, key: Any) -> None:
    trace = current()
    if trace is not None and isinstance(owner, dict | list):
        will_change(trace, Contents(owner, name_of(owner)))
    del owner[key]


def store_global(value: Any, namespace: dict[str, Any], name: str) -> None:
    trace = current()
    if trace is not None:
        will_change(trace, Item(namespace, name, f"global {name}"))
    namespace[name] = value


def store_outer(value: Any, get: Any, set_: Any, name: str) -> None:
    trace = current()
    if trace is not None:
        will_change(trace, Outer(get, set_, f"closure {name}"))
    set_(value)


def item(owner: Any, key: Any) -> Any:
    """`owner[key]`."""
    if not TRACING:
        return owner[key]
    if type(owner) is Tensor:
        return owner[_index(key)]
    trace = current()
    if trace is None:
        return owner[key]
    if type(owner) in BRACKETS:
        return in_brackets(trace, owner, key)
    if type(owner) is OneOf:
        return owner.split(lambda option: item(option, key))
    if type(key) is OneOf:
        return key.split(lambda option: item(owner, option))
    key = in_trace(key)
    if type(owner) is np.ndarray and (type(key) is Tensor or _has_tensor(key)):
        return trace.captured(owner)[key]
    if type(key) in (Tensor, SymbolicInt) and type(owner) in (list, tuple):
        return _picked(trace, owner, key)
    if is_looked_up(owner, key):
        return looked_up(owner, key)
    value = owner[key]
    return trace.observe(owner, "item", key, value)


def _index(key: Any) -> Any:
    """An index of an array: a list of the graph is one as an array."""
    if type(key) is GraphList:
        return key.as_index() if key.is_staged else key
    if type(key) is tuple and any(type(k) is GraphList for k in key):
        return tuple(map(_index, key))
    return key


def _picked(trace: Trace, owner: Any, key: Any) -> Any:
    """An element of a Python list or tuple that a traced value chooses: of an array, where the elements make up one."""
    if type(key) is SymbolicInt:
        key = trace.dimension(key.dim)
    return picked(trace, owner, key)


def picked(trace: Trace, owner: Sequence[Any], key: Tensor) -> Any:
    """The element at a traced position; of texts, functions and the like, a choice."""
    fixed = trace.root.fixed
    is_choice = bool(owner) and all(map(is_fixed, owner))
    values = GraphList([fixed.number(v) for v in owner] if is_choice else owner)
    values._trace = key._trace
    if not is_choice:
        return values[key]
    return OneOf(fixed, tuple(sorted(set(values))), values[key])
