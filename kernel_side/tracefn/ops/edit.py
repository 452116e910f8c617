"""Ops that repeat, add or remove elements along an axis."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..ir.op import Op, method, op, register
from . import warns
from .derivatives.movement import edit as derivative
from .derivatives.movement import shape as moves
from .rules import (
    Dim,
    Length,
    Shape,
    TensorType,
    array,
    axis_of,
    fresh_dim,
    operand,
    perhaps,
    probe,
    probe_dtype,
    require_broadcast,
    require_same,
    shape_argument,
)
from .slicing import slice_length


def with_length(shape: Shape, axis: int, length: Length) -> Shape:
    """The shape with another length of one axis."""
    return (*shape[:axis], length, *shape[axis + 1 :])


def _flat(value: TensorType, axis: Any) -> tuple[Shape, int]:
    """The shape that an op with `axis=None` for "flattened" works on, and the axis in it."""
    return ((value.size,), 0) if axis is None else (value.shape, axis_of(axis, value.ndim))


@op(np.tile, static=frozenset({"reps"}), warns=warns.never, vjp=moves.tile)
def tile(A: Any, reps: Any) -> TensorType:
    a = operand(A)
    counts = shape_argument(reps.tolist() if isinstance(reps, np.ndarray) else reps)
    if any(isinstance(n, int) and n < 0 for n in counts):
        raise ValueError("negative repeats are not allowed")
    ndim = max(a.ndim, len(counts))
    shape = (1,) * (ndim - a.ndim) + a.shape
    counts = (1,) * (ndim - len(counts)) + counts
    return array(a.dtype, tuple(n * count for n, count in zip(shape, counts, strict=True)))


@op(
    np.repeat,
    static=frozenset({"repeats", "axis"}),
    dynamic="repeat_by",
    warns=warns.never,
    fresh_memory=True,
    method=method("axis"),
    vjp=moves.repeat,
)
def repeat(a: Any, repeats: Any, axis: Any = None) -> TensorType:
    a = operand(a)
    shape, along = _flat(a, axis)
    counts = _counts(repeats)
    if any(isinstance(n, int) and n < 0 for n in counts):
        raise ValueError("negative repeats are not allowed")
    if len(counts) == 1:
        return array(a.dtype, with_length(shape, along, shape[along] * counts[0]))
    require_same(shape[along], len(counts))
    total: Length = 0
    for count in counts:
        total = total + count
    return array(a.dtype, with_length(shape, along, total))


def _counts(repeats: Any) -> Shape:
    """A repeats argument: one count for all elements or one for each. NumPy takes Python floats, no float arrays."""
    if isinstance(repeats, np.ndarray):
        if repeats.dtype.kind not in "iub" or repeats.ndim > 1:
            raise TypeError("integers in one dimension are needed")
        repeats = repeats.ravel().tolist()
    counts = repeats if isinstance(repeats, list | tuple) else (repeats,)
    return tuple(n if isinstance(n, Dim) else int(n) for n in counts)


def _repeat_by(a: Any, repeats: Any, axis: Any = None) -> Any:
    return np.repeat(a, repeats, axis)


def _repeat_by_rule(a: Any, repeats: Any, axis: Any = None) -> TensorType:
    a, counts = operand(a), operand(repeats)
    shape, along = _flat(a, axis)
    require_broadcast(counts.shape, (shape[along],))
    return array(probe_dtype(np.repeat, a, counts), with_length(shape, along, fresh_dim()))


def _repeat_by_lines(target: str, arguments: list[str]) -> list[str]:
    return [f"{target} = np.repeat({', '.join(arguments)})"]


repeat_by = register(
    Op(
        "repeat_by",
        _repeat_by,
        _repeat_by_rule,
        fresh_dims=True,
        static=frozenset({"axis"}),
        lines=_repeat_by_lines,
        vjp=moves.repeat,
        raises=perhaps,
    )
)
"""`np.repeat` by counts that are traced, which decide the length of the result."""


@op(np.insert, static=frozenset({"axis"}), raises=perhaps, vjp=derivative.insert)
def insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> TensorType:
    a, new = operand(arr), operand(values)
    shape, along = _flat(a, axis) if a.ndim != 1 or axis is not None else (a.shape, 0)
    places, one = _places(obj, shape[along])
    new_shape = (1,) * (len(shape) - new.ndim) + new.shape
    if one:
        if places == ():
            moved = list(range(1, len(new_shape)))
            moved.insert(along, 0)
            new_shape = tuple(new_shape[i] for i in moved)
        count = new_shape[along]
    else:
        (count,) = places
        if isinstance(count, Dim) and new_shape[along] != 1:
            raise TypeError("how many values np.insert adds is not known while tracing")
    while len(new_shape) > len(shape) and new_shape[0] == 1:
        new_shape = new_shape[1:]
    require_broadcast(new_shape, with_length(shape, along, count))
    return array(a.dtype, with_length(shape, along, shape[along] + count))


def _places(obj: Any, length: Length) -> tuple[Shape, bool]:
    """The shape of an insert's indices, and whether it is one index. Raises where an index is certainly outside."""
    if isinstance(obj, slice):
        count = slice_length(obj, length)
        return (count,), count == 1
    if isinstance(obj, TensorType) and obj.dtype.kind == "b":
        raise TypeError("how many values np.insert adds at a mask is not known while tracing; pass indices")
    if not isinstance(obj, TensorType | Dim):
        found = np.asarray(obj)
        if found.dtype.kind == "b":
            found = np.flatnonzero(found) if obj.ndim == 1 else found
        if found.size == 0:
            found = found.astype(np.intp)
        if isinstance(length, int) and found.size and not -length <= found.min() <= found.max() <= length:
            raise IndexError("an index is out of bounds")
        obj = found
    places = operand(obj)
    size = places.size
    if places.dtype.kind not in ("iu" if size == 1 else "i") or places.ndim > 1:
        raise TypeError("integer indices in at most one dimension are needed")
    return places.shape, size == 1


@op(np.delete, static=frozenset({"obj", "axis"}), dynamic="delete_at", vjp=derivative.delete)
def delete(arr: Any, obj: Any, axis: Any = None) -> TensorType:
    a = operand(arr)
    shape, along = _flat(a, axis) if a.ndim != 1 or axis is not None else (a.shape, 0)
    length = shape[along]
    return array(a.dtype, with_length(shape, along, length - _deleted(obj, length)))


def _delete_at(arr: Any, obj: Any, axis: Any = None) -> Any:
    return np.delete(arr, obj, axis)


def _delete_at_rule(arr: Any, obj: Any, axis: Any = None) -> TensorType:
    """One index takes one element away; how many some indices or a mask take, their values decide."""
    a, found = operand(arr), operand(obj)
    shape, along = _flat(a, axis) if a.ndim != 1 or axis is not None else (a.shape, 0)
    if found.dtype.kind not in "iub":
        raise TypeError("indices must be integers")
    if found.dtype.kind == "b":
        require_same(shape[along], *found.shape)
    one = found.dtype.kind != "b" and found.shape in ((), (1,))
    return array(a.dtype, with_length(shape, along, shape[along] - 1 if one else fresh_dim()))


def _delete_at_lines(target: str, arguments: list[str]) -> list[str]:
    return [f"{target} = np.delete({', '.join(arguments)})"]


def _index_may_be_wrong(arr: Any, obj: Any, axis: Any = None) -> bool:
    return operand(obj).dtype.kind != "b"


delete_at = register(
    Op(
        "delete_at",
        _delete_at,
        _delete_at_rule,
        fresh_dims=True,
        static=frozenset({"axis"}),
        raises=_index_may_be_wrong,
        lines=_delete_at_lines,
        vjp=derivative.delete,
    )
)
"""`np.delete` where values decide which elements go."""


def _deleted(obj: Any, length: Length) -> Length:
    """How many elements of an axis the indices name."""
    if isinstance(obj, slice):
        return slice_length(obj, length)
    indices = np.asarray(obj)
    if indices.dtype.kind == "b":
        require_same(length, *indices.shape)
        return int(np.count_nonzero(indices))
    if indices.size == 0 and not isinstance(obj, np.ndarray):
        return 0
    if indices.dtype.kind not in "iu":
        raise TypeError("indices must be integers")
    if isinstance(length, Dim):
        if indices.size > 1 and (indices < 0).any() and (indices >= 0).any():
            raise TypeError("whether indices from the start and from the end meet is not known while tracing")
        return len(np.unique(indices))
    if indices.size and not -length <= indices.min() <= indices.max() < length:
        raise IndexError("an index is out of bounds")
    return len(np.unique(indices % length)) if indices.size else 0


@op(np.trim_zeros, view=True, fresh_dims=True, static=frozenset({"trim", "axis"}), vjp=derivative.trim_zeros)
def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> TensorType:
    if isinstance(filt, list | tuple):
        raise TypeError("np.trim_zeros gives a list of a list; give it an array: np.array(x)")
    a = operand(filt)
    axes = (
        range(a.ndim) if axis is None else {axis_of(i, a.ndim) for i in (axis if isinstance(axis, tuple) else (axis,))}
    )
    if trim.lower() not in ("fb", "bf", "f", "b"):
        raise ValueError("trim must be made of 'f' and 'b'")
    return array(a.dtype, tuple(fresh_dim() if i in axes else n for i, n in enumerate(a.shape)))


_BITS = frozenset({"axis", "count", "bitorder"})


@op(np.packbits, static=_BITS)
def packbits(a: Any, /, axis: Any = None, bitorder: str = "big") -> TensorType:
    a = operand(a)
    probe(np.packbits, a, bitorder=bitorder)
    shape, along = _bit_axis(a, axis)
    return array(np.uint8, with_length(shape, along, (shape[along] + 7) // 8))


@op(np.unpackbits, static=_BITS)
def unpackbits(a: Any, /, axis: Any = None, count: Any = None, bitorder: str = "big") -> TensorType:
    a = operand(a)
    probe(np.unpackbits, a, bitorder=bitorder)
    shape, along = _bit_axis(a, axis)
    bits = shape[along] * 8
    if count is not None:
        count = operator.index(count)
        bits = count if count >= 0 else bits + count
        if isinstance(bits, int) and bits < 0:
            raise ValueError("count removes more bits than there are")
    return array(np.uint8, with_length(shape, along, bits))


def _bit_axis(value: TensorType, axis: Any) -> tuple[Shape, int]:
    return ((1,), axis_of(axis or 0, 1)) if not value.shape else _flat(value, axis)
