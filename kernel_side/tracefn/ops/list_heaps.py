"""`heapq` on a list in the graph: of numbers, or of tuples in several columns.

The program calls this file `heaps`. Its functions change the columns in place, and give them again. With several, they
make the list of tuples for each call: a heap of n items takes n steps, where `heapq` takes log n.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import Any

from ..ir.op import Op, register
from ..ir.types import TensorType, list_of
from .lists import List, one_element
from .rules import type_of

Columns = list[List]


def _changed(columns: Columns, function: Callable[[List], Any]) -> Any:
    """The result of a heap function, which mutates the columns."""
    if len(columns) == 1:
        return function(columns[0])
    rows = list(zip(*columns, strict=True))
    result = function(rows)
    for number, column in enumerate(columns):
        column[:] = [row[number] for row in rows]
    return result


def _item(values: Sequence[Any]) -> Any:
    return values[0] if len(values) == 1 else tuple(values)


def _taken(columns: Columns, function: Callable[[List], Any]) -> tuple[Any, ...]:
    """The columns after a heap function, and the values of the item that it removed."""
    item = _changed(columns, function)
    return (*columns, item) if len(columns) == 1 else (*columns, *item)


def heapify(columns: Columns) -> tuple[List, ...]:
    _changed(columns, heapq.heapify)
    return tuple(columns)


def push(columns: Columns, values: Sequence[Any]) -> tuple[List, ...]:
    _changed(columns, lambda heap: heapq.heappush(heap, _item(values)))
    return tuple(columns)


def pop(columns: Columns) -> tuple[Any, ...]:
    return _taken(columns, heapq.heappop)


def replace(columns: Columns, values: Sequence[Any]) -> tuple[Any, ...]:
    return _taken(columns, lambda heap: heapq.heapreplace(heap, _item(values)))


def pushpop(columns: Columns, values: Sequence[Any]) -> tuple[Any, ...]:
    return _taken(columns, lambda heap: heapq.heappushpop(heap, _item(values)))


def _copies(function: Callable[..., Any]) -> Callable[..., Any]:
    """The reference implementation, which changes nothing."""
    return lambda columns, /, *values: function([list(column) for column in columns], *values)


def _heapify_rule(columns: Sequence[TensorType], /) -> tuple[TensorType, ...]:
    return tuple(columns)


def _push_rule(columns: Sequence[TensorType], values: Sequence[Any], /) -> tuple[TensorType, ...]:
    pairs = zip(columns, values, strict=True)
    return tuple([_column(column, one_element(column.element, type_of(value)), 1) for column, value in pairs])


def _pop_rule(columns: Sequence[TensorType], /) -> tuple[TensorType, ...]:
    return *[_column(column, column.element, -1) for column in columns], *[column.element for column in columns]


def _replace_rule(columns: Sequence[TensorType], values: Sequence[Any], /) -> tuple[TensorType, ...]:
    pairs = zip(columns, values, strict=True)
    elements = [one_element(column.element, type_of(value)) for column, value in pairs]
    return *[_column(c, element, 0) for c, element in zip(columns, elements, strict=True)], *elements


def _column(column: TensorType, element: TensorType, more: int) -> TensorType:
    return list_of(element, column.shape[0] + more)


def _op(function: Callable[..., Any], rule: Callable[..., Any], **fields: Any) -> Op:
    def lines(target: str, arguments: list[str]) -> list[str]:
        call = f"heaps.{function.__name__}({', '.join(arguments)})"
        return [f"{target} = {call}" if target else call]

    name = f"heap_{function.__name__}"
    return register(Op(name, _copies(function), rule, style="list", fresh_dims=True, lines=lines, **fields))


def _may_be_empty(columns: Sequence[TensorType], /, *values: Any) -> bool:
    length = columns[0].shape[0]
    return not (type(length) is int and length > 0)


heap_heapify = _op(heapify, _heapify_rule)
heap_push = _op(push, _push_rule)
heap_pop = _op(pop, _pop_rule, raises=_may_be_empty)
heap_replace = _op(replace, _replace_rule, raises=_may_be_empty)
heap_pushpop = _op(pushpop, _replace_rule)
