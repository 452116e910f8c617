"""The elements of a list that the graph keeps: one column for numbers, several for tuples and dicts."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ...ir.op import by_name
from ...ir.types import NOTHING, Kind
from ..active import current
from ..tensor import Tensor
from . import lists
from .eagerly_once import told_by_value
from .kept_items import keep
from .records import Record
from .symbolic_int import SymbolicInt


class Columns(list[Any]):
    """The methods that read elements from the graph. There are no columns while it is a Python list."""

    __slots__ = ("_columns", "_record")

    _columns: tuple[Tensor, ...]
    _record: Record | None  # of items that are no numbers or arrays

    def _refuse(self, what: str) -> NoReturn:
        raise NotImplementedError

    def columns(self) -> tuple[tuple[Tensor, ...], Record | None]:
        """The columns in the graph, and the structure of tuples as items."""
        return self._columns, self._record

    @property
    def is_of_numbers(self) -> bool:
        """True if the graph keeps elements without axes, in one column."""
        return bool(self._columns) and self._record is None and self._has_numbers

    @property
    def holds_python_numbers(self) -> bool:
        """True if the graph keeps elements that are Python's numbers, in one column."""
        is_plain = bool(self._columns) and self._record is None
        return is_plain and self._columns[0]._node.type.element_kind is Kind.PYTHON

    @property
    def _has_numbers(self) -> bool:
        return all(column._node.type.ndim == 1 for column in self._columns)

    @property
    def rank(self) -> int:
        """The number of axes of an element in the graph."""
        return self._columns[0]._node.type.ndim - 1

    def _ask(self, op_name: str, *arguments: Any) -> list[Any]:
        """The results of an op on each column."""
        trace = current()
        if trace is None or not self._columns:
            self._refuse("used outside the trace that made it")
        return [lists.ask(trace, column, op_name, *arguments) for column in self._columns]

    def _item(self, values: list[Any]) -> Any:
        """The element of these values from the columns."""
        if self._record is None:
            return values[0]
        return self._record.item(values)

    def _read(self, values: list[Any]) -> Any:
        """The same for an element that stays in the list: code must not change its lists and dicts."""
        item, trace = self._item(values), current()
        if self._record is not None and self._record.may_change and trace is not None:
            keep(trace, item)
            trace.root.reads_items = True
        return item

    def as_array(self, of_no_elements: bool = False) -> Any:
        """`np.array` of the elements. Without any, it has their dtype and shape where the caller takes such an array
        `of_no_elements`; else the call bails out where eager code gives another one."""
        trace = current()
        assert trace is not None and self._columns
        if self._record is not None and not (self._record.is_flat and self._has_numbers):
            self._refuse("made an array, and its elements are tuples of more than numbers")
        if not of_no_elements or self._record is not None:
            lists.refuse_empty(trace, self._columns[0], is_of_numbers=self._record is None)
        columns = [lists.as_array(trace, column) for column in self._columns]
        return columns[0] if self._record is None else np.stack(columns, 1)

    def stack(self, axis: int = 0) -> Any:
        """`np.stack` of the elements."""
        return self._joined("list_stack", axis)

    def concatenate(self, axis: int = 0) -> Any:
        """`np.concatenate` of the elements."""
        return self._joined("list_concatenate", axis)

    def _joined(self, op_name: str, axis: int) -> Any:
        if self._record is not None:
            self._refuse("joined to an array, and its elements are tuples")
        return self._ask(op_name, axis)[0]

    def order(self, reverse: bool) -> Tensor:
        """The positions of the elements as `sorted` has them, a list in the graph."""
        return self._compared("list_order", reverse)

    def position_of_best(self, op_name: str) -> Tensor:
        """The position of the first `list_least` or `list_greatest` element. The call raises where there is none."""
        return self._compared(op_name)

    def count(self, value: Any) -> Any:
        if not self._columns:
            return super().count(value)
        return self._compared("list_count", self._values_of(told_by_value(value)))

    def index(self, value: Any, *bounds: Any) -> Any:
        if not self._columns:
            return super().index(value, *bounds)
        if bounds or self._record is not None:
            self._refuse("used with `index` of a part, or of an element that is no number")
        return self._ask("list_index", *self._values_of(told_by_value(value)))[0]

    def holds(self, value: Any) -> Tensor:
        """`value in ys`"""
        return self._compared("list_holds", self._values_of(told_by_value(value)))

    def may_hold(self, value: Any) -> bool:
        """True for a value of the kind of the elements."""
        values = [value] if self._record is None else self._record.columns(value)
        return values is not None and all(map(_is_number, values))

    def _values_of(self, value: Any) -> list[Any]:
        """A value as the columns have elements."""
        if not self.may_hold(value):
            self._refuse("asked for a value of another kind than its elements")
        return [value] if self._record is None else self._record.columns(value) or []

    def _compared(self, op_name: str, *arguments: Any) -> Any:
        trace = current()
        if trace is None or not self._columns:
            self._refuse("used outside the trace that made it")
        if not self._has_numbers or (self._record is not None and not self._record.is_compared):
            self._refuse("asked to compare elements that are no numbers, or tuples of them")
        return trace.record(by_name(op_name), (list(self._columns), *arguments), {})

    def as_index(self) -> Any:
        """`np.array` of the elements as an index: without any, of integers."""
        return np.zeros(0, np.intp) if self._is_without_type else self.as_array(of_no_elements=True)

    @property
    def _is_without_type(self) -> bool:
        """True if nothing was ever put into it."""
        return self._record is None and self._columns[0].dtype == NOTHING


def _is_number(value: Any) -> bool:
    if isinstance(value, Tensor):
        return not value.ndim
    return isinstance(value, SymbolicInt | np.generic | bool | int | float | complex)
