"""Lists and deques of numbers from outside that code uses as a whole: one trace for all lengths but 0."""

from __future__ import annotations

from collections import deque
from typing import Any

from ....errors import ControlFlowError
from ....ir.op import by_name
from ....ir.types import Kind, TensorType
from ...active import TRACING, current
from ...context import Trace
from ...state.paths import NumbersKey
from ...tensor import Tensor
from ...values.graph_list import GraphList
from ...values.lists import type_of_item
from ...values.records import COLUMN, Record
from .ends import ends_of


def numbers_of(owner: Any) -> GraphList | None:
    """The numbers in a container from outside whose length is a number, or the tuples of numbers, in a list that the
    graph keeps: those that each call finds there, and those that the trace has added. It has at least one. None for any
    other container."""
    if type(owner) not in (list, deque) or not TRACING or (trace := current()) is None:
        return None
    ends = ends_of(trace, owner)
    before = {} if ends is None or not ends.keeps_order else trace.root.lengths.numbers(owner)
    if ends is None or not before or not ends.has(1):
        return None
    record = Record(tuple, (), (COLUMN,) * len(before)) if all(type(key) is tuple for key in before) else None
    elements = [_element(key, array) for key, array in before.items()]
    first, last = ends.added()
    if not all(_is_like(elements, record, value) for value in (*first, *last)):
        return None
    columns = [_column(trace, array, element) for array, element in zip(before.values(), elements, strict=True)]
    found: Any = GraphList.of(*columns, record=record)
    if ends.kept != slice(0, None):
        found = found[ends.kept]
    if first:
        found = GraphList(first) + found
    found.extend(last)
    found.found_in = owner
    return found


def _element(key: NumbersKey, array: Tensor) -> TensorType:
    """The type of the numbers that are found by a key."""
    kind = key if isinstance(key, str) else key[-1]
    return TensorType(array.dtype, (), Kind.SCALAR if kind.startswith("np.") else Kind.PYTHON)


def _is_like(elements: list[TensorType], record: Record | None, item: Any) -> bool:
    """True for an item whose numbers certainly are of these types."""
    values = [item] if record is None else record.columns(item)
    if values is None or any(type(value) is Tensor and value._one_type is not None for value in values):
        return False
    try:
        return [type_of_item(value) for value in values] == elements
    except ControlFlowError:
        return False


def _column(trace: Trace, array: Tensor, element: TensorType) -> Tensor:
    """The elements of an array as a list keeps them."""
    if element.kind is Kind.PYTHON:
        listed: Tensor = trace.record(by_name("tolist"), (array,), {})
        return listed
    made = GraphList()
    made.stage(trace)
    made.extend(array)
    return made.columns()[0][0]
