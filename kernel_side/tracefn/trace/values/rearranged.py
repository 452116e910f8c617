"""Removal and reordering of the elements of a list that the graph keeps: `remove`, `del`, `sort`, `heapq`."""

from __future__ import annotations

import contextlib
from typing import Any

from .. import provided
from ..context import Trace
from ..tensor import Tensor
from . import lists
from .columns import Columns
from .eagerly_once import told_by_value


class Rearranged(Columns):
    """The methods that remove or reorder elements. While it is a Python list, they are those of `list`."""

    __slots__ = ()

    def _enter(self) -> Trace | None:
        raise NotImplementedError

    def _stage_for(self, *asked: Any) -> None:
        raise NotImplementedError

    def _put(self, op_name: str, value: Any, *position: Any, is_alone: bool = False) -> None:
        raise NotImplementedError

    def _noting_casts(self, trace: Trace) -> contextlib.AbstractContextManager[None]:
        raise NotImplementedError

    def _made(self, op_name: str, *arguments: Any) -> Any:
        raise NotImplementedError

    def stage(self, trace: Trace) -> None:
        raise NotImplementedError

    def remove(self, value: Any) -> None:
        self._stage_for(value)
        if self._enter() is None:
            super().remove(value)
        elif self._record is not None:
            self._refuse("used with `remove`, and its elements are no numbers")
        else:
            self._columns = tuple(self._ask("list_remove", *self._values_of(told_by_value(value))))

    def __delitem__(self, index: Any) -> None:
        self._stage_for(index)
        if self._enter() is None:
            super().__delitem__(index)
        elif isinstance(index, slice):
            self._refuse("shortened by a slice")
        else:
            self._columns = tuple(self._ask("list_delete", index))

    def clear(self) -> None:
        if self._enter() is None:
            super().clear()
        else:
            self._columns = tuple(self._ask("list_slice", None, 0, None))

    def reverse(self) -> None:
        trace = self._enter()
        if trace is None:
            super().reverse()
        else:
            self._columns = tuple(self._ask("list_reverse"))

    def sort(self, *, key: Any = None, reverse: Any = False) -> None:
        if self._enter() is None:
            super().sort(key=key, reverse=reverse)
        else:
            self._columns = self.in_order(self if key is None else provided.kept_keys(self, key), bool(reverse))

    def in_order(self, keys: Any, reverse: bool) -> tuple[Tensor, ...]:
        """The columns in the order of these keys of the elements."""
        return tuple(self._ask("list_pick", keys.order(reverse)))

    def heap(self, name: str, *items: Any) -> Any:
        """A function of `heapq`: `heapify`, `push`, `pop`, `replace` or `pushpop`."""
        trace = self._enter()
        assert trace is not None
        if len(self._columns) > 1 and trace.root.list_kinds.in_graph:
            self._refuse("used as a heap of tuples beside a dict or set: eager code is faster")
        if name == "push" and self._is_without_type:
            return self._put("list_append", *items)
        if items:
            with self._noting_casts(trace):
                given = zip(self._columns, self._values_of(items[0]), strict=True)
                pairs = [lists.fitted(trace, column, v, lists.type_of_item(v)) for column, v in given]
            self._columns = tuple([column for column, _ in pairs])
            items = ([value for _, value in pairs],)
        found = self._compared(f"heap_{name}", *items)
        width = len(self._columns)
        self._columns = tuple(found[:width])
        return self._item(list(found[width:])) if len(found) > width else None

    def times(self, number: Tensor) -> Any:
        """`ys * n` of a traced number."""
        kept = self
        if not self._columns:
            kept = type(self)(self)
            kept.stage(number._trace)
        if not kept._has_numbers:
            self._refuse("repeated, and its elements are arrays")
        return kept._made("list_repeat", number)
