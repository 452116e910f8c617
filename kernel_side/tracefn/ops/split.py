"""Ops that split an array into several."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.dims import definitely_different
from ..ir.op import op
from .derivatives.movement import join as derivative
from .rules import Dim, Length, TensorType, array, axis_of, operand, result
from .slicing import slice_length

_STATIC = frozenset({"indices_or_sections", "axis"})


@op(np.array_split, view=True, static=_STATIC, vjp=derivative.split)
def array_split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> list[TensorType]:
    a = operand(ary)
    along = axis_of(axis, a.ndim)
    length = a.shape[along]
    lengths = _part_lengths(length, indices_or_sections)
    return [array(a.dtype, (*a.shape[:along], n, *a.shape[along + 1 :])) for n in lengths]


def _part_lengths(length: Length, indices_or_sections: Any) -> list[Length]:
    if isinstance(indices_or_sections, np.ndarray):
        indices_or_sections = indices_or_sections.tolist()
    if isinstance(indices_or_sections, list | tuple):
        bounds = [0, *indices_or_sections, length]
        return [slice_length(slice(start, stop), length) for start, stop in zip(bounds, bounds[1:], strict=False)]
    if isinstance(indices_or_sections, Dim):
        raise TypeError("the number of sections to split into is not known while tracing")
    count = int(indices_or_sections)
    if count <= 0:
        raise ValueError("the number of sections is not positive")
    return [(length + count - 1 - i) // count for i in range(count)]


@op(np.split, view=True, static=_STATIC, vjp=derivative.split)
def split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> list[TensorType]:
    if not isinstance(indices_or_sections, list | tuple | np.ndarray | Dim):
        a = operand(ary)
        if definitely_different(a.shape[axis_of(axis, a.ndim)] % int(indices_or_sections), 0):
            raise ValueError("the sections do not divide the axis evenly")
        parts = array_split(a, indices_or_sections, axis)
        return [parts[-1]] * len(parts)
    return array_split(ary, indices_or_sections, axis)


@op(np.hsplit, view=True, static=_STATIC, vjp=derivative.hsplit)
def hsplit(ary: Any, indices_or_sections: Any) -> list[TensorType]:
    return _split_along(ary, indices_or_sections, 1, 0 if operand(ary).ndim == 1 else 1)


@op(np.vsplit, view=True, static=_STATIC, vjp=derivative.split)
def vsplit(ary: Any, indices_or_sections: Any) -> list[TensorType]:
    return _split_along(ary, indices_or_sections, 2, 0)


@op(np.dsplit, view=True, static=_STATIC, vjp=derivative.dsplit)
def dsplit(ary: Any, indices_or_sections: Any) -> list[TensorType]:
    return _split_along(ary, indices_or_sections, 3, 2)


def _split_along(ary: Any, indices_or_sections: Any, least_ndim: int, axis: int) -> list[TensorType]:
    if operand(ary).ndim < least_ndim:
        raise ValueError(f"an array of {least_ndim} dimensions or more is needed")
    return split(ary, indices_or_sections, axis)


if hasattr(np, "unstack"):

    @op(np.unstack, view=True, static=frozenset({"axis"}), vjp=derivative.unstack)
    def unstack(x: Any, /, *, axis: Any = 0) -> tuple[TensorType, ...]:
        x = operand(x)
        along = axis_of(axis, x.ndim)
        length = x.shape[along]
        if isinstance(length, Dim):
            raise TypeError("the number of arrays that np.unstack gives is not known while tracing")
        return (result(x.dtype, (*x.shape[:along], *x.shape[along + 1 :])),) * length
