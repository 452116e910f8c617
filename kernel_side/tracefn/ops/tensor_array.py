"""A TensorArray in a graph: a list of a given size whose elements are written in any order.

An element that was not written is None in the list and reads as zeros. Indices count from 0 and are checked. As in
`ops/lists.py`, programs change lists in place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.dims import maximum
from ..ir.op import Op, register
from .lists import one_element
from .rules import Dim, Kind, Length, TensorType, fresh_dim, type_of

List = list[Any]
UNWRITTEN = "was never written, and the shape of an element is not known"


def _unwritten_rule(size: Any, dtype: Any, shape: Any, kind: str, /) -> TensorType:
    length = fresh_dim() if isinstance(size, TensorType) else size
    return TensorType(dtype, (length, *[fresh_dim() if n is None else n for n in shape]), Kind.LIST, Kind(kind))


def _unwritten(size: Any, dtype: Any, shape: Any, kind: str) -> List:
    return [None] * size


def _write_rule(values: TensorType, index: Any, value: Any, /) -> TensorType:
    element = one_element(values.element, type_of(value))
    return TensorType(element.dtype, (values.shape[0], *element.shape), Kind.LIST, element.kind)


def _write_or_grow_rule(values: TensorType, index: Any, value: Any, /) -> TensorType:
    found = _write_rule(values, index, value)
    known = isinstance(index, int | Dim) and not isinstance(index, bool)
    length: Length = maximum(found.shape[0], index + 1) if known else fresh_dim()
    return TensorType(found.dtype, (length, *found.shape[1:]), Kind.LIST, found.element_kind)


def write(values: List, index: Any, value: Any) -> List:
    """The list with another element. Raises `IndexError` for an index outside of it."""
    check_index(values, index)
    return [*values[:index], value, *values[index + 1 :]]


def write_or_grow(values: List, index: Any, value: Any) -> List:
    """As `write`; an index behind the end makes the list longer."""
    if index < 0:
        raise IndexError(outside(values, index))
    return write([*values, *[None] * (index + 1 - len(values))], index, value)


def check_index(values: List, index: Any) -> None:
    """Raises `IndexError` for an index outside of the list."""
    if not 0 <= index < len(values):
        raise IndexError(outside(values, index))


def outside(values: List, index: Any) -> str:
    return f"index {index} is outside of a TensorArray of size {len(values)}"


def _element_rule(values: TensorType, index: Any, dtype: Any, shape: Any, /) -> TensorType:
    own = tuple(fresh_dim() if isinstance(n, Dim) and n.depends_on_values else n for n in values.shape[1:])
    return TensorType(values.dtype, own, values.element.kind)


def read(values: List, index: Any, dtype: Any, shape: Any) -> Any:
    """An element; zeros of this shape where it was not written. Raises `ValueError` where the shape is None then."""
    check_index(values, index)
    found = values[index]
    if found is None and shape is None:
        raise ValueError(f"element {index} of the TensorArray {UNWRITTEN}")
    return np.zeros(shape, dtype)[()] if found is None else found


def _filled_rule(values: TensorType, dtype: Any, shape: Any, /) -> TensorType:
    return values


def filled(values: List, dtype: Any, shape: Any) -> List:
    """A new list, with zeros in the place of items that were not written. Raises as `read`."""
    return [read(values, i, dtype, shape) for i in range(len(values))]


# --- Python statements


def _unwritten_lines(target: str, arguments: list[str]) -> list[str]:
    text = f"[None] * {arguments[0]}"
    return [f"{target} = {text}" if target else text]


def _write_lines(target: str, arguments: list[str]) -> list[str]:
    values, index, value = arguments
    statement = f"{values}[{index}] = {value}"
    if not target:
        return [statement]
    return [f"if not 0 <= {index} < len({values}):", _raise_outside(values, index), statement, f"{target} = {values}"]


def _write_or_grow_lines(target: str, arguments: list[str]) -> list[str]:
    values, index, value = arguments
    statement = f"{values}[{index}] = {value}"
    if not target:
        return [statement]
    grown = f"{values}.extend([None] * ({index} + 1 - len({values})))"
    return [f"if {index} < 0:", _raise_outside(values, index), grown, statement, f"{target} = {values}"]


def _read_lines(target: str, arguments: list[str]) -> list[str]:
    values, index, dtype, shape = arguments
    element = f"{values}[{index}]"
    if not target:
        return [element]
    error = f'raise ValueError(f"element {{{index}}} of the TensorArray {UNWRITTEN}")'
    return [
        f"if not 0 <= {index} < len({values}):",
        _raise_outside(values, index),
        f"{target} = {element}",
        f"if {target} is None:",
        f"    {error if shape == 'None' else f'{target} = np.zeros({shape}, {dtype})[()]'}",
    ]


def _filled_lines(target: str, arguments: list[str]) -> list[str]:
    values, dtype, shape = arguments
    if shape != "None":
        text = f"[np.zeros({shape}, {dtype})[()] if e is None else e for e in {values}]"
        return [f"{target} = {text}" if target else text]
    if not target:
        return [f"list({values})"]
    error = f'raise ValueError("an element of the TensorArray {UNWRITTEN}")'
    return [f"if [e for e in {values} if e is None]:", f"    {error}", f"{target} = {values}"]


def _raise_outside(values: str, index: str) -> str:
    return f'    raise IndexError(f"index {{{index}}} is outside of a TensorArray of size {{len({values})}}")'


def _op(name: str, call: Callable[..., Any], rule: Callable[..., Any], lines: Any, view: bool = True) -> Op:
    return register(Op(name, call, rule, style="list", fresh_dims=True, lines=lines, view=view))


array_unwritten = _op("array_unwritten", _unwritten, _unwritten_rule, _unwritten_lines, view=False)
array_write = _op("array_write", write, _write_rule, _write_lines)
array_write_or_grow = _op("array_write_or_grow", write_or_grow, _write_or_grow_rule, _write_or_grow_lines)
array_read = _op("array_read", read, _element_rule, _read_lines)
array_filled = _op("array_filled", filled, _filled_rule, _filled_lines)
