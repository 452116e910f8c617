"""Writing by index, `a[i] = v`, as a new array: the old one with elements replaced."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.op import Op, register
from .index import item_type
from .rules import TensorType, operand, probe_at, require_assignable


def _setitem(a: Any, index: Any, value: Any) -> Any:
    made = a.copy(order="K")
    made[index] = value
    return made


def _setitem_rule(a: Any, index: Any, value: Any) -> TensorType:
    a, given = operand(a), operand(value)
    part = item_type(a, index)
    shape = given.shape
    while len(shape) > len(part.shape) and shape[0] == 1:  # leading axes of length 1 do not count
        shape = shape[1:]
    require_assignable(shape, part.shape)
    probe_at(1, _cast, TensorType(a.dtype, ()), TensorType(given.dtype, (), given.kind))
    return a


def _cast(old: Any, new: Any) -> Any:
    """NumPy's verdict on whether values of one dtype can be put into arrays of another."""
    made = np.zeros(1, old.dtype)
    made[0] = new
    return made


def _lines(target: str, arguments: list[str]) -> list[str]:
    array, index, value = arguments
    return [f"{target} = {array}.copy('K')", f"{target}[{index}] = {value}"]


setitem = register(Op("setitem", _setitem, _setitem_rule, style="write", lines=_lines))
