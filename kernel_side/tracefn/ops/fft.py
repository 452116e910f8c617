"""Discrete Fourier transforms."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..ir.op import Op, numpy_name, op, register
from .derivatives import fft as derivative
from .rules import Dim, Length, Shape, TensorType, array, axis_of, definitely_negative, operand, probe_dtype

_STATIC = frozenset({"n", "s", "axis", "axes", "norm"})


def _points(n: Any) -> Length:
    """A number of data points, at least one."""
    n = n if isinstance(n, Dim) else operator.index(n)
    if definitely_negative(n - 1):
        raise ValueError("a transform needs one point or more")
    return n


def _half(n: Length) -> Length:
    return n // 2 + 1


def _same(n: Length) -> Length:
    return n


def _double(n: Length) -> Length:
    return (n - 1) * 2


def transform(
    call: Callable[..., Any],
    default: Callable[[Length], Length] = _same,
    length: Callable[[Length], Length] = _same,
    *,
    vjp: Callable[..., Any],
) -> Op:
    """Registers a transform along one axis.

    `default` gives the number of points from the axis's length, `length` the result's length from the points.
    """

    def rule(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> TensorType:
        a = operand(a)
        along = axis_of(axis, a.ndim)
        points = _points(default(a.shape[along]) if n is None else n)
        shape = (*a.shape[:along], length(points), *a.shape[along + 1 :])
        return array(probe_dtype(call, a, 2, axis, norm), shape)

    return register(Op(numpy_name(call), call, rule, static=_STATIC, vjp=vjp))


fft = transform(np.fft.fft, vjp=derivative.complex_transform(np.fft.fft))
ifft = transform(np.fft.ifft, vjp=derivative.complex_transform(np.fft.ifft))
rfft = transform(np.fft.rfft, length=_half, vjp=derivative.rfft)
irfft = transform(np.fft.irfft, default=_double, vjp=derivative.irfft)
hfft = transform(np.fft.hfft, default=_double, vjp=derivative.hfft)
ihfft = transform(np.fft.ihfft, length=_half, vjp=derivative.ihfft)


def _transformed(shape: Shape, s: Any, axes: Any, first: bool, last: bool) -> tuple[Shape, list[int]]:
    """The shape after transforms along several axes, and those axes.

    Of the last axis in `axes`, `first` says that the transform goes from real to complex, `last` that it goes back.
    """
    if axes is None:
        axes = range(-len(shape) if s is None else -len(s), 0)
    places = [axis_of(axis, len(shape)) for axis in axes]
    points: list[Any] = [None] * len(places) if s is None else list(s)
    for i, (n, place) in enumerate(zip(points, places, strict=True)):
        if n is None and last and i == len(places) - 1:
            points[i] = _points(_double(shape[place]))
        else:
            points[i] = _points(shape[place] if n is None or n == -1 else n)
    lengths = list(shape)
    if first:
        lengths[places[-1]] = _half(points[-1])
        places_left, points_left = places[:-1], points[:-1]
    else:
        places_left, points_left = places, points
    for place, n in reversed(list(zip(places_left, points_left, strict=True))):
        lengths[place] = n
    if last:
        lengths[places[-1]] = points[-1]
    return tuple(lengths), places


def transform_nd(
    call: Callable[..., Any],
    rule_of: Callable[..., Any],
    *,
    first: bool = False,
    last: bool = False,
    default_axes: Any = None,
) -> Op:
    """Registers a transform along several axes. `default_axes` are those it takes when the call names none."""

    def rule(a: Any, s: Any = None, axes: Any = default_axes, norm: Any = None, out: Any = None) -> TensorType:
        a = operand(a)
        shape, places = _transformed(a.shape, s, axes, first, last)
        if not places:
            raise TypeError(f"np.fft.{call.__name__} over no axes gives the array itself")
        return array(probe_dtype(call, a, [2] * len(places), places, norm), shape)

    return register(Op(numpy_name(call), call, rule, static=_STATIC, vjp=rule_of(default_axes)))


fftn = transform_nd(np.fft.fftn, partial(derivative.complex_transform_nd, np.fft.fftn))
ifftn = transform_nd(np.fft.ifftn, partial(derivative.complex_transform_nd, np.fft.ifftn))
rfftn = transform_nd(np.fft.rfftn, derivative.rfftn, first=True)
irfftn = transform_nd(np.fft.irfftn, derivative.irfftn, last=True)
fft2 = transform_nd(np.fft.fft2, partial(derivative.complex_transform_nd, np.fft.fftn), default_axes=(-2, -1))
ifft2 = transform_nd(np.fft.ifft2, partial(derivative.complex_transform_nd, np.fft.ifftn), default_axes=(-2, -1))
rfft2 = transform_nd(np.fft.rfft2, derivative.rfftn, first=True, default_axes=(-2, -1))
irfft2 = transform_nd(np.fft.irfft2, derivative.irfftn, last=True, default_axes=(-2, -1))


@op(np.fft.fftshift, static=frozenset({"axes"}), vjp=lambda g, out, x, axes=None: (np.fft.ifftshift(g, axes),))
def fftshift(x: Any, axes: Any = None) -> TensorType:
    return _shifted(x, axes)


@op(np.fft.ifftshift, static=frozenset({"axes"}), vjp=lambda g, out, x, axes=None: (np.fft.fftshift(g, axes),))
def ifftshift(x: Any, axes: Any = None) -> TensorType:
    return _shifted(x, axes)


def _shifted(x: Any, axes: Any) -> TensorType:
    x = operand(x)
    if not x.shape:
        raise ValueError("a single number cannot be shifted")
    for axis in () if axes is None else axes if isinstance(axes, tuple | list) else (axes,):
        axis_of(axis, x.ndim)
    return array(x.dtype, x.shape)
