"""Order and search of lists, as Python compares their items: one column of numbers, or several for tuples of these.

`columns` is a list of such columns; an item is the tuple of what they have at its place.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from ..ir.op import Op, register
from ..ir.types import TensorType, list_of, python
from .lists import List


def _rows(columns: Sequence[List]) -> List:
    return list(zip(*columns, strict=True))


def _order(columns: Sequence[List], reverse: bool, /) -> list[int]:
    return sorted(range(len(columns[0])), key=_rows(columns).__getitem__, reverse=reverse)


def _order_rule(columns: Sequence[TensorType], reverse: bool, /) -> TensorType:
    return list_of(python(int), columns[0].shape[0])


def _order_lines(target: str, arguments: list[str]) -> list[str]:
    columns, reverse = arguments
    return [f"{target} = sorted(range(len({columns}[0])), key=list(zip(*{columns})).__getitem__, reverse={reverse})"]


def _pick(values: List, positions: list[int], /) -> List:
    return [values[i] for i in positions]


def _pick_rule(values: TensorType, positions: TensorType, /) -> TensorType:
    return dataclasses.replace(values, shape=(positions.shape[0], *values.shape[1:]))


def _pick_lines(target: str, arguments: list[str]) -> list[str]:
    values, positions = arguments
    return [f"{target} = list(map({values}.__getitem__, {positions}))"]


def _best(function: Callable[..., Any]) -> Callable[[Sequence[List]], int]:
    return lambda columns, /: function(range(len(columns[0])), key=_rows(columns).__getitem__)


def _best_lines(name: str) -> Callable[[str, list[str]], list[str]]:
    def lines(target: str, arguments: list[str]) -> list[str]:
        (columns,) = arguments
        return [f"{target} = {name}(range(len({columns}[0])), key=list(zip(*{columns})).__getitem__)"]

    return lines


def _best_rule(columns: Sequence[TensorType], /) -> TensorType:
    return python(int)


def _may_be_empty(columns: Sequence[TensorType], /) -> bool:
    length = columns[0].shape[0]
    return not (type(length) is int and length > 0)


def _index(values: List, item: Any, /) -> int:
    return values.index(item)


def _index_rule(values: TensorType, item: Any, /) -> TensorType:
    return python(int)


def _count(columns: Sequence[List], item: Sequence[Any], /) -> int:
    return _rows(columns).count(tuple(item))


def _count_rule(columns: Sequence[TensorType], item: Sequence[Any], /) -> TensorType:
    return python(int)


def _holds(columns: Sequence[List], item: Sequence[Any], /) -> bool:
    return tuple(item) in _rows(columns)


def _holds_rule(columns: Sequence[TensorType], item: Sequence[Any], /) -> TensorType:
    return python(bool)


def _assigned(text: str) -> Callable[[str, list[str]], list[str]]:
    return lambda target, arguments: [f"{target} = {text.format(*arguments)}"]


def _op(name: str, call: Callable[..., Any], rule: Callable[..., Any], lines: Any, **fields: Any) -> Op:
    return register(Op(name, call, rule, style="list", lines=lines, **fields))


list_order = _op("list_order", _order, _order_rule, _order_lines, fresh_dims=True)
list_pick = _op("list_pick", _pick, _pick_rule, _pick_lines, fresh_dims=True, view=True)
list_least = _op("list_least", _best(min), _best_rule, _best_lines("min"), raises=_may_be_empty)
list_greatest = _op("list_greatest", _best(max), _best_rule, _best_lines("max"), raises=_may_be_empty)
list_index = _op("list_index", _index, _index_rule, _assigned("{0}.index({1})"), raises=lambda values, item, /: True)
list_count = _op("list_count", _count, _count_rule, _assigned("list(zip(*{0})).count(tuple({1}))"))
list_holds = _op("list_holds", _holds, _holds_rule, _assigned("tuple({1}) in list(zip(*{0}))"))
