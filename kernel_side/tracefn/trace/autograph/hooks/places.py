"""Reads and writes of attributes, items, globals and outer variables in rewritten code.

Writes are entered into the journal of the trace, reads of state outside become captures or guards. Where nothing is
traced they are Python's own.
"""

from __future__ import annotations

import contextlib
import types
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NoReturn

import numpy as np

from ....errors import InPlaceWriteError, UnsupportedFunctionError, message
from ...active import TRACING, current
from ...aliasing.writes import FlatView
from ...code.plain import plain
from ...context import Trace
from ...control.carried.checks import no_way
from ...control.chosen import Chosen, ChosenDict, refuse_change
from ...control.one_of import MadeOfOne, OneOf
from ...control.undefined import Maybe
from ...foreign import Foreign, as_foreign, call, is_foreign_value
from ...keys import key_text
from ...origin import user_source, where
from ...state.place import MISSING, Attribute, Contents, Item, Outer, Place, reads_itself
from ...tensor import Tensor
from ...values.graph_list import GraphList
from ..containers.buffers import BUFFERS, refuse_buffer
from ..containers.changes import decided, name_of, will_change
from ..containers.contents import items_of, operand
from ..containers.ends import as_known, take_at_end
from ..containers.foreseen import foresee, is_foreseen
from ..containers.kept_arrays import check_write, is_array
from ..containers.keyed import changed_later, waits
from ..containers.pending import refuse_pending_inside
from ..containers.split import split, undecided
from ..containers.symbolic import becomes_symbolic, holds_what_is_found
from ..special import array_of, described, inherits, is_code_of_user, special
from .attributes import holder_of, refuse_dict, set_of_tensor
from .items import _has_tensor, _index


def store_attribute(value: Any, owner: Any, name: str) -> None:
    if not TRACING:
        setattr(owner, name, value)
        return
    trace = current()
    if type(owner) is Tensor:
        set_of_tensor(owner, name, value)
        return
    if type(owner) is OneOf:
        owner.split(partial(store_attribute, value, name=name))
        return
    if trace is not None and is_foreign_value(owner):
        owner = as_foreign(owner)
    elif trace is not None and type(owner) is not Foreign:
        owner = holder_of(owner)
        if name == "__dict__":
            refuse_dict("`.__dict__ = …`")
        if type(owner).__setattr__ is dict.__setitem__ and type(owner).__setitem__ is dict.__setitem__:
            store_item(value, owner, name)
            return
        if (mine := special(owner, "__setattr__")) is not None:
            mine(name, value)
            return
        _refuse_unknown_setter(type(owner), name)
        inherits(owner, "__setattr__")
        store_plainly(value, owner, name, setattr)
        return
    setattr(owner, name, value)


def store_plainly(value: Any, owner: Any, name: str, store: Callable[[Any, str, Any], None]) -> None:
    """Sets an attribute as `store` does, whichever `__setattr__` the class of the owner has: properties and other
    descriptors are asked."""
    trace = current()
    assert trace is not None
    if name == "__class__":
        raise UnsupportedFunctionError(
            message(
                f"`{name_of(owner)}` gets another class, and with it other methods and properties",
                where(user_source(3)),
                "Make an object of the other class.",
            )
        )
    setter = _setter(type(owner), name)
    if setter is not None:
        trace.function_copy(setter)(owner, value)
        return
    if (found := described(owner, name, "__set__")) is not None:
        found(owner, value)
        return
    if _is_only_read(type(owner), name):
        store(owner, name, value)  # raises
    if trace is not trace.root:  # its value before is read, at each call
        _refuse_reading(type(owner), name)
    check_write(trace, owner)
    with _changing(trace, Attribute(owner, name, name_of(owner))):
        store(owner, name, value)


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
    """The function that sets a property of the user's. None for other attributes."""
    found = _property(cls, name)
    return setter if found is not None and type(setter := plain(found.fset)) is types.FunctionType else None


def _refuse_unknown_setter(cls: type, name: str) -> None:
    """Raises for a `__setattr__` that is neither Python's own nor a function of the user's."""
    if is_code_of_user(cls.__setattr__) or cls.__setattr__.__name__ != "__setattr__":
        raise UnsupportedFunctionError(
            message(
                f"the class {cls.__name__} has a `__setattr__` of its own, which sets `{name}`",
                where(user_source(3)),
                "Set the attribute with object.__setattr__, or use a property.",
            )
        )
    return None


def _refuse_reading(cls: type, name: str) -> None:
    """Raises for a class that sees each read of an attribute."""
    if reads_itself(cls):
        raise UnsupportedFunctionError(
            message(
                f"`{name}` is set or deleted where its value before may be needed, and the class {cls.__name__} has a "
                "`__getattribute__` of its own, which would see a read",
                where(user_source(3)),
                "Use a property.",
            )
        )


def delete_attribute(owner: Any, name: str) -> None:
    trace = current()
    if trace is None:
        delattr(owner, name)
        return
    if type(owner) is OneOf:
        owner.split(lambda option: delete_attribute(option, name))
        return
    owner = holder_of(owner)
    if type(owner).__delattr__ is dict.__delitem__:
        delete_item(owner, name)
        return
    if (mine := special(owner, "__delattr__")) is not None:
        mine(name)
        return
    inherits(owner, "__delattr__")
    delete_plainly(owner, name, delattr)


def delete_plainly(owner: Any, name: str, delete: Callable[[Any, str], None]) -> None:
    """Deletes an attribute as `delete` does, whichever `__delattr__` the class of the owner has."""
    trace = current()
    assert trace is not None
    found = _property(type(owner), name)
    if found is not None and type(deleter := plain(found.fdel)) is types.FunctionType:
        trace.function_copy(deleter)(owner)
        return
    _refuse_reading(type(owner), name)
    place = Attribute(owner, name, name_of(owner))
    in_class = getattr(type(owner), name, None)
    if in_class is None or hasattr(in_class, "__set__"):  # a guard would compute a `functools.cached_property`
        held = place.load()
        if type(held) is Maybe:
            decided([held])
        trace.lacks(owner, "attr", name) if held is MISSING else trace.observe(owner, "attr", name, held)
    if trace is not trace.root:
        trace.root.deleted_from[id(owner)] = owner
    with _changing(trace, place):
        delete(owner, name)


def store_item(value: Any, owner: Any, key: Any) -> None:
    if TRACING:
        _store_traced(value, owner, key)
    else:
        owner[key] = value


def _store_traced(value: Any, owner: Any, key: Any) -> None:
    """The same in a trace."""
    trace = current()
    if type(owner) is Foreign:  # whatever the object is, it changes in a step
        owner[key] = value
        return
    if type(owner) is Tensor:
        _store_in_array(trace, operand(array_of(value)), owner, key)
        return
    if type(key) is slice and isinstance(owner, list):
        value = items_of(value)
    if type(owner) in (OneOf, MadeOfOne):
        owner.split(lambda option: store_item(value, option, key))
        return
    if type(value) is OneOf and type(owner) is FlatView:
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
            whole = Contents(owner, "")
            if trace is trace.root and trace.journal.operations.get(whole) and not trace.journal.has_items(owner):
                trace.journal.will_do(whole, "__setitem__", (key, value), user_source(3))
            else:
                will_change(trace, Item(owner, key, f"{name_of(owner)}[{key_text(key)}]"))
        elif isinstance(owner, list | deque) and not isinstance(owner, GraphList):
            _store_in_list(trace, value, owner, key)
            return
        elif is_foreign_value(owner):
            owner = as_foreign(owner)
        elif type(owner) is np.ndarray and (type(value) is Tensor or type(key) is Tensor or _has_tensor(key)):
            _refuse_array(owner)
        elif is_array(owner):
            check_write(trace, owner)
        elif isinstance(owner, BUFFERS):
            refuse_buffer(trace, owner)
    owner[key] = value


def _store_in_array(trace: Trace | None, value: Any, owner: Tensor, key: Any) -> None:
    if type(value) is OneOf:
        value.split(lambda option: store_item(option, owner, key))
    elif trace is None:
        owner[key] = value
    else:
        owner[_index(key)] = call(np.asarray, (value,), {}) if type(value) is Foreign else value


def refuse_key(owner: Any) -> NoReturn:
    raise no_way(
        f"a traced value says which item of `{name_of(owner)}` is set", "Choose by a Python value, or make it an array."
    )


def _store_in_list(trace: Trace, value: Any, owner: list[Any] | deque[Any], key: Any) -> None:
    if type(key) is Tensor:
        raise no_way(
            f"an item of the list `{name_of(owner)}` is set, and a traced value says which",
            "Make it an array, or set items by Python ints.",
        )
    if isinstance(owner, Chosen):
        refuse_change()
    place: Place = Contents(owner, name_of(owner))
    if type(key) is int and -len(owner) <= key < len(owner):
        place = Item(owner, key % len(owner), f"{name_of(owner)}[{key}]")
    if isinstance(place, Contents):
        becomes_symbolic(trace, owner)
        refuse_pending_inside(value)
        value = foresee(value, list) if is_foreseen(value) else value
    else:
        if trace.is_changed(owner):
            holds_what_is_found(trace, owner)
        trace.read_length(owner)
        will_change(trace, place)
    owner[key] = value


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
    if type(owner) is Foreign:
        del owner[key]
        return
    if (mine := special(owner, "__delitem__")) is not None:
        mine(key)
        return
    if type(owner) is OneOf:
        owner.split(lambda option: delete_item(option, key))
        return
    if undecided(owner):
        split(owner, lambda: delete_item(owner, key))
        return
    if trace is not None and isinstance(owner, dict | list | deque) and type(owner) is not GraphList:
        key = as_known(key)
        if take_at_end(trace, owner, "__delitem__", (key,)) != ():
            return
        becomes_symbolic(trace, owner)
    elif trace is not None and isinstance(owner, BUFFERS):
        refuse_buffer(trace, owner)
    del owner[key]


def store_global(value: Any, namespace: dict[str, Any], name: str) -> Any:
    """Gives the value, for `(name := value)`."""
    trace = current()
    if trace is not None:
        will_change(trace, Item(namespace, name, f"global {name}"))
    namespace[name] = value
    return value


def store_outer(value: Any, get: Any, set_: Any, name: str) -> Any:
    """Gives the value, for `(name := value)`."""
    trace = current()
    if trace is not None:
        will_change(trace, Outer(get, set_, f"closure {name}"))
    set_(value)
    return value
