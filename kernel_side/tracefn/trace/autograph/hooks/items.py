"""Reads of items in rewritten code: of arrays, lists and dicts, by Python keys and by traced ones."""

from __future__ import annotations

import functools
import operator
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from ....errors import UnsupportedFunctionError, message
from ... import provided
from ...active import TRACING, current
from ...context import Trace
from ...control.choices import choice, is_array, is_up_to_date
from ...control.chosen import Chosen
from ...control.one_of import MadeOfOne, OneOf, is_fixed
from ...control.outside_containers import is_outside_object
from ...control.types import Typed, settle_types
from ...foreign import Foreign, as_foreign, call, is_foreign_value
from ...keys import key_text
from ...numpy_api.objects import BRACKETS, in_brackets
from ...origin import user_source, where
from ...reads import in_trace
from ...state.paths import is_literal
from ...state.place import Item, own_item
from ...state.resolve import CHANGED_BY_PARTS
from ...tensor import Tensor
from ...values.graph_container import GraphContainer
from ...values.graph_list import GraphList
from ...values.symbolic_int import SymbolicInt
from ...values.traced_range import TracedRange
from ..callbacks import made_default
from ..containers.buffers import BUFFERS
from ..containers.changes import name_of, refuse_unknown, will_change
from ..containers.chosen import picked_parts
from ..containers.contents import items_of, read_key
from ..containers.ends import as_known, ends_of, item_at_end, part_at_end
from ..containers.foreseen import foreseen_item, is_foreseen
from ..containers.keyed import item_at_key
from ..containers.lookup import is_looked_up, looked_up
from ..containers.numbers import numbers_of
from ..containers.pending import refuse_pending_inside
from ..containers.split import split, undecided
from ..containers.symbolic import holds_what_is_found
from ..special import special


class _Key:
    """`key[1:, i]` is what is between the brackets."""

    __slots__ = ()

    def __getitem__(self, found: Any) -> Any:
        return found


key = _Key()

MOST_ARRAYS = 32
"""Arrays of a list that a traced position chooses one of as itself; of longer lists it chooses a value."""


def _has_tensor(key: Any) -> bool:
    if type(key) is slice:
        return any(type(p) is Tensor for p in (key.start, key.stop, key.step))
    return type(key) is tuple and any(type(k) is Tensor or _has_tensor(k) for k in key)


def item(owner: Any, key: Any) -> Any:
    """`owner[key]`."""
    return _traced_item(owner, key) if TRACING else owner[key]


def owner_item(owner: Any, key: Any) -> Any:
    """`owner[key]`, of which a part is read or changed next."""
    if TRACING and type(owner) in _HOLDS_PARTS and (trace := current()) is not None and trace.is_outside(owner):
        is_plain = is_literal(key) and not (trace.is_changed(owner) or is_foreseen(owner) or undecided(owner))
        held = _held_part(owner, key) if is_plain and ends_of(trace, owner) is None else None
        if type(held) in CHANGED_BY_PARTS:
            return trace.observe_owner(owner, "item", key, held)
    return item(owner, key)


def sized_item(function: Any, owner: Any, key: Any) -> Any:
    """`owner[key]`, the argument of a function that is called `len`."""
    return owner_item(owner, key) if function is len else item(owner, key)


_HOLDS_PARTS = (list, dict, OrderedDict, defaultdict)


def _held_part(owner: Any, key: Any) -> Any:
    """The item with a plain key. None where there is none."""
    if isinstance(owner, dict):
        return dict.get(owner, key)
    return owner[key] if type(key) is int and 0 <= key < len(owner) else None


def _traced_item(owner: Any, key: Any) -> Any:
    """The same in a trace. It is a function of its own because closure cells would slow the hook down."""
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
    if isinstance(owner, GraphContainer):
        return owner[key]
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
        if (held := _held_in_graph(trace, owner, key)) is not None:
            return held[key]
        key = slice(*map(as_known, (key.start, key.stop, key.step))) if type(key) is slice else as_known(key)
    is_list = type(owner) in (list, tuple, Chosen) or (type(owner) is GraphList and not owner.is_staged)
    if type(key) in (Tensor, SymbolicInt) and is_list:
        return _picked(trace, owner, key)
    if is_looked_up(owner, key):
        return looked_up(owner, key)
    if type(key) is not str:
        refuse_unknown(trace, owner)
    if (mine := special(owner, "__getitem__")) is not None:
        return mine(key)
    if not isinstance(owner, list | tuple | dict | deque):
        refuse_pending_inside(owner)
    if type(key) is slice and isinstance(owner, list | tuple):
        return _part(trace, owner, key)
    if isinstance(owner, list | dict | deque) and trace.is_outside(owner) and trace.is_changed(owner):
        holds_what_is_found(trace, owner)
    if isinstance(owner, dict) and hasattr(type(owner), "__missing__") and _is_missing(owner, key):
        return missing_item(trace, owner, key)
    if isinstance(owner, BUFFERS):
        trace.read_whole(owner)
        return owner[key]
    try:
        value = owner[key]
    except LookupError:
        read_key(trace, owner, key, False)
        raise
    try:
        return as_foreign(trace.observe(owner, "item", key, value))
    except TypeError:
        if not _is_part(key):
            raise
        return value if type(owner) in _IMMUTABLE else _refuse_part(owner)


def missing_item(trace: Trace, owner: Any, key: Any) -> Any:
    """The item that `__missing__` gives for a key which a dict has not."""
    trace.lacks(owner, "item", key)
    if isinstance(owner, defaultdict):
        trace.observe(owner, "attr", "default_factory", owner.default_factory)
    if (mine := special(owner, "__missing__")) is not None:
        return mine(key)
    if type(owner).__missing__ is not Counter.__missing__:
        if special(owner, "__setitem__") is not None:
            _refuse_default(owner)
        will_change(trace, Item(owner, key, f"{name_of(owner)}[{key_text(key)}]"))
    made_default(owner, key)
    return own_item(owner, key)


def _held_in_graph(trace: Trace, owner: Any, key: Any) -> GraphList | None:
    """The list of the graph that has the numbers of a container which grows, where a part of it is taken, or an item
    at a traced position."""
    if type(key) is slice:
        is_known = type(owner) is not list or part_at_end(trace, owner, key) is not None
        return None if is_known else numbers_of(owner)
    return numbers_of(owner) if type(key) is Tensor else None


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


def _refuse_default(owner: Any) -> NoReturn:
    raise UnsupportedFunctionError(
        message(
            f"a missing key of a {type(owner).__name__} is set by its own `__setitem__`, which Python calls unseen",
            where(user_source(3)),
            "Set the key before: `if key not in d: d[key] = …`.",
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
    if isinstance(owner, GraphContainer):
        return owner.old_item(key)
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


def _part(trace: Trace, owner: Any, key: slice) -> Any:
    """`owner[start:stop:step]` of a list or tuple, with the items of each call."""
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


_OF_GRAPH = frozenset({GraphList, TracedRange})


def _index(key: Any) -> Any:
    """An index of an array: a list of the graph is one as an array."""
    if type(key) is GraphList:
        return key.as_index() if key.is_staged else key
    if type(key) is tuple and not _OF_GRAPH.isdisjoint(map(type, key)):
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
    if len(owner) <= MOST_ARRAYS and all(map(is_array, owner)):
        return _one_of_arrays(trace, owner, key)
    fixed = trace.root.fixed
    is_choice = bool(owner) and all(is_fixed(v) or is_outside_object(v) for v in owner)
    values = GraphList([fixed.number(v) for v in owner] if is_choice else owner)
    values._trace = key._trace
    if not is_choice:
        return values[key]
    return OneOf(fixed, tuple(sorted(set(values))), values[key])


def _one_of_arrays(trace: Trace, arrays: Sequence[Tensor], key: Any) -> Any:
    """The array at a traced position: writes go into it, and later ones into the arrays of the list show in it."""
    now = GraphList([Tensor(trace.node_of(array), trace, owned=False) for array in arrays])
    now._trace = key._trace
    found = now[key]
    if not found._node.type.has_memory:
        return found
    made = choice(trace, "switch", key % len(arrays), tuple(arrays), found)
    is_up_to_date(made)
    return made


provided.item = item
