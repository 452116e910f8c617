"""Reading by index, `a[i]`: basic indexing gives views, indexing with arrays gives copies.

One Python operation, four ops, because they differ in two facts for the graph: whether the result may share memory
with the array, and whether values may decide its shape. `getitem_op` picks the op for an index.
"""

from __future__ import annotations

import operator
from typing import Any, cast

import numpy as np

from ..ir.op import Op, register
from ..ir.template import BOUNDS
from ..records import dataclass
from . import warns
from .derivatives.movement import index as derivative
from .rules import (
    Dim,
    Kind,
    Length,
    RuleError,
    Shape,
    TensorType,
    array,
    broadcast_shapes,
    fresh_dim,
    holds_type,
    operand,
    require_indices,
    require_same,
)
from .slicing import has_traced_bound, slice_length


@dataclass(frozen=True, slots=True)
class _Integers:
    """Integers that index one axis; `values` are those known while tracing."""

    shape: Shape
    values: Any = ()


@dataclass(frozen=True, slots=True)
class _Mask:
    """A boolean index of as many axes as it has. `count` is the number of its true elements, None if not known."""

    shape: Shape
    count: int | None = None


_ONE_AXIS = frozenset({int, type(None), type(Ellipsis)})
"""Types of the parts of an index that never copy."""


def getitem_op(index: Any) -> Op:
    """The op for `a[index]`. Traced values in the index need to have `dtype` and `ndim` alone.

    >>> getitem_op((slice(1, None), 0)), getitem_op([0, 1]), getitem_op(array("?", (3,)))
    (<op getitem>, <op getitem_advanced>, <op getitem_mask>)
    """
    parts = _parts(index)
    if (_BASIC.issuperset(map(type, parts)) and BOUNDS.issuperset(_bounds(parts))) or is_field(index):
        return getitem
    copies = fresh = False
    for item in parts:
        if type(item) in _ONE_AXIS:
            continue
        if isinstance(item, slice):
            fresh = fresh or has_traced_bound(item)
        elif isinstance(item, np.ndarray) or getattr(item, "ndim", 0) > 0 or _is_sequence(item) or _is_boolean(item):
            copies = True  # an array without axes picks as its number does, and NumPy copies what it picks
            fresh = fresh or _is_boolean(item)
    if copies:
        return getitem_mask if fresh else getitem_advanced
    return getitem_slice if fresh else getitem


def _is_sequence(item: Any) -> bool:
    """True for a list, a range and the like, which index as the array of their items does."""
    return hasattr(item, "__len__") and not hasattr(item, "ndim")


def _is_boolean(item: Any) -> bool:
    """True for a truth value, and for an array or nested list of them."""
    while isinstance(item, list | tuple) and item:
        item = item[0]
    return isinstance(item, bool) or (hasattr(item, "dtype") and item.dtype.kind == "b")


def item_type(a: Any, index: Any) -> TensorType:
    """The type of `a[index]`."""
    if not isinstance(a, TensorType) or a.kind is Kind.PYTHON:
        raise TypeError("only arrays are indexed")
    if a.kind is Kind.SCALAR and a.dtype.kind in "SU":
        raise RuleError("a NumPy text is a Python str, whose parts are not traced")
    if is_field(index):
        return _field_type(a, index)
    parts = _parts(index)
    if (shape := _known_shape(a.shape, parts)) is not None:
        return _type_of_part(a, shape, Ellipsis in parts)
    items = _items(index)
    if items.count(Ellipsis) > 1:
        raise IndexError("an index can only have a single ellipsis")
    used = sum(map(_axes_used, items))
    if used > a.ndim:
        raise IndexError(f"too many indices: array is {a.ndim}-dimensional, but {used} were indexed")
    return _type_of_part(a, _result_shape(a.shape, items, a.ndim - used), Ellipsis in items)


_BASIC = frozenset({int, slice, type(None), type(Ellipsis)})
"""Types of the parts of an index that gives a view."""


def _known_shape(shape: Shape, parts: tuple[Any, ...]) -> Shape | None:
    """The shape that NumPy finds for such parts, where all lengths and bounds are known. None elsewhere."""
    if not (_BASIC.issuperset(map(type, parts)) and _KNOWN.issuperset(map(type, shape))):
        return None
    if not BOUNDS.issuperset(_bounds(parts)):
        return None
    try:  # an array of which all elements are one byte
        one: Any = np.ndarray(cast(tuple[int, ...], shape), bool, b"\0", 0, (0,) * len(shape))
    except ValueError:  # more elements than NumPy counts
        return None
    found: Shape = one[parts].shape
    return found


_KNOWN = frozenset({int})
"""The type of a length that is known."""


def _bounds(parts: tuple[Any, ...]) -> list[type]:
    """The types of the bounds and steps of slices."""
    return [type(b) for p in parts if type(p) is slice for b in (p.start, p.stop, p.step)]


def _type_of_part(a: TensorType, shape: Shape, is_array: bool) -> TensorType:
    """The type of a part of an array: a NumPy scalar where it has no axes, and is not said to be an array."""
    if shape or is_array:
        return array(a.dtype, shape)
    if a.dtype.kind in "OT":
        raise TypeError(f"an element of an array of dtype {a.dtype} is a Python object, which cannot be traced")
    return TensorType(a.dtype, (), Kind.SCALAR)


def is_field(index: Any) -> bool:
    """True for the name of a field of a structured array, and for a list of names."""
    return isinstance(index, str) or (isinstance(index, list) and bool(index) and isinstance(index[0], str))


def _field_type(a: TensorType, index: Any) -> TensorType:
    """The type of a field, which has a shape of its own perhaps, or of an array of some of the fields."""
    dtype = np.zeros((), a.dtype)[index].dtype if isinstance(index, list) else a.dtype[index].base
    shape = (*a.shape, *(() if isinstance(index, list) else a.dtype[index].shape))
    return TensorType(dtype, shape, Kind.ARRAY if shape else a.kind)


def _items(index: Any) -> list[Any]:
    return [_item(i) for i in _parts(index)]


def _parts(index: Any) -> tuple[Any, ...]:
    return index if isinstance(index, tuple) else (index,)


_STEPS = (int, type(None))
"""Types of steps of slices that are known."""


def _item(index: Any) -> Any:
    """One part of an index in normal form: None, Ellipsis, a slice, `_Integers` or `_Mask`. Raises IndexError."""
    if index is None or index is Ellipsis or isinstance(index, slice):
        return index
    if type(index) is int:
        return _Integers((), index)
    if isinstance(index, Dim):
        return _Integers(())
    found, known = operand(index), not holds_type(index)
    if _is_sequence(index) and 0 in found.shape:
        return _Integers(found.shape)
    if found.dtype.kind == "b":
        return _Mask(found.shape, int(np.count_nonzero(index)) if known else None)
    if found.dtype.kind not in "iu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    return _Integers(found.shape, index if known else ())


def _is_fancy(item: Any) -> bool:
    """True if one such item makes integers beside it index arrays, too."""
    return isinstance(item, _Mask) or (isinstance(item, _Integers) and item.shape != ())


def _axes_used(item: Any) -> int:
    if isinstance(item, _Mask):
        return len(item.shape)
    return 0 if item is None or item is Ellipsis else 1


def _result_shape(shape: Shape, items: list[Any], rest: int) -> Shape:
    """The shape of the result. `rest` is how many axes of `shape` no item but an ellipsis uses.

    Index arrays are broadcast together, and their axes replace the ones they index; where something else stands between
    two of them, their axes come first.
    """
    fancy = any(map(_is_fancy, items))
    out: list[Length] = []
    arrays: list[Shape] = []
    place, adjoining, axis = 0, False, 0
    for item in items:
        if isinstance(item, _Integers | _Mask):
            if fancy and not adjoining:
                place = 0 if arrays else len(out)
            adjoining = True
            arrays.append(_index_array(item, shape[axis:]))
        else:
            adjoining = False
            if item is None:
                out.append(1)
            elif item is Ellipsis:
                out += shape[axis : axis + rest]
                axis += rest
            else:
                out.append(slice_length(item, shape[axis]))
        axis += _axes_used(item)
    out += shape[axis:]
    found = broadcast_shapes(*arrays)
    _require_inside(shape, items, rest, something=all(isinstance(n, int) and n > 0 for n in found))
    return (*out[:place], *found, *out[place:])


def _index_array(item: _Integers | _Mask, shape: Shape) -> Shape:
    """The shape of the index arrays that an item stands for, where it meets the axes `shape`."""
    if isinstance(item, _Integers):
        return item.shape
    for length, found in zip(item.shape, shape, strict=False):
        if length != 0:  # NumPy takes an empty axis for any.
            require_same(length, found)
    if 0 in item.shape:
        return (0,)
    return (fresh_dim() if item.count is None else item.count,)


def _require_inside(shape: Shape, items: list[Any], rest: int, something: bool) -> None:
    """Raises IndexError where an integer that is known certainly lies outside its axis.

    NumPy looks at index arrays only where they take `something`.
    """
    axis = 0
    for item in items:
        if isinstance(item, _Integers) and (something or not item.shape):
            require_indices(item.values, shape[axis])
        axis += rest if item is Ellipsis else _axes_used(item)


def may_lie_outside(a: Any, index: Any) -> bool:
    """True if an integer of the index may lie outside its axis, or a step be zero."""
    if is_field(index) or _known_shape(a.shape, _parts(index)) is not None:  # NumPy has looked
        return False
    if all(type(i) is slice and type(i.step) in _STEPS for i in _parts(index)):
        return False
    axis, items = 0, _items(index)
    rest = a.ndim - sum(map(_axes_used, items))
    for item in items:
        if isinstance(item, _Integers) and 0 not in item.shape:
            if isinstance(item.values, tuple) or not isinstance(a.shape[axis], int):
                return True
        elif isinstance(item, slice) and isinstance(item.step, TensorType):
            return True
        axis += rest if item is Ellipsis else _axes_used(item)
    return False


def _reading(name: str, **options: Any) -> Op:
    return register(Op(name, operator.getitem, item_type, style="index", raises=may_lie_outside, **options))


# The basic one comes last, so that the registry holds it for `operator.getitem`.
getitem_mask = _reading("getitem_mask", selects=True, fresh_dims=True, vjp=derivative.getitem_advanced)
getitem_advanced = _reading("getitem_advanced", selects=True, vjp=derivative.getitem_advanced)
getitem_slice = _reading("getitem_slice", view=True, fresh_dims=True, vjp=derivative.getitem)
getitem = _reading("getitem", view=True, warns=warns.never, vjp=derivative.getitem)
