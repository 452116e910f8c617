"""Lists of arrays: Python lists as values of a graph (`Kind.LIST`).

Programs change lists in place: `list_append(l, v)` prints as `l.append(v)` and its result is `l` again, as in the code
that the user wrote. That is right because a trace keeps one current version of each list. What an op is `call`ed for by
the reference interpreter is a new list each time. Changing ops have `fresh_dims`, so that two of them are never one.

All arguments are positional. An element is an array, a NumPy scalar or a Python number, of one type in a list: the same
dtype, rank and kind. Lengths in which elements differ are open.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..ir.dims import Dim, Length
from ..ir.op import Op, register
from ..ir.types import NOTHING, array, list_of, python, ufunc_dtypes, weak_operand
from .rules import Kind, RuleError, Shape, TensorType, axis_of, fresh_dim, result, type_of

List = list[Any]


def one_element(first: TensorType, other: TensorType) -> TensorType:
    """The type of elements that are of one type or of another. Raises `RuleError` where there is none."""
    if first.dtype == NOTHING or first == other:
        return other
    if first.dtype != other.dtype or first.ndim != other.ndim or first.kind is not other.kind:
        raise RuleError(f"the elements of a list must have one dtype, rank and kind, not {first!r} and {other!r}")
    return dataclasses.replace(first, shape=tuple(map(_same_or_open, first.shape, other.shape)))


def is_weaker(element: TensorType, other: TensorType) -> bool:
    """True for Python numbers that promotion makes NumPy scalars of the other type."""
    if element.kind is not Kind.PYTHON or other.kind is not Kind.SCALAR:
        return False
    return bool(ufunc_dtypes(np.add, (weak_operand(element), other.dtype))[-1] == other.dtype)


def _same_or_open(length: Length, other: Length) -> Length:
    return length if length == other else fresh_dim()


def _element(values: TensorType) -> TensorType:
    """The type of an element that is taken out of a list. Facts that only values tell, each element tells anew."""
    if values.dtype == NOTHING:
        raise IndexError("list index out of range")
    return dataclasses.replace(values.element, shape=_own(values.shape[1:]))


def _own(shape: Shape) -> Shape:
    return tuple(fresh_dim() if isinstance(n, Dim) and n.depends_on_values else n for n in shape)


def _joined(values: TensorType, elements: Iterable[TensorType], more: Length) -> TensorType:
    """The type of a list after `count` elements of these types were added."""
    element = values.element
    for other in elements:
        element = one_element(element, other)
    return list_of(element, values.shape[0] + more)


# --- types


def _list_rule(values: Sequence[Any], dtype: Any, shape: Sequence[Length | None], kind: str, /) -> TensorType:
    element = TensorType(dtype, tuple(fresh_dim() if n is None else n for n in shape), Kind(kind))
    return list_of(element, len(values))


def _append_rule(values: TensorType, value: Any, /) -> TensorType:
    return _joined(values, [type_of(value)], 1)


def _insert_rule(values: TensorType, index: Any, value: Any, /) -> TensorType:
    return _joined(values, [type_of(value)], 1)


def _extend_rule(values: TensorType, others: TensorType, /) -> TensorType:
    if others.kind is Kind.LIST:
        return _joined(values, [others.element] if others.dtype != NOTHING else [], others.shape[0])
    return _joined(values, [result(others.dtype, others.shape[1:])], others.shape[0])


def _set_rule(values: TensorType, index: Any, value: Any, /) -> TensorType:
    return _joined(values, [type_of(value)], 0)


def _get_rule(values: TensorType, index: Any, /) -> TensorType:
    return _element(values)


def _pop_rule(values: TensorType, index: Any, /) -> tuple[TensorType, TensorType]:
    element = _element(values)
    return dataclasses.replace(values, shape=(values.shape[0] - 1, *values.shape[1:])), element


def _remove_rule(values: TensorType, value: Any, /) -> TensorType:
    return dataclasses.replace(values, shape=(values.shape[0] - 1, *values.shape[1:]))


def _length_rule(values: TensorType, /) -> TensorType:
    return python(int)


def _copy_rule(values: TensorType, /) -> TensorType:
    return values


def _slice_rule(values: TensorType, start: Any, stop: Any, step: Any, /) -> TensorType:
    whole = start is None and stop is None and type(step) in (int, type(None)) and step in (None, 1, -1)
    return values if whole else dataclasses.replace(values, shape=(fresh_dim(), *values.shape[1:]))


def _repeat_rule(values: TensorType, times: Any, /) -> TensorType:
    return dataclasses.replace(values, shape=(fresh_dim(), *values.shape[1:]))


def _range_rule(start: Any, stop: Any, step: Any, /) -> TensorType:
    return list_of(python(int), fresh_dim())


def _cast_rule(values: TensorType, dtype: Any, /) -> TensorType:
    return list_of(TensorType(np.dtype(dtype), (), Kind.SCALAR), values.shape[0])


def _stack_rule(values: TensorType, axis: int, /) -> TensorType:
    shape = list(_own(values.shape[1:]))
    shape.insert(axis_of(axis, len(shape) + 1), values.shape[0])
    return array(_some_dtype(values), tuple(shape))


def _array_rule(values: TensorType, dtype: Any, shape: Any, /) -> TensorType:
    return array(_some_dtype(values), (values.shape[0], *_own(values.shape[1:])))


def _concatenate_rule(values: TensorType, axis: int | None, /) -> TensorType:
    if axis is None:
        return array(_some_dtype(values), (fresh_dim(),))
    shape, axis = list(_own(values.shape[1:])), axis_of(axis, values.ndim - 1)
    both = (values.shape[0], values.shape[1 + axis])
    known = not any(isinstance(n, Dim) and n.depends_on_values for n in both)
    shape[axis] = both[0] * both[1] if known else fresh_dim()
    return array(_some_dtype(values), tuple(shape))


def _some_dtype(values: TensorType) -> Any:
    """The dtype of an array of the elements: as of `np.array([])` where no element was ever there."""
    return values.dtype if values.dtype != NOTHING else np.dtype(float)


def _may_lie_outside(values: TensorType, index: Any, *value: Any) -> bool:
    length = values.shape[0]
    return not (type(index) is type(length) is int and -length <= index < length)


# --- reference implementations, which change nothing


def _list(values: List, dtype: Any, shape: Any, kind: str) -> List:
    return list(values)


def _append(values: List, value: Any) -> List:
    return [*values, value]


def _insert(values: List, index: Any, value: Any) -> List:
    found = list(values)
    found.insert(index, value)
    return found


def _extend(values: List, others: Iterable[Any]) -> List:
    return [*values, *others]


def _set(values: List, index: Any, value: Any) -> List:
    found = list(values)
    found[index] = value
    return found


def _get(values: List, index: Any) -> Any:
    return values[index]


def _pop(values: List, index: Any) -> tuple[List, Any]:
    found = list(values)
    value = found.pop(index)
    return found, value


def _removed(values: List, value: Any) -> List:
    found = list(values)
    found.remove(value)
    return found


def _deleted(values: List, index: Any) -> List:
    found = list(values)
    del found[index]
    return found


def _length(values: List) -> int:
    return len(values)


def _copy(values: List) -> List:
    return list(values)


def _slice(values: List, start: Any, stop: Any, step: Any) -> List:
    return values[start:stop:step]


def _repeated(values: List, times: int) -> List:
    return values * times


def _range(start: int, stop: int, step: int) -> List:
    return list(range(start, stop, step))


def _reversed(values: List) -> List:
    return values[::-1]


def _cast(values: List, dtype: Any) -> List:
    return [np.dtype(dtype).type(v) for v in values]


def _stack(values: List, axis: int) -> Any:
    return np.stack(values, axis)


def _array(values: List, dtype: Any, shape: Any) -> Any:
    return np.array(values) if values else np.empty((0, *shape), dtype)


def _concatenate(values: List, axis: int | None) -> Any:
    return np.concatenate(values, axis)


# --- Python statements


def _changed(statement: str) -> Callable[[str, List], List]:
    return lambda target, arguments: [statement.format(*arguments)]


def _assigned(expression: str) -> Callable[[str, List], List]:
    def lines(target: str, arguments: list[str]) -> list[str]:
        text = expression.format(*arguments)
        return [f"{target} = {text}" if target else text]

    return lines


def _sliced(target: str, arguments: list[str]) -> list[str]:
    start, stop, step = ["" if a == "None" else a for a in arguments[1:]]
    return [f"{target} = {arguments[0]}[{start}:{stop}{f':{step}' if step else ''}]"] if target else []


def _op(name: str, call: Callable[..., Any], rule: Callable[..., Any], lines: Any, **fields: Any) -> Op:
    return register(Op(name, call, rule, **{"style": "list", "fresh_dims": True, "lines": lines} | fields))


_CHANGES = {"changes": True, "raises": _may_lie_outside}

list_new = _op("list_of", _list, _list_rule, _assigned("{0}"), static=frozenset({"dtype", "shape", "kind"}))
list_append = _op("list_append", _append, _append_rule, _changed("{0}.append({1})"), changes=True)
list_insert = _op("list_insert", _insert, _insert_rule, _changed("{0}.insert({1}, {2})"), changes=True)
list_extend = _op("list_extend", _extend, _extend_rule, _changed("{0}.extend({1})"), changes=True)
list_set = _op("list_set", _set, _set_rule, _changed("{0}[{1}] = {2}"), **_CHANGES)
list_get = _op("list_get", _get, _get_rule, _assigned("{0}[{1}]"), view=True, raises=_may_lie_outside)
list_pop = _op("list_pop", _pop, _pop_rule, _assigned("{0}.pop({1})"), view=True, **_CHANGES)
list_remove = _op(
    "list_remove",
    _removed,
    _remove_rule,
    _changed("{0}.remove({1})"),
    changes=True,
    raises=lambda values, value, /: True,
)
list_delete = _op("list_delete", _deleted, _remove_rule, _changed("del {0}[{1}]"), **_CHANGES)
list_len = _op("list_len", _length, _length_rule, _assigned("len({0})"), fresh_dims=False)
list_copy = _op("list_copy", _copy, _copy_rule, _assigned("list({0})"), view=True)
list_slice = _op("list_slice", _slice, _slice_rule, _sliced, view=True)
list_repeat = _op("list_repeat", _repeated, _repeat_rule, _assigned("{0} * {1}"), view=True)
list_range = _op("list_range", _range, _range_rule, _assigned("list(range({0}, {1}, {2}))"))
list_reverse = _op("list_reverse", _reversed, _copy_rule, _changed("{0}.reverse()"), changes=True)
list_cast = _op("list_cast", _cast, _cast_rule, _assigned("[{1}(v) for v in {0}]"))
list_stack = _op("list_stack", _stack, _stack_rule, _assigned("np.stack({0}, {1})"))
list_array = _op("list_array", _array, _array_rule, _assigned("np.array({0}) if {0} else np.empty((0, *{2}), {1})"))
list_concatenate = _op("list_concatenate", _concatenate, _concatenate_rule, _assigned("np.concatenate({0}, {1})"))
