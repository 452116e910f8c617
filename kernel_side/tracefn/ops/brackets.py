"""Makers of arrays that are written with brackets: `np.mgrid[0:n]`, `np.ogrid[…]`, `np.r_[a, b]`, `np.c_[a, b]`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.op import Op, register
from .derivatives.common import as_array
from .join import joined_shape
from .rules import (
    Dim,
    Kind,
    Length,
    RuleError,
    Shape,
    TensorType,
    array,
    as_one,
    fresh_dim,
    operand,
    probe_dtype,
    python_type,
)


def _count(part: slice) -> Length:
    """How many numbers a slice stands for."""
    start, stop, step = (0 if part.start is None else part.start), part.stop, (1 if part.step is None else part.step)
    if isinstance(step, complex):
        return int(abs(step))
    if not any(isinstance(v, TensorType | Dim) for v in (start, stop, step)):
        return max(int(np.ceil((stop - start) / step)), 0)
    return stop if isinstance(stop, Dim) and (start, step) == (0, 1) else fresh_dim()


def _short(part: slice) -> slice:
    """A slice of numbers of the same types that stands for one number."""
    step = 1j if isinstance(part.step, complex) else _number(part.step, 1)
    return slice(_number(part.start, 0), _number(part.stop, 1), step)


def _number(like: Any, value: int) -> Any:
    if isinstance(like, TensorType):
        if like.shape:
            raise TypeError("the ends of a range must be single numbers")
        made = (python_type(like.dtype) if like.kind is Kind.PYTHON else like.dtype.type)(value)
        return np.array(made) if like.kind is Kind.ARRAY else made
    return None if like is None else value if isinstance(like, Dim) else type(like)(value)


def _grid(name: str, grid: Any) -> Op:
    """Registers `np.mgrid` or `np.ogrid`."""

    def rule(key: Any, /) -> Any:
        if isinstance(key, slice):
            return array(grid[_short(key)].dtype, (_count(key),))
        made, lengths = grid[tuple(map(_short, key))], tuple(map(_count, key))
        if isinstance(made, np.ndarray):
            return array(made.dtype, (len(lengths), *lengths))
        shapes = [(1,) * i + (n,) + (1,) * (len(lengths) - i - 1) for i, n in enumerate(lengths)]
        return type(made)([array(a.dtype, s) for a, s in zip(made, shapes, strict=True)])

    return register(Op(name, grid.__getitem__, rule, style="subscript", fresh_dims=True))


mgrid = _grid("mgrid", np.mgrid)
ogrid = _grid("ogrid", np.ogrid)


def _builder(name: str, builder: Any) -> Op:
    """Registers `np.r_` or `np.c_`, which give their parts `ndmin` axes each, and join them along one."""

    def join(*parts: Any) -> Any:
        return builder[parts]

    def rule(key: Any, /) -> TensorType:
        parts = key if isinstance(key, tuple) else (key,)
        axis, ndmin, place = builder.axis, builder.ndmin, builder.trans1d
        if isinstance(parts[0], str):
            axis, ndmin, place = _directive(parts[0], axis, ndmin, place)
        shapes: list[Shape] = []
        short: list[Any] = []
        for part in parts:
            if isinstance(part, str):
                short.append(part)
                continue
            numbers = array(np.r_[_short(part)].dtype, (_count(part),)) if isinstance(part, slice) else as_one(part)
            shapes.append(_with_axes(operand(numbers).shape, ndmin, place))
            short.append(numbers)
        return array(probe_dtype(join, *short), joined_shape(shapes, axis))

    def derivative(g: Any, out: Any, key: Any) -> Any:
        parts = key if isinstance(key, tuple) else (key,)
        axis, ndmin, place = builder.axis, builder.ndmin, builder.trans1d
        if isinstance(parts[0], str):
            axis, ndmin, place = _directive(parts[0], axis, ndmin, place)
        found: list[Any] = []
        start: Any = 0
        for part in parts:
            if isinstance(part, str):
                found.append(None)
                continue
            is_range = isinstance(part, slice)
            if is_range and any(hasattr(end, "__array_function__") for end in (part.start, part.stop, part.step)):
                return NotImplemented
            shape = np.shape(builder[part] if is_range else as_array(part))
            length = _with_axes(shape, ndmin, place)[axis]
            piece = g[(*[slice(None)] * (axis % np.ndim(g)), slice(start, start + length))]
            found.append((None,) * 3 if is_range else np.reshape(piece, shape))
            start = start + length
        return (tuple(found) if isinstance(key, tuple) else found[0],)

    return register(
        Op(name, builder.__getitem__, rule, style="subscript", fresh_dims=True, parts="nested", vjp=derivative)
    )


def _directive(text: str, axis: int, ndmin: int, place: int) -> tuple[int, int, int]:
    """The settings in a text in the first place: the axis, the least number of axes, and where axes are added."""
    if text in ("r", "c"):
        raise RuleError(f"np.r_[{text!r}, …] makes an np.matrix")
    said = [int(n) for n in text.split(",")]
    axis, ndmin, place = said + [axis, ndmin, place][len(said) :]
    return axis, ndmin, place


def _with_axes(shape: Shape, ndmin: int, place: int) -> Shape:
    """The shape with axes of length 1 added: in front, or such that the axes it has begin at `place`."""
    added = ndmin - len(shape)
    if added <= 0:
        return shape
    before = added if place == -1 else place if place >= 0 else place + added + 1
    return (1,) * before + shape + (1,) * (added - before)


r_ = _builder("r_", np.r_)
c_ = _builder("c_", np.c_)
