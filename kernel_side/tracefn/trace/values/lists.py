"""Lists of arrays in a trace: how a Python list becomes a value of the graph, and how it is changed.

A list is a Tensor of `Kind.LIST`. Each change gives a new Tensor, and the old one must not be used again: at run time
they are one Python list, changed in place.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np

from ...errors import ControlFlowError, message
from ...ir.dims import Dim
from ...ir.infer import RuleError
from ...ir.number_types import NUMBER_TYPES
from ...ir.op import by_name
from ...ir.types import NOTHING, Kind, TensorType, result, type_of
from ...ops.lists import is_weaker, one_element
from ..context import Trace
from ..origin import user_source, where
from ..tensor import Tensor
from .eagerly_once import eagerly_where
from .records import NUMBERS
from .symbolic_int import SymbolicInt


def is_list(value: Any) -> bool:
    """True for a list in the graph."""
    return type(value) is Tensor and value._node.type.kind is Kind.LIST


def new_list(trace: Trace, values: Iterable[Any], element: TensorType | None = None) -> Tensor:
    """A new list of these arrays and numbers. `element` is the type of an element; without it, that of the values.

    A list without values and without `element` takes whatever is put into it first. Raises `ControlFlowError` where the
    values are not of one type.
    """
    values = list(values)
    found = functools.reduce(
        _one_element, map(type_of_item, values), TensorType(NOTHING, ()) if element is None else element
    )
    shape = tuple(None if isinstance(n, Dim) and n.depends_on_values else n for n in found.shape)
    held = [stored(trace, v) for v in values]
    made: Tensor = trace.record(by_name("list_of"), (held, found.dtype, shape, found.kind.value), {})
    return made


def change(trace: Trace, values: Tensor, op_name: str, *arguments: Any) -> Tensor:
    """The list after `list_append` (value), `list_insert` or `list_set` (index, value), `list_extend` (list or array).

    Python numbers become NumPy scalars where NumPy scalars come together with them: such a list, or an element of it,
    is no result. Raises `ControlFlowError` where the
    value is not of the list's type.
    """
    *index, value = arguments
    added = type_of_item(value)
    if op_name == "list_extend":
        added = added.element if added.kind is Kind.LIST else result(added.dtype, added.shape[1:])
    values, value = fitted(trace, values, value, added)
    changed: Tensor = trace.record(by_name(op_name), (values, *index, value), {})
    return changed


def fitted(trace: Trace, values: Tensor, value: Any, added: TensorType) -> tuple[Tensor, Any]:
    """A list, and the value that comes to it with elements of this type, as one list has them. Raises
    `ControlFlowError` for other types."""
    element = values._node.type.element
    if is_weaker(element, added):
        casts(trace, element.dtype, added.dtype)
        values = trace.record(by_name("list_cast"), (values, added.dtype), {})
    elif is_weaker(added, element) and not isinstance(value, Tensor | SymbolicInt):
        casts(trace, added.dtype, element.dtype)
        value = element.dtype.type(value)
    else:
        _one_element(element, added)
    return values, stored(trace, value)


def casts(trace: Trace, number: np.dtype[Any], scalar: np.dtype[Any]) -> None:
    """Notes that a Python number of a list, as arrays have it, becomes a NumPy scalar."""
    trace.root.casts_lists = True
    trace.root.casts_dtypes |= number != scalar


def ask(trace: Trace, values: Tensor, op_name: str, *arguments: Any) -> Any:
    """The result of `list_get` or `list_pop` (index), `list_len`, `list_copy`, `list_slice` (start, stop, step),
    `list_reverse`, `list_stack` or `list_concatenate` (axis); `list_pop` gives (the list after it, the element)."""
    return trace.record(by_name(op_name), (values, *arguments), {})


def refuse_empty(trace: Trace, values: Tensor, is_of_numbers: bool = True) -> None:
    """Runs calls eagerly in which the list has no elements, where `np.array([])` is another array than the graph's."""
    length, *shape = values._node.type.shape
    is_alike = is_of_numbers and not shape and values._node.type.dtype in (NOTHING, np.dtype(float))
    if isinstance(length, int) or is_alike:
        return
    is_empty = trace.record(by_name("operator.eq"), (ask(trace, values, "list_len"), 0), {})
    eagerly_where(trace, is_empty, "a list has no elements, and its array another dtype or shape than with some")


def as_array(trace: Trace, values: Tensor) -> Tensor:
    """`np.array` of the list. Without elements it has their dtype and shape, where `np.array([])` knows neither; 0
    stands for lengths that only values tell."""
    found = values._node.type
    dtype = np.dtype(float) if found.dtype == NOTHING else found.dtype
    shape = tuple(0 if isinstance(n, Dim) and n.depends_on_values else n for n in found.shape[1:])
    made: Tensor = trace.record(by_name("list_array"), (values, dtype, shape), {})
    return made


def type_of_item(value: Any) -> TensorType:
    """The type of an item for a list. Raises `ControlFlowError` for other values than arrays and numbers."""
    if isinstance(value, Tensor):
        return value._node.type
    if isinstance(value, SymbolicInt):
        return type_of(value.dim)
    if isinstance(value, NUMBERS):
        return type_of(value)
    return refuse_unlike(value)


def refuse_shared(item: Any) -> NoReturn:
    """Raises `ControlFlowError` for a list or dict that a list of the graph, or a name from before, holds as well."""
    kind = _KINDS.get(type(item).__name__, type(item).__name__)
    text = f"a {kind} that something else holds is put into a list that the graph keeps"
    _refuse(text, "Put a copy of it there, `found.append(list(item))`, or a tuple.", is_final=True)


def refuse_unlike(value: Any, is_final: bool = False) -> NoReturn:
    """Raises `ControlFlowError` for a value that is not of the kind of those in the list. One that `is_final` no other
    way to stage a loop mends."""
    kind = _KINDS.get(type(value).__name__, type(value).__name__)
    shown = "" if kind == "list" else f": {value!r:.200}"
    fix = _INSTEAD.get(kind, "")
    held = "arrays and numbers of one type, or tuples, lists or dicts of these that are alike"
    _refuse(f"a {kind} is put into a list that the graph keeps{shown}", f"Such a list holds {held}{fix}.", is_final)


def _refuse(text: str, fix: str, is_final: bool) -> NoReturn:
    error = ControlFlowError(message(text, where(user_source(4)), fix))
    error.is_final = is_final  # type: ignore[attr-defined]
    raise error


_KINDS = {"GraphList": "list", "Text": "text", "str": "text", "OneOf": "value of several kinds"}
_INSTEAD = {
    "tuple": "; keep a list for each part",
    "list": "; keep a list for each part",
    "text": "; keep the numbers, and make texts of them after the loop",
}
"""The value to put into a list of the graph instead, by the kind of the refused one."""


def _one_element(first: TensorType, other: TensorType) -> TensorType:
    try:
        return one_element(first, other)
    except RuleError as error:
        fix = "Give all elements the same dtype and rank, or keep several lists."
        raise ControlFlowError(message(str(error), where(user_source(3)), fix)) from None


def stored(trace: Trace, value: Any) -> Any:
    """A value as a list keeps it: an array that the function has just made is made anew at each call. A number of which
    the call knows the type is a NumPy scalar in it."""
    if type(value) is Tensor and value._one_type is not None and len(value._one_type.types) > 1:
        for number in value._one_type.types:
            casts(trace, NUMBER_TYPES[number].dtype, value.dtype)
    is_array = type(value) is not Tensor and isinstance(value, np.ndarray)
    return trace.record(by_name("copy"), (value,), {}) if is_array else value
