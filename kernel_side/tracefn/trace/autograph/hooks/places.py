"""Reads and writes of attributes, items, globals and outer variables in rewritten code.

Writes are entered into the journal of the trace, reads of what is outside become captures or guards. Where nothing is
traced they are what Python does.
"""

from __future__ import annotations

import contextlib
import functools
import operator
import types
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from ....errors import ControlFlowError, InPlaceWriteError, UnsupportedFunctionError, message
from ... import provided
from ...active import TRACING, current
from ...aliasing.writes import FlatView
from ...context import Trace
from ...control.chosen import Chosen, ChosenDict, refuse_change
from ...control.one_of import MadeOfOne, OneOf, is_fixed
from ...control.types import Typed, settle_types
from ...control.undefined import Maybe
from ...foreign import Foreign, as_foreign, call, is_foreign_value
from ...keys import key_text
from ...origin import is_library, user_source, where
from ...plain import plain
from ...state.place import MISSING, Attribute, Contents, Item, Outer, Place
from ...tensor import Tensor
from ...values.graph_list import GraphList
from ...values.symbolic_int import SymbolicInt
from ...variables.reads import in_trace
from ..calls.callbacks import made_default
from ..calls.numpy_objects import BRACKETS, in_brackets
from ..calls.special import array_of, described, special
from ..containers.buffers import BUFFERS, refuse_buffer
from ..containers.changes import decided, name_of, refuse_unknown, will_change
from ..containers.chosen import picked_parts
from ..containers.contents import items_of
from ..containers.ends import as_known, item_at_end, part_at_end, take_at_end
from ..containers.foreseen import foreseen_item, is_foreseen
from ..containers.kept_arrays import check_write, is_array
from ..containers.keyed import changed_later, item_at_key, waits
from ..containers.lookup import is_looked_up, looked_up
from ..containers.split import split, undecided
from ..containers.symbolic import becomes_symbolic, holds_what_is_found
from ..iterators.iterables import TracedRange
from .attributes import set_of_tensor

slice_ = slice


def store_attribute(value: Any, owner: Any, name: str) -> None:
    if not TRACING:
        setattr(owner, name, value)
        return
    trace = current()
    if type(owner) is Tensor:
        set_of_tensor(owner, name, value)
        return
    if trace is not None and is_foreign_value(owner):
        owner = as_foreign(owner)
    elif trace is not None and type(owner) is not Foreign:
        setter = _setter(type(owner), name)
        if setter is not None:
            trace.function_copy(setter)(owner, value)
            return
        if (found := described(owner, name, "__set__")) is not None:
            found(owner, value)
            return
        if _is_only_read(type(owner), name):
            setattr(owner, name, value)  # raises
        check_write(trace, owner)
        with _changing(trace, Attribute(owner, name, name_of(owner))):
            setattr(owner, name, value)
        return
    setattr(owner, name, value)


@contextlib.contextmanager
def _changing(trace: Trace, place: Place) -> Iterator[None]:
    """Around a change of a place, which may raise instead."""
    will_change(trace, place)
    try:
        yield
    except Exception:
        trace.journal.is_as_before(place)
        raise


def _is_only_read(cls: type, name: str) -> bool:
    """True for a property that cannot be set."""
    found = _property(cls, name)
    return found is not None and found.fset is None


def _property(cls: type, name: str) -> property | None:
    found = next((base.__dict__[name] for base in cls.__mro__ if name in base.__dict__), None)
    return found if type(found) is property else None


def _setter(cls: type, name: str) -> Any:
    """The function that sets a property of the user's. Raises for other ways of a class to do something then."""
    found = _property(cls, name)
    if found is not None and type(setter := plain(found.fset)) is types.FunctionType:
        return setter
    special_setter = plain(cls.__setattr__)
    if type(special_setter) is types.FunctionType and not is_library(special_setter.__code__.co_filename):
        raise UnsupportedFunctionError(
            message(
                f"the class {cls.__name__} has a `__setattr__` of its own, which sets `{name}`",
                where(user_source(3)),
                "Set the attribute with object.__setattr__, or use a property.",
            )
        )
    return None


def delete_attribute(owner: Any, name: str) -> None:
    trace = current()
    if trace is None:
        delattr(owner, name)
        return
    found = _property(type(owner), name)
    if found is not None and type(deleter := plain(found.fdel)) is types.FunctionType:
        trace.function_copy(deleter)(owner)
        return
    place = Attribute(owner, name, name_of(owner))
    in_class = getattr(type(owner), name, None)
    if in_class is None or hasattr(in_class, "__set__"):  # a guard would compute a `functools.cached_property`
        held = place.load()
        if type(held) is Maybe:
            decided([held])
        trace.lacks(owner, "attr", name) if held is MISSING else trace.observe(owner, "attr", name, held)
    with _changing(trace, place):
        delattr(owner, name)


def store_item(value: Any, owner: Any, key: Any) -> None:
    if not TRACING:
        owner[key] = value
        return
    trace = current()
    if type(owner) is Tensor:
        value = array_of(value)
    if type(owner) in (OneOf, MadeOfOne):
        owner.split(lambda option: store_item(value, option, key))
        return
    if type(value) is OneOf and type(owner) in (Tensor, FlatView):
        value.split(lambda option: store_item(option, owner, key))
        return
    if (mine := special(owner, "__setitem__")) is not None:
        mine(key, value)
        return
    if undecided(owner):
        split(owner, lambda: store_item(value, owner, key))
        return
    if trace is not None:
        if isinstance(owner, ChosenDict):
            refuse_change()
        if isinstance(owner, dict) and waits(trace, owner, (key,)) and type(owner).__setitem__ is dict.__setitem__:
            if changed_later(trace, owner, "__setitem__", (key, value)):
                return
            if type(key) is not OneOf or id(owner) in trace.root.keyed:
                refuse_key(owner)
            key.split(lambda option: store_item(value, owner, option))
            return
        if type(owner) is dict or (isinstance(owner, dict) and type(key) is not Tensor):
            will_change(trace, Item(owner, key, f"{name_of(owner)}[{key_text(key)}]"))
        elif isinstance(owner, list | deque) and not isinstance(owner, GraphList):
            _store_in_list(trace, value, owner, key)
            return
        elif type(owner) is Tensor:
            key = _index(key)
            value = call(np.asarray, (value,), {}) if type(value) is Foreign else value
        elif is_foreign_value(owner):
            owner = as_foreign(owner)
        elif type(owner) is np.ndarray and (type(value) is Tensor or type(key) is Tensor or _has_tensor(key)):
            _refuse_array(owner)
        elif is_array(owner):
            check_write(trace, owner)
        elif isinstance(owner, BUFFERS):
            refuse_buffer(trace, owner)
    owner[key] = value


def refuse_key(owner: Any) -> NoReturn:
    raise ControlFlowError(
        message(
            f"a traced value says which item of `{name_of(owner)}` is set",
            where(user_source(3)),
            "Choose by a Python value, or make it an array.",
        )
    )


def _store_in_list(trace: Trace, value: Any, owner: list[Any] | deque[Any], key: Any) -> None:
    if type(key) is Tensor:
        raise ControlFlowError(
            message(
                f"an item of the list `{name_of(owner)}` is set, and a traced value says which",
                where(user_source(3)),
                "Make it an array, or set items by Python ints.",
            )
        )
    if isinstance(owner, Chosen):
        refuse_change()
    place: Place = Contents(owner, name_of(owner))
    if type(key) is int and -len(owner) <= key < len(owner):
        place = Item(owner, key % len(owner), f"{name_of(owner)}[{key}]")
    if isinstance(place, Contents):
        becomes_symbolic(trace, owner)
    else:
        if trace.is_changed(owner):
            holds_what_is_found(trace, owner)
        trace.read_length(owner)
        will_change(trace, place)
    owner[key] = value


def _has_tensor(key: Any) -> bool:
    if type(key) is slice:
        return any(type(p) is Tensor for p in (key.start, key.stop, key.step))
    return type(key) is tuple and any(type(k) is Tensor or _has_tensor(k) for k in key)


def _refuse_array(owner: Any) -> None:

    raise InPlaceWriteError(
        message(
            f"the array `{name_of(owner)}`, which is outside the traced function, is given traced values in place",
            where(user_source(3)),
            "Return the new value and assign it outside, or write into an array that the function makes.",
        )
    )


def delete_item(owner: Any, key: Any) -> None:
    trace = current()
    if (mine := special(owner, "__delitem__")) is not None:
        mine(key)
        return
    if type(owner) is OneOf:
        owner.split(lambda option: delete_item(option, key))
        return
    if undecided(owner):
        split(owner, lambda: delete_item(owner, key))
        return
    if trace is not None and isinstance(owner, dict | list | deque):
        key = as_known(key)
        if take_at_end(trace, owner, "__delitem__", (key,)) != ():
            return
        becomes_symbolic(trace, owner)
    elif trace is not None and isinstance(owner, BUFFERS):
        refuse_buffer(trace, owner)
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
    if type(key) is Foreign:
        return call(operator.getitem, (owner, key), {})
    if type(owner) is Tensor:
        return owner[_index(key)]
    trace = current()
    if trace is None:
        return owner[key]
    if type(owner) is Foreign or is_foreign_value(owner):
        return as_foreign(owner)[key]
    if type(owner) in BRACKETS:
        return in_brackets(trace, owner, key)
    if type(owner) in (OneOf, MadeOfOne):
        return owner.split(lambda option: item(option, key))
    if is_foreseen(owner):
        return foreseen_item(trace, owner, key)
    if type(key) is OneOf:
        return key.split(lambda option: item(owner, option))
    key = in_trace(key)
    if undecided(owner):
        return split(owner, lambda: item(owner, key))
    if type(owner) is np.ndarray and (type(key) is Tensor or _has_tensor(key)):
        return trace.captured(owner)[key]
    if isinstance(owner, list | tuple | deque):
        if (at_end := item_at_end(trace, owner, key)) != ():
            return at_end[0]
        key = slice(*map(as_known, (key.start, key.stop, key.step))) if type(key) is slice else as_known(key)
    if type(key) in (Tensor, SymbolicInt) and type(owner) in (list, tuple, Chosen):
        return _picked(trace, owner, key)
    if is_looked_up(owner, key):
        return looked_up(owner, key)
    if type(key) is not str:
        refuse_unknown(trace, owner)
    if (mine := special(owner, "__getitem__")) is not None:
        return mine(key)
    if type(key) is slice and isinstance(owner, list | tuple):
        return _part(trace, owner, key)
    missing = getattr(type(owner), "__missing__", None) if isinstance(owner, dict) else None
    if missing is not None and _is_missing(owner, key):
        trace.lacks(owner, "item", key)
        if missing is not Counter.__missing__:
            will_change(trace, Item(owner, key, f"{name_of(owner)}[{key_text(key)}]"))
        if (mine := special(owner, "__missing__")) is not None:
            return mine(key)
        made_default(owner, key)
        return owner[key]
    if isinstance(owner, list | dict | deque) and trace.is_outside(owner) and trace.is_changed(owner):
        holds_what_is_found(trace, owner)
    if isinstance(owner, BUFFERS):
        trace.read_whole(owner)
        return owner[key]
    try:
        value = owner[key]
    except LookupError:
        trace.read_whole(owner)
        raise
    try:
        return as_foreign(trace.observe(owner, "item", key, value))
    except TypeError:
        if not _is_part(key):
            raise
        return value if type(owner) in _IMMUTABLE else _refuse_part(owner)


_IMMUTABLE = (str, bytes, range, tuple)


def _is_part(key: Any) -> bool:
    """True for a key that names no single place: it has no hash."""
    return type(key) is slice or (type(key) is tuple and any(map(_is_part, key)))


def _refuse_part(owner: Any) -> NoReturn:
    raise UnsupportedFunctionError(
        message(
            f"a part of an object of type {type(owner).__name__} is taken, which may change between calls",
            where(user_source(3)),
            "Do that outside the traced function, or give the array a numeric dtype.",
        )
    )


def changed_by_operator(function: Callable[..., Any]) -> Callable[..., Any]:
    """`operator.iadd` and the like, which change a list or dict that they are given."""

    def call(owner: Any, /, *args: Any) -> Any:
        if isinstance(owner, list | dict | set | deque) and current() is not None:
            raise UnsupportedFunctionError(
                message(
                    f"`operator.{function.__name__}` changes a container, and its change is not recorded",
                    where(user_source(3)),
                    "Use the statement itself.",
                )
            )
        return function(owner, *args)

    return call


def changing_item(owner: Any, key: Any) -> Any:
    """`owner[key]`, which the code is about to change: a number there is read at each call."""
    if TRACING and isinstance(owner, dict | list) and (trace := current()) is not None:
        if (waiting := item_at_key(owner, key)) is not None:
            return waiting
        trace.varies(owner, key)
    return item(owner, key)


def _is_missing(owner: Any, key: Any) -> bool:
    try:
        return key not in owner
    except TypeError:  # Python says so when it is looked up
        return False


def _part(trace: Trace, owner: Any, key: slice_) -> Any:
    """`owner[start:stop:step]` of a list or tuple, with what each call finds there."""
    if not trace.is_outside(owner):
        return owner[key]
    if (at_end := part_at_end(trace, owner, key)) is not None:
        return at_end
    if trace.is_changed(owner):
        holds_what_is_found(trace, owner)
        return owner[key]
    found = owner[key]
    trace.read_items(owner)
    positions = range(len(owner))[key]
    return type(found)([trace.observe(owner, "item", i, owner[i]) for i in positions])


def _index(key: Any) -> Any:
    """An index of an array: a list of the graph is one as an array."""
    if type(key) is GraphList:
        return key.as_index() if key.is_staged else key
    if type(key) is tuple and any(type(k) in (GraphList, TracedRange) for k in key):
        return tuple(map(_index, key))
    return key.as_array() if type(key) is TracedRange else key


def _picked(trace: Trace, owner: Any, key: Any) -> Any:
    """An element of a Python list or tuple that a traced value chooses: of an array, where the elements make up one."""
    if type(key) is SymbolicInt:
        key = trace.dimension(key.dim)
    return picked(trace, items_of(owner), key)


def picked(trace: Trace, owner: Sequence[Any], key: Tensor) -> Any:
    """The element at a traced position; of texts, functions and the like, a choice; of numbers of several types, one
    of them."""
    if (found := picked_parts(owner, key, functools.partial(picked, trace))) is not None:
        return found
    settled = settle_types(list(owner), [trace] * len(owner))
    if settled and all(type(v) is Typed for v in settled):
        parts = [picked(trace, column, key) for column in zip(*[(v.value, v.which) for v in settled], strict=True)]
        return Typed.__tracefn_unflatten__(settled[0].types, (parts[0], parts[1]))
    fixed = trace.root.fixed
    is_choice = bool(owner) and all(map(is_fixed, owner))
    values = GraphList([fixed.number(v) for v in owner] if is_choice else owner)
    values._trace = key._trace
    if not is_choice:
        return values[key]
    return OneOf(fixed, tuple(sorted(set(values))), values[key])


provided.item = item
