"""Ops that give the same elements another shape: reshape, broadcast, grids, windows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view as _sliding_window_view

from ..ir.dims import definitely_different, product
from ..ir.op import Types, method, op
from . import warns
from .derivatives.movement import shape as derivative
from .derivatives.movement.scatter import reshaped
from .rules import (
    Length,
    Shape,
    TensorType,
    array,
    axes_of,
    broadcast_shapes,
    definitely_negative,
    each_its_own,
    operand,
    probe,
    require_same,
    shape_argument,
    view_of,
)


def _lengths(shape: Any) -> Shape:
    """A shape argument, which NumPy also takes as an array. Raises ValueError for negative lengths."""
    lengths = shape_argument(shape.tolist() if isinstance(shape, np.ndarray) else shape)
    if any(isinstance(n, int) and n < 0 for n in lengths):
        raise ValueError("negative lengths are not allowed")
    return lengths


@op(
    np.reshape,
    view=True,
    method=method("order"),
    static=frozenset({"shape", "order", "copy"}),
    warns=warns.never,
    vjp=derivative.reshape,
)
def reshape(a: Any, /, shape: Any, order: str = "C", *, copy: bool | None = None) -> TensorType:
    a = operand(a)
    if order not in ("C", "F", "A"):
        raise ValueError("order must be 'C', 'F' or 'A'")
    lengths = shape_argument(shape.tolist() if isinstance(shape, np.ndarray) else shape)
    unknown = [i for i, n in enumerate(lengths) if isinstance(n, int) and n < 0]
    if len(unknown) > 1:
        raise ValueError("only one length may be -1")
    known = product(n for i, n in enumerate(lengths) if i not in unknown)
    if not unknown:
        require_same(known, a.size)
        return view_of(a, lengths)
    if known == 0 or definitely_different(a.size % known, 0):
        raise ValueError(f"an array of {a.size} elements does not fit")
    return view_of(a, tuple(a.size // known if i in unknown else n for i, n in enumerate(lengths)))


@op(np.ravel, view=True, method=method("order"), static=frozenset({"order"}), warns=warns.never, vjp=derivative.ravel)
def ravel(a: Any, order: str = "C") -> TensorType:
    a = operand(a)
    if order not in ("C", "F", "A", "K"):
        raise ValueError("order must be 'C', 'F', 'A' or 'K'")
    return array(a.dtype, (a.size,))


def _flatten(a: Any) -> Any:
    return a.flatten()


@op(_flatten, name="flatten", style="method", vjp=reshaped)
def flatten(a: Any, /) -> TensorType:
    """`np.ravel` of an array of which it is certainly a copy."""
    return array(operand(a).dtype, (operand(a).size,))


@op(np.resize, static=frozenset({"new_shape"}), vjp=derivative.resize)
def resize(a: Any, new_shape: Any) -> TensorType:
    return array(operand(a).dtype, _lengths(new_shape))


@op(
    np.broadcast_to,
    view=True,
    read_only=True,
    static=frozenset({"shape", "subok"}),
    warns=warns.never,
    vjp=lambda g, out, array, shape, subok=False: (g, None),
)
def broadcast_to(array: Any, shape: Any, subok: bool = False) -> TensorType:
    value, lengths = operand(array), _lengths(shape)
    if value.ndim > len(lengths):
        raise ValueError("the array has more dimensions than the shape")
    for old, new in zip(value.shape[::-1], lengths[::-1], strict=False):
        if definitely_different(old, 1) and definitely_different(old, new):
            raise ValueError(f"length {old} does not broadcast to {new}")
    return TensorType(value.dtype, lengths)


@op(
    np.broadcast_arrays, view=each_its_own, read_only=True, static=frozenset({"subok"}), vjp=derivative.broadcast_arrays
)
def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[TensorType, ...]:
    types = [operand(a) for a in args]
    shape = broadcast_shapes(*[t.shape for t in types])
    return tuple(array(t.dtype, shape) for t in types)


def _grid_is_view(args: tuple[Any, ...], kwargs: dict[str, Any], output: int) -> Any:
    return None if kwargs.get("copy", True) else args[output]


@op(np.meshgrid, view=_grid_is_view, static=frozenset({"copy", "sparse", "indexing"}), vjp=derivative.meshgrid)
def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Types:
    if indexing not in ("xy", "ij"):
        raise ValueError("indexing must be 'xy' or 'ij'")
    types = [operand(x) for x in xi]
    axes = list(range(len(types)))
    if indexing == "xy" and len(axes) > 1:
        axes[:2] = [1, 0]
    shape: list[Length] = [1] * len(types)
    for axis, t in zip(axes, types, strict=True):
        shape[axis] = t.size
    grids = [
        array(t.dtype, _only(axis, shape) if sparse else tuple(shape)) for axis, t in zip(axes, types, strict=True)
    ]
    container: type[list[Any]] | type[tuple[Any, ...]] = type(probe(np.meshgrid, *types, copy=copy, sparse=sparse))
    return container(grids)


def _only(axis: int, shape: list[Length]) -> Shape:
    return tuple(n if i == axis else 1 for i, n in enumerate(shape))


@op(
    _sliding_window_view,
    name="lib.stride_tricks.sliding_window_view",
    view=True,
    read_only=True,
    static=frozenset({"window_shape", "axis", "subok", "writeable"}),
    vjp=derivative.sliding_window_view,
)
def sliding_window_view(
    x: Any, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False
) -> TensorType:
    x, windows = operand(x), _lengths(window_shape)
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple | list) else (axis,)
    if len(axes) != len(windows):
        raise ValueError("window_shape must have a length for each axis")
    shape = list(x.shape)
    for (i,), window in zip((axes_of(a, x.ndim) for a in axes), windows, strict=True):
        shape[i] = shape[i] - (window - 1)
        if definitely_negative(shape[i] - 1):
            raise ValueError("a window is longer than its axis")
    return array(x.dtype, (*shape, *windows))
