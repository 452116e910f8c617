"""`sorted`, `list.sort`, and `min` and `max` with a key, where traced values are compared."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ....errors import ControlFlowError, message
from ....ir.op import by_name
from ... import provided
from ...active import current
from ...context import Trace
from ...control.chosen import frozen
from ...control.outside_containers import flatten_made
from ...control.selected import note_selected
from ...origin import user_source, where
from ...reads import in_trace
from ...state.place import own_kind
from ...tensor import Tensor
from ...tree import unflatten
from ...values.graph_dict import GraphDict
from ...values.graph_list import GraphList
from ..containers.contents import compared
from ..hooks.comprehensions import list_comp
from ..hooks.items import picked
from ..hooks.loops import UNROLL


def sorted_(values: Any, /, *, key: Any = None, reverse: Any = False) -> Any:
    """`sorted(values, key=key, reverse=reverse)`."""
    trace, values = current(), in_trace(values)
    if trace is None:
        return sorted(values, key=key, reverse=reverse)
    sorted((), reverse=reverse)  # raises as Python does, where `reverse` is no flag
    if type(values) is GraphList and values.is_staged:
        return _sorted_list(trace, values, key, bool(reverse))
    if key is None and type(values) is Tensor and values.ndim == 1:
        return _sorted_array(trace, values, bool(reverse))
    items = list(values)
    return _in_order(trace, items, _keys(items, key), bool(reverse))


def sort_list(values: list[Any], found: Any, *, key: Any = None, reverse: Any = False) -> None:
    """`values.sort(key=key, reverse=reverse)`. `found` are the items, as the code finds them."""
    ordered = sorted_(found, key=key, reverse=reverse)
    own_kind(values).__setitem__(values, slice(None), ordered)  # a class of the user's may have another


def _sorted_array(trace: Trace, array: Tensor, reverse: bool) -> GraphList:
    """The elements of an array, in a list that the graph keeps where they are many or only the call knows how many."""
    length = array.shape[0]
    found = array[trace.record(by_name("order"), (length, array, reverse), {})]
    if type(length) is int and length <= UNROLL:
        return GraphList(list(found))
    made = GraphList()
    made.stage(trace)
    made.extend(found)
    return made


def _sorted_list(trace: Trace, values: GraphList, key: Any, reverse: bool) -> GraphList:
    """The elements of a list that the graph keeps, in another one."""
    found = values.copy()
    found.sort(key=key, reverse=reverse)
    return found  # type: ignore[return-value]


def kept_keys(values: GraphList, key: Any) -> Any:
    """The keys of the elements of a list that the graph keeps, in another one."""
    owner = getattr(key, "__self__", None)
    if isinstance(owner, GraphDict) and key == owner.get:
        key = owner.held  # None has no order: the call raises
    found = list_comp(values, provided.callee(key), part=getattr(key, "__code__", None))
    if not (type(found) is GraphList and found.is_staged):
        trace = current()
        assert trace is not None
        found = GraphList(found)
        found.stage(trace)
    return found


provided.kept_keys = kept_keys


def _keys(items: list[Any], key: Any) -> list[Any]:
    if key is None:
        return compared(items)
    function = provided.callee(key)
    return [function(item) for item in items]


def _is_traced(value: Any) -> bool:
    return type(value) is Tensor or (type(value) in (tuple, list) and any(map(_is_traced, value)))


def _in_order(trace: Trace, items: list[Any], keys: list[Any], reverse: bool) -> list[Any]:
    if not any(map(_is_traced, keys)):
        order = sorted(range(len(items)), key=keys.__getitem__, reverse=reverse)
        return GraphList([items[i] for i in order])
    positions = trace.record(by_name("order"), (len(items), keys, reverse), {})
    return GraphList(_picked_in_order(trace, items, positions))


def _picked_in_order(trace: Trace, items: list[Any], positions: Tensor) -> list[Any]:
    """The items at these positions, which the graph knows. Lists and dicts among them are read-only, as others may hold
    them, too; those from outside are refused, as each is to stay the object that it is."""
    given, items = items, [frozen(item) for item in items]
    flat = [flatten_made(item, "") for item in items]
    tree = flat[0][1]
    if any(other != tree for _, other in flat):
        raise ControlFlowError(
            message(
                "values of different structure are sorted, and a traced value decides their order",
                where(user_source(4)),
                "Give all the same structure, and of numbers and arrays the same dtype and rank.",
            )
        )
    columns = [_column(trace, [leaves[n][1] for leaves, _ in flat]) for n in range(tree.count())]
    made = [unflatten(tree, [column(positions[i]) for column in columns], like=items[0]) for i in range(len(items))]
    note_selected(trace, made, given)
    return made


def _column(trace: Trace, values: list[Any]) -> Callable[[Any], Any]:
    """A function of a traced position that gives the value there."""
    if all(v is values[0] for v in values):
        return lambda position: values[0]
    return functools.partial(picked, trace, values)


def best_by_key(values: list[Any], key: Any, better: Callable[[Any, Any], Any], choice: Callable[..., Any]) -> Any:
    """`min` or `max` with a key: the first of the values than whose key no other is better."""
    keys = _keys(values, key)
    best = {"the value": values[0], "its key": keys[0]}
    for value, key in zip(values[1:], keys[1:], strict=True):
        best = choice(better(key, best["its key"]), {"the value": value, "its key": key}, best)
    return best["the value"]
