"""Lists and deques of numbers from outside that code uses as a whole: one trace for all lengths but 0."""

from __future__ import annotations

from collections import deque
from typing import Any

from ....errors import ControlFlowError
from ....ir.op import by_name
from ....ir.types import Kind, TensorType
from ...active import TRACING, current
from ...context import Trace
from ...tensor import Tensor
from ...values.graph_list import GraphList
from ...values.lists import type_of_item
from .ends import ends_of


def numbers_of(owner: Any) -> GraphList | None:
    """The numbers in a container from outside whose length is a number, in a list that the graph keeps: those that each
    call finds there, and those that the trace has added. It has at least one. None for any other container."""
    if type(owner) not in (list, deque) or not TRACING or (trace := current()) is None:
        return None
    ends = ends_of(trace, owner)
    before = None if ends is None or not ends.keeps_order else trace.root.lengths.numbers(owner)
    if ends is None or before is None or not ends.has(1):
        return None
    array, is_of_python = before
    element = TensorType(array.dtype, (), Kind.PYTHON if is_of_python else Kind.SCALAR)
    first, last = ends.added()
    if not all(_is_like(element, value) for value in (*first, *last)):
        return None
    found: Any = _listed(trace, array, is_of_python)
    if ends.kept != slice(0, None):
        found = found[ends.kept]
    if first:
        found = GraphList(first) + found
    found.extend(last)
    return found


def _is_like(element: TensorType, value: Any) -> bool:
    """True for a number that certainly is of this type."""
    if type(value) is Tensor and value._one_type is not None:
        return False
    try:
        return type_of_item(value) == element
    except ControlFlowError:
        return False


def _listed(trace: Trace, array: Tensor, is_of_python: bool) -> GraphList:
    """The elements of an array in a list."""
    if is_of_python:
        return GraphList.of(trace.record(by_name("tolist"), (array,), {}))
    made = GraphList()
    made.stage(trace)
    made.extend(array)
    return made
