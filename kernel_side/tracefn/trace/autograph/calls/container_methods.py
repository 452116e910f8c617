"""Methods of lists, dicts, sets and deques in rewritten code: writes enter the journal, and reads are guarded."""

from __future__ import annotations

import collections
import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import UnsupportedFunctionError, message
from ....ir.types import Kind
from ... import provided
from ...active import current
from ...code.plain import holds, plain
from ...context import Trace
from ...control.chosen import refuse_option
from ...control.one_of import OneOf
from ...control.unsettled import is_undecided
from ...foreign import as_foreign, call
from ...origin import is_library, user_source, where
from ...state.paths import is_literal
from ...state.place import Contents, own_item
from ...tensor import Tensor
from ...values.graph_list import GraphList
from ...values.traced_text import Text
from ..augmented import IN_PLACE
from ..containers.buffers import BUFFERS, CONTAINERS, refuse_buffer
from ..containers.changes import decided, name_of, will_change
from ..containers.contents import asked, copied, items_of, operand, read_key, reads_inside, view
from ..containers.ends import as_known, take_at_end
from ..containers.foreseen import foreseen_method, is_foreseen, refuse_pop
from ..containers.keyed import changed_later, waits
from ..containers.lookup import get
from ..containers.numbers import numbers_of
from ..containers.split import made, owner_in, split
from ..containers.symbolic import becomes_symbolic, holds_what_is_found
from ..hooks.items import missing_item, owner_item
from ..hooks.places import refuse_key, store_item
from ..iterators.advancing import refuse_iterator
from ..special import special
from .ordering import sort_list

_WRITES = {
    list: {"append", "extend", "clear"},
    dict: {"update", "clear"},
    set: {"add", "update", "discard", "clear"},
    collections.deque: {"append", "appendleft", "extend", "extendleft", "clear"},
}
"""Methods that change a container without reading it, by its class: each call does them again."""

CHANGES = frozenset(
    "append extend insert add update setdefault pop popitem remove discard clear sort reverse appendleft extendleft "
    "popleft rotate subtract move_to_end difference_update intersection_update symmetric_difference_update frombytes "
    "fromlist byteswap __setitem__ __delitem__ __iadd__".split()
)
"""Methods that change a container, and may read it."""

_MOVES = frozenset("pop popitem popleft insert reverse rotate setdefault move_to_end".split())
"""Methods that move items, whatever these are."""

_ITERABLE = {"extend", "extendleft", "update"}


def _asked(method: Callable[..., Any], *others: Any) -> Any:
    """`a.union(b)`, `a.index(b)` and the like."""
    for other in others:
        refuse_iterator(other)
    owner, name = method.__self__, method.__name__  # type: ignore[attr-defined]
    reads_inside(owner, others)
    if name in ("count", "index") and isinstance(owner, list | tuple | collections.deque):
        if others and type(others[0]) is OneOf:
            return others[0].split(lambda option: _asked(method, option, *others[1:]))
        if _are_compared_by_the_call((*owner, *others)):
            return _found_by_the_call(owner, name, others)
    return method(*others)


def _position(trace: Trace, owner: Any, name: str, *others: Any) -> Any:
    """`owner.index(value)` and `owner.count(value)` of a container from outside."""
    held = numbers_of(owner) if len(others) == 1 and name == "index" else None
    if held is not None and held.is_of_numbers:
        return held.index(*others)
    found = items_of(owner)
    if any(type(item) is Tensor for item in found):
        return _asked(getattr(type(owner)(found), name), *others)
    holds_what_is_found(trace, owner)
    return _asked(getattr(owner, name), *others)


def _found_by_the_call(owner: Any, name: str, others: tuple[Any, ...]) -> Any:
    base: Any = next(c for c in (list, tuple, collections.deque) if isinstance(owner, c))

    def find(items: Any, *others: Any) -> Any:
        return getattr(base(items), name)(*others)

    return call(find, (list(owner), *others), {}, f"{base.__name__}.{name}", reads=True)


def _are_compared_by_the_call(values: tuple[Any, ...]) -> bool:
    """True for numbers and texts of which the call knows some."""
    is_traced = [type(v) is Text or (type(v) is Tensor and not v.ndim) for v in values]
    return any(is_traced) and all(
        t or isinstance(v, bool | int | float | str | np.number) for t, v in zip(is_traced, values, strict=True)
    )


def container_method(trace: Trace, owner: Any, name: str) -> Callable[..., Any] | None:
    """The function that `owner.name` calls. None where it is no method of the container itself."""
    if type(owner) not in _EXACT and not _is_own(owner, name):
        return None
    method = getattr(owner, name)
    name = method.__name__  # a class may give it another one: `push = list.append`
    if is_foreseen(owner):
        return foreseen_method(owner, name, name in CHANGES)
    base: Any = next(c for c in CONTAINERS if isinstance(owner, c))
    if name == "__getitem__" and hasattr(type(owner), "__missing__"):
        return functools.partial(held_item, owner)
    if name == "get" and base is dict:
        return functools.partial(_get, owner)
    if name not in CHANGES and name != "__init__":
        if (
            base is dict
            and name in ("values", "items", "keys")
            and trace.is_outside(owner)
            and not trace.is_changed(owner)
        ):
            trace.read_items(decided(owner))
            return method if name == "keys" else functools.partial(view, owner, name)
        if name in ("index", "count") and type(owner) in (list, tuple, collections.deque) and trace.is_outside(owner):
            return functools.partial(_position, trace, owner, name)
        holds_what_is_found(trace, owner)
        return method if name in _HANDING_ON else functools.partial(_asked, method)
    refuse_option(owner)
    if name == "setdefault" and type(owner) in (dict, collections.OrderedDict, collections.defaultdict):
        return functools.partial(_set_default, owner)
    if isinstance(owner, collections.Counter) and name in ("update", "subtract"):
        return functools.partial(_count, trace, owner, name)
    if name in _WRITES.get(base, ()) and not isinstance(owner, collections.Counter):
        return functools.partial(_write, trace, owner, name)
    if name in ("pop", "popleft") and type(owner) in (list, collections.deque):
        return functools.partial(_removed, trace, owner, name)
    if name in _MOVES and type(owner) in (
        list,
        dict,
        collections.deque,
        collections.OrderedDict,
        collections.defaultdict,
    ):
        becomes_symbolic(trace, owner)
        return method
    if type(owner) is set and name in ("remove", "pop"):
        return functools.partial(_remove_member if name == "remove" else _pop_member, trace, owner)
    if base in BUFFERS:
        refuse_buffer(trace, owner)
    trace.read_whole(decided(owner))
    will_change(trace, Contents(owner, name_of(owner)))
    if name == "sort" and isinstance(owner, list):
        return functools.partial(sort_list, owner, items_of(owner))
    return method


_HANDING_ON = frozenset({"copy", "keys", "values", "items", "__getitem__", "__iter__", "__len__", "__reversed__"})
"""Methods that do not look at what is in a container."""
HANDING_ON = _HANDING_ON | CHANGES - {"remove", "sort"} | {"get"}
"""Methods that look neither at that nor into their arguments."""
_EXACT = frozenset({list, dict, set, collections.deque})


def _is_own(owner: Any, name: str) -> bool:
    """True for a method of Python's. An object of a class of the user's may hold a function under any name, or compute
    it in `__getattr__`."""
    if holds(owner, name):
        return False
    held = next((cls.__dict__[name] for cls in type(owner).__mro__ if name in cls.__dict__), None)
    return is_library(held.__code__.co_filename) if type(held) is types.FunctionType else type(held) in _OF_C


_OF_C = (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType)


def inherited_method(function: Any) -> Callable[..., Any] | None:
    """A method of a base that a class of the user's replaces: `super().__getitem__(key)`. None for others."""
    owner, name, trace = function.__self__, function.__name__, current()
    if trace is None or type(plain(getattr(type(owner), name, None))) is not types.FunctionType:
        return None
    if name == "__getitem__" and isinstance(owner, list | dict):
        return functools.partial(held_item, owner)
    if name in CHANGES:
        what = f"`{name}` of a base is called, and its change is not recorded"
        raise UnsupportedFunctionError(message(what, where(user_source(3)), "Do that outside the traced function."))
    holds_what_is_found(trace, owner)
    return function


def dict_method(owner: Any, name: str) -> Callable[..., Any]:
    """`dict.get` or `dict.__getitem__` of an object, whichever methods its class has."""
    return functools.partial(_get if name == "get" else held_item, owner)


def held_item(owner: Any, key: Any, /) -> Any:
    """The item of a list or dict at a key, whichever methods its class has."""
    trace = _now()
    if type(key) is Tensor or type(key) is slice or (isinstance(owner, dict) and not dict.__contains__(owner, key)):
        if type(key) is not Tensor and hasattr(type(owner), "__missing__"):
            return missing_item(trace, owner, key)
        holds_what_is_found(trace, owner)
        return own_item(owner, key)  # raises Python's error, or asks for `__missing__`
    if trace.is_outside(owner) and trace.is_changed(owner):
        holds_what_is_found(trace, owner)
    return as_foreign(trace.observe(owner, "item", key, own_item(owner, key)))


class ContainerMethod:
    """A method that changes a container, which is not called but passed on."""

    __slots__ = ("bound",)

    def __init__(self, bound: Any) -> None:
        self.bound = bound

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        trace, owner, name = current(), self.bound.__self__, self.bound.__name__
        found = None if trace is None else container_method(trace, owner, name)
        return (found or self.bound)(*args, **kwargs)


def _count(trace: Trace, owner: Any, name: str, /, *args: Any, **kwargs: Any) -> None:
    """`update` and `subtract` of a Counter."""
    is_plain = len(args) == 1 and not kwargs and type(args[0]) in (list, tuple)
    if is_plain and waits(trace, owner, args):
        if not changed_later(trace, owner, name, (list(args[0]),)):
            refuse_key(owner)
        return
    if is_plain:
        trace.journal.will_do(Contents(owner, name_of(owner)), name, (list(args[0]),), user_source(3))
    else:
        trace.read_whole(decided(owner))
        will_change(trace, Contents(owner, name_of(owner)))
    getattr(owner, name)(*map(items_of, args), **kwargs)


def _write(trace: Trace, owner: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
    """A method that reads nothing."""
    if name in _ITERABLE and (given := owner_in(args)) is not None:
        return split(given, lambda: _write(_now(), owner, name, *map(made, args), **kwargs))
    if name in _ITERABLE and args and type(args[0]) is OneOf:
        return args[0].split(lambda option: _write(_now(), owner, name, option, **kwargs))
    if name in _ITERABLE and len(args) == 1:
        args = (dict(copied(args[0], of_pairs=True)) if isinstance(owner, dict) else list(items_of(args[0])),)
    refuse_option(owner)
    place = Contents(owner, name_of(owner))
    if not kwargs and name in ("add", "discard") and waits(trace, owner, args):
        if not changed_later(trace, owner, name, args):
            refuse_key(owner)
        return None
    if trace is trace.root and trace.journal.has_items(owner) and name != "clear" and not isinstance(owner, set):
        becomes_symbolic(trace, owner)
    elif kwargs:
        will_change(trace, place)
    else:
        trace.journal.will_do(place, name, args, user_source(3))
    return getattr(owner, name)(*args, **kwargs)


def _remove_member(trace: Trace, owner: set[Any], value: Any, /) -> None:
    """`remove` of a set. What is in the set is guarded."""
    if is_literal(value) and value in asked(owner, value):
        return _write(trace, owner, "discard", value)
    trace.read_whole(owner)
    will_change(trace, Contents(owner, name_of(owner)))
    return owner.remove(value)


def _pop_member(trace: Trace, owner: set[Any]) -> Any:
    """`pop` of a set."""
    trace.read_whole(owner)
    if trace.is_outside(owner) and len(owner) > 1:
        refuse_pop(owner)
    trace.journal.will_do(Contents(owner, name_of(owner)), "pop", (), user_source(3))
    return owner.pop()


def _removed(trace: Trace, owner: Any, name: str, /, *args: Any) -> Any:
    """`pop` and `popleft` of a list or deque."""
    if (at_end := take_at_end(trace, owner, name, args)) != ():
        return at_end[0]
    becomes_symbolic(trace, owner)
    return getattr(owner, name)(*map(as_known, args))


def _now() -> Trace:
    trace = current()
    assert trace is not None
    return trace


def _get(owner: Any, key: Any, default: Any = None, /) -> Any:
    """`owner.get(key, default)`."""
    found = get(owner, key, default)
    trace = current()
    if trace is None or found is default:
        if trace is not None:
            if is_literal(key) and not dict.__contains__(owner, key):
                read_key(trace, owner, key, False)
            else:
                trace.read_whole(owner)
        return found
    try:
        is_there = dict.__contains__(owner, key)
    except TypeError:
        return found
    if not is_there or found is not own_item(owner, key):
        return found
    if special(owner, "__getitem__") is None:
        return owner_item(owner, key)
    return held_item(owner, key)


def _set_default(owner: Any, key: Any, default: Any = None, /) -> Any:
    """`owner.setdefault(key, default)`."""
    trace = _now()
    if not is_literal(key) or waits(trace, owner, (key, default)) or is_undecided(owner):
        becomes_symbolic(trace, owner)
        return owner.setdefault(key, default)
    if dict.__contains__(asked(owner, key), key):
        return owner_item(owner, key)
    store_item(default, owner, key)
    return default


def augment_container(trace: Trace, name: str, owner: Any, value: Any) -> Any:
    """`owner op= value` of a container, which is changed in place."""
    refuse_option(owner)
    if name == "Add" and type(owner) in (list, collections.deque, GraphList):
        if _is_of_numpy(value):
            return operand(owner) + value  # as NumPy takes the other operand of an array
        if type(owner) is GraphList:
            owner.extend(items_of(value))
        else:
            _write(trace, owner, "extend", items_of(value))
        return owner
    trace.read_whole(decided(owner))
    will_change(trace, Contents(owner, name_of(owner)))
    return IN_PLACE[name](owner, value)


def _is_of_numpy(value: Any) -> bool:
    """True for values whose operators Python asks before a list adds their items to itself."""
    if type(value) is Tensor:
        return value._node.type.kind in (Kind.ARRAY, Kind.SCALAR)
    return isinstance(value, np.ndarray | np.generic)


provided.ContainerMethod = ContainerMethod
