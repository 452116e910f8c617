"""Derivatives of discrete Fourier transforms.

A transform is a symmetric matrix: the cotangent of the input is the transform of that of the output. The input is
truncated or padded with zeros to the number of points, which is undone here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .common import conjugated

_SWAPPED: dict[Any, Any] = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}
"""The norm under which a transform is scaled as its inverse is under another one."""


def fitted(g: Any, length: Any, axis: int) -> Any:
    """The cotangent of an axis of another length, which was cut to that of `g` or filled with zeros."""
    have = np.shape(g)[axis]
    if have == length:
        return g
    axis = axis % np.ndim(g)
    if have > length:
        return g[(*[slice(None)] * axis, slice(0, length))]
    widths = [(0, 0)] * np.ndim(g)
    widths[axis] = (0, length - have)
    return np.pad(g, widths)


def complex_transform(call: Callable[..., Any]) -> Callable[..., Any]:
    """The rule of a transform of complex numbers along one axis."""

    def rule(g: Any, out: Any, a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> tuple[Any, ...]:
        return (fitted(call(g, axis=axis, norm=norm), np.shape(a)[axis], axis),)

    return rule


def rfft(g: Any, out: Any, a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> tuple[Any, ...]:
    """The half of the result that is not computed has no cotangent."""
    length = np.shape(a)[axis]
    return (fitted(np.fft.fft(g, length if n is None else n, axis, norm), length, axis),)


def irfft(g: Any, out: Any, a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> tuple[Any, ...]:
    """Numbers that stand for themselves and their conjugates count twice."""
    half = conjugated(np.fft.rfft(g, axis=axis, norm=_SWAPPED[norm]))
    count, points = np.shape(half)[axis], np.shape(g)[axis]
    weights = np.full_like(np.real(half), 2)
    weights[_at(np.ndim(half), axis, 0)] = 1
    weights[_at(np.ndim(half), axis, slice(points // 2, count if points % 2 == 0 else 0))] = 1
    return (fitted(half * weights, np.shape(a)[axis], axis),)


def _at(ndim: int, axis: int, index: Any) -> tuple[Any, ...]:
    return (*[slice(None)] * (axis % ndim), index)


def hfft(g: Any, out: Any, a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> tuple[Any, ...]:
    (by_conjugate,) = irfft(g, out, a, n, axis, _SWAPPED[norm])
    return (conjugated(by_conjugate),)


def ihfft(g: Any, out: Any, a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> tuple[Any, ...]:
    return rfft(conjugated(g), out, a, n, axis, _SWAPPED[norm])


def complex_transform_nd(call: Callable[..., Any], default_axes: Any = None) -> Callable[..., Any]:
    """The rule of a transform of complex numbers along several axes."""

    def rule(g: Any, out: Any, a: Any, s: Any = None, axes: Any = default_axes, norm: Any = None) -> tuple[Any, ...]:
        axes = _axes(a, s, axes)
        return (_fitted_all(call(g, axes=axes, norm=norm), a, axes),)

    return rule


def rfftn(default_axes: Any = None) -> Callable[..., Any]:
    def rule(g: Any, out: Any, a: Any, s: Any = None, axes: Any = default_axes, norm: Any = None) -> tuple[Any, ...]:
        *others, last = _axes(a, s, axes)
        g = np.fft.fftn(g, axes=others, norm=norm) if others else g
        points = np.shape(a)[last] if s is None or s[-1] == -1 else s[-1]
        g = fitted(g, points // 2 + 1, last) if last in others else g
        return (_fitted_all(np.fft.fft(g, points, last, norm), a, [*others, last]),)

    return rule


def irfftn(default_axes: Any = None) -> Callable[..., Any]:
    def rule(g: Any, out: Any, a: Any, s: Any = None, axes: Any = default_axes, norm: Any = None) -> tuple[Any, ...]:
        *others, last = _axes(a, s, axes)
        (half,) = irfft(g, out, a, None, last, norm)
        half = np.fft.ifftn(half, axes=others, norm=norm) if others else half
        return (_fitted_all(half, a, [*others, last]),)

    return rule


def _axes(a: Any, s: Any, axes: Any) -> list[int]:
    if axes is None:
        axes = range(np.ndim(a)) if s is None else range(-len(s), 0)
    return [int(axis) % np.ndim(a) for axis in axes]


def _fitted_all(g: Any, a: Any, axes: Sequence[int]) -> Any:
    for axis in axes:
        g = fitted(g, np.shape(a)[axis], axis)
    return g
