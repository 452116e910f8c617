"""The contents of a container from outside, as code finds them that iterates over all of it."""

from __future__ import annotations

import collections
import copy
from typing import Any

import numpy as np

from ....errors import UnsupportedArgumentError, message
from ....ir.types import Kind
from ...active import TRACING, current
from ...context import Trace
from ...origin import user_source, where
from ...state.compared import in_order, items, like
from ...state.observe import KEYED
from ...state.paths import is_literal
from ...tensor import Tensor
from ...values.graph_container import is_container
from ...values.records import NUMBERS
from ..iterators.advancing import refuse_iterator
from ..special import array_of, rounds_of
from .changes import decided
from .foreseen import foresee, is_foreseen, settled
from .live import View, live
from .numbers import numbers_of
from .pending import refuse_pending_inside
from .symbolic import holds_what_is_found


def items_of(value: Any) -> Any:
    """The iterable that code which iterates over a value gets: the items of a container from outside are read there."""
    cls = type(value)
    if cls not in _GONE_OVER:
        if cls is View:
            return list(view(value.owner, value.name))  # as it is by now
        if is_container(value):
            return value.listed()
        if TRACING:
            refuse_iterator(value)
            if cls is np.ndarray and value.dtype.kind in "OV":
                refuse_objects(value)
            refuse_pending_inside(value)
        return value
    if not TRACING or (trace := current()) is None:
        return value
    if is_foreseen(value):
        return foresee(value, list)
    decided(value)
    if cls is tuple:
        return tuple([_item(trace, value, i, v) for i, v in enumerate(value)]) if trace.is_outside(value) else value
    if not trace.is_outside(value):
        return value
    if trace.is_changed(value):
        holds_what_is_found(trace, value)
    else:
        trace.read_items(value)
    if issubclass(cls, dict) or cls is set:
        return value  # the keys
    return [_item(trace, value, i, v) for i, v in enumerate(value)]


def extend(owner: list[Any], values: Any, /) -> None:
    """`owner.extend(values)` of a list that the trace has made."""
    owner.extend(items_of(values))


def refuse_objects(array: Any) -> None:
    """Raises for an array of Python objects from outside: their changes are not recorded."""
    trace = current()
    if trace is not None and trace.is_outside(array):
        raise UnsupportedArgumentError(
            message(
                f"an array from outside of dtype {array.dtype} is iterated over",
                where(user_source(3)),
                "Give it a numeric or string dtype.",
            )
        )


def elements_of(value: Any) -> Any:
    """The items for a loop: as `items_of`; objects of the user's classes use their own methods."""
    if type(value) not in _GONE_OVER and TRACING and (mine := rounds_of(value)) is not None:
        return mine
    return items_of(value)


def rounds_over(value: Any) -> Any:
    """The same, for code that may change a container while it goes over it. Numbers in one that grows are a list of the
    graph."""
    held = numbers_of(value)
    return drawn_from(value) if held is None else held


def drawn_from(value: Any) -> Any:
    """The same, for code that takes one item after the other, some of them maybe later."""
    return live(value, elements_of(value))


_GONE_OVER = frozenset(
    {list, tuple, dict, set, collections.deque, collections.OrderedDict, collections.defaultdict, collections.Counter}
)


def _item(trace: Trace, owner: Any, key: Any, value: Any) -> Any:
    """An item that is read as one of all: a number among them is guarded already, unless each call reads it."""
    return trace.observe(owner, "item", key, value)


def view(owner: Any, name: str) -> Any:
    """`d.values()` and `d.items()` of a dict from outside, with the items of each call."""
    trace = current()
    assert trace is not None
    pairs = [(k, _item(trace, owner, k, v)) for k, v in in_order(owner)]
    return View([v for _, v in pairs] if name == "values" else pairs, owner, name)


def operand(value: Any) -> Any:
    """The operand that NumPy is given in the place of a value: an array from outside is read at each call."""
    cls = type(value)
    if cls in (list, tuple, collections.deque):
        held = numbers_of(value)
        return _all_the_way(value) if held is None else held
    if cls is np.ndarray and TRACING and (trace := current()) is not None and trace.is_outside(value):
        return trace.captured(value)
    return value


def _all_the_way(value: Any) -> Any:
    """The same for nested lists, as NumPy reads all levels, and for objects in them that have `__array__`."""
    found = items_of(value)
    if not TRACING or not isinstance(found, list | tuple):
        return found
    inner = [_array_or_items(v) if type(v) in (list, tuple) else array_of(v) for v in found]
    if all(new is old for new, old in zip(inner, found, strict=True)):
        return found
    return tuple(inner) if isinstance(found, tuple) else inner


def _array_or_items(value: Any) -> Any:
    held = numbers_of(value)
    return _all_the_way(value) if held is None else held.as_array()


def compared(values: Any) -> Any:
    """Guards nested containers that Python's own functions compare."""
    if TRACING and (trace := current()) is not None and isinstance(values, list | tuple):
        for value in values:
            if type(value) in _GONE_OVER and trace.is_outside(value):
                trace.read_whole(value)
    return values


def reads_inside(*values: Any) -> None:
    """Guards the containers from outside in those that the trace has made, where code that is not rewritten gets them:
    it compares, adds or counts them as they are."""
    if not TRACING or (trace := current()) is None:
        return
    for value in values:
        if type(value) in _HOLDING_VALUES or (type(value) in _GONE_OVER and not trace.is_outside(value)):
            for inner in items(value):
                if type(inner) in _GONE_OVER and trace.is_outside(inner):
                    trace.read_whole(inner)
                else:
                    reads_inside(inner)


_HOLDING_VALUES = frozenset({type({}.values()), type({}.items())})


def as_found(value: Any) -> Any:
    """A value whose items, at any depth, are read at each call: a text shows all of them."""
    cls = type(value)
    if cls not in _GONE_OVER or not TRACING or current() is None:
        refuse_pending_inside(value)
        return value
    if is_foreseen(value):
        return foresee(value, copy.copy)
    if cls is set:
        return items_of(value)
    is_dict = issubclass(cls, dict)
    held = list(items(value))
    found = [as_found(v) for v in (copied(value).values() if is_dict else items_of(value))]
    if all(new is old for new, old in zip(found, held, strict=True)):
        return value
    return like(value, dict(zip(value, found, strict=True)) if is_dict else found)


def summand(value: Any) -> Any:
    """An operand of `+`, `-` and the like: a container from outside with the items of each call."""
    if not TRACING or type(value) is Tensor:
        return value
    value = settled(value)
    refuse_pending_inside(value)
    cls, trace = type(value), current()
    if cls not in _GONE_OVER or cls is set or trace is None or not trace.is_outside(value):
        return value
    held = items_of(value)
    return like(value, view(value, "items") if issubclass(cls, dict) else held)


_HOLDING = (dict, list, set, collections.deque)


def size_of(value: Any) -> int | None:
    """`len(value)` of a container from outside, of which the code reads nothing else. None for any other value."""
    if type(value) not in _GONE_OVER or not TRACING or (trace := current()) is None or not trace.is_outside(value):
        return None
    if is_foreseen(value) or isinstance(value, set | tuple):
        return None
    trace.read_size(decided(value))
    return len(value)


def read_key(trace: Trace, owner: Any, key: Any, is_there: bool) -> None:
    """Notes that the code depends on a container having a key or not."""
    if trace.is_changed(owner) or not trace.read_key(owner, key, is_there):
        trace.read_whole(owner)


def asked(container: Any, value: Any) -> Any:
    """A container that is asked whether a value is in it."""
    is_known = type(container) in _GONE_OVER or isinstance(container, _HOLDING)
    if is_known and TRACING and (trace := current()) is not None and trace.is_outside(container):
        if isinstance(container, dict | set) and not trace.is_changed(container):
            is_key = type(container) in KEYED and is_literal(value)
            if not is_key or not trace.read_key(container, value, value in container):
                trace.read_items(container)
        else:
            holds_what_is_found(trace, container)
    return container


def searched(container: Any, value: Any) -> Any:
    """A container that `in` goes through: numbers in one that grows are a list of the graph, and each call reads those
    that change. A NaN that a list holds is in it, and equal to nothing: lists of floats are not asked by the graph."""
    if type(value) is Tensor and type(container) in _HASHED and value._node.types[0].kind is Kind.ARRAY:
        hash(np.zeros(0))  # raises, as no array is a key
    trace = current() if TRACING and isinstance(container, list | tuple | collections.deque) else None
    if trace is None or not trace.is_outside(container):
        return container
    held = numbers_of(container)
    if held is not None and held.may_hold(value) and all(c.dtype.kind in "biu" for c in held.columns()[0]):
        return held
    is_of_numbers = type(container) in _GONE_OVER and any(isinstance(item, NUMBERS) for item in container)
    return items_of(container) if is_of_numbers else container


_HASHED = {set, frozenset, dict, collections.Counter, collections.OrderedDict, collections.defaultdict}


def copied(value: Any, of_pairs: bool = False) -> Any:
    """The source of a new container: the items of each call in one from outside. Lists among them stay the lists that
    they are, unless they are the pairs of a dict."""
    if is_foreseen(value):
        return foresee(value, copy.copy)
    if isinstance(value, dict) and TRACING and (trace := current()) is not None and trace.is_outside(value):
        trace.read_items(value)
        return dict(view(value, "items"))
    found = items_of(value) if hasattr(value, "keys") else elements_of(value)
    taken_apart = (tuple, list) if of_pairs else (tuple,)
    if not TRACING or not isinstance(found, list | tuple) or not any(type(v) in taken_apart for v in found):
        return found
    return [items_of(v) if type(v) in taken_apart else v for v in found]
