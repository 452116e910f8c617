"""Convolutions over one, two and three axes, as products of matrices: each window is a column."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from .windows import Padding, Sizes, each, padded, spans_of


def conv1d(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Sizes = 1,
    padding: Padding = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Any:
    """The convolution of sequences with `weight`, in the field's sense: weights are not reversed.

    `x` has shape (batch, channels, length), `weight` (results, channels / groups, size), `bias` (results,): floats,
    and so is the result, of shape (batch, results, (length + pads - dilation * (size - 1) - 1) // stride + 1).
    `padding` is the number of zeros at both ends, a pair for each axis, 'valid' (none) or 'same', which gives
    ceil(length / stride) results. With `groups`, as many parts of the channels are convolved apart. ValueError where
    the shapes do not fit.

    >>> conv1d(np.array([[[1.0, 2.0, 3.0, 4.0]]]), np.array([[[1.0, -1.0]]]))
    array([[[-1., -1., -1.]]])
    """
    return _convolve(x, weight, bias, 1, stride, padding, dilation, groups)


def conv2d(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Sizes = 1,
    padding: Padding = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Any:
    """The convolution of images, of shape (batch, channels, height, width), with `weight`, of shape (results,
    channels / groups, rows, columns). All else is as in `conv1d`, with one number or one for each axis.

    >>> conv2d(np.arange(9.0).reshape(1, 1, 3, 3), np.ones((1, 1, 2, 2)))
    array([[[[ 8., 12.],
             [20., 24.]]]])
    """
    return _convolve(x, weight, bias, 2, stride, padding, dilation, groups)


def conv3d(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Sizes = 1,
    padding: Padding = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Any:
    """The convolution of volumes, of shape (batch, channels, depth, height, width), with `weight`, of shape (results,
    channels / groups, layers, rows, columns). All else is as in `conv1d`, with one number or one for each axis.

    >>> conv3d(np.ones((1, 1, 2, 2, 3)), np.ones((1, 1, 2, 2, 2)))
    array([[[[[8., 8.]]]]])
    """
    return _convolve(x, weight, bias, 3, stride, padding, dilation, groups)


def _convolve(
    x: Any,
    weight: Any,
    bias: Any,
    axes: int,
    stride: Sizes,
    padding: Padding,
    dilation: Sizes,
    groups: int,
) -> Any:
    results, inner, *sizes = _checked(x, weight, axes)
    if np.shape(x)[1] != inner * groups:
        raise ValueError(f"x has {np.shape(x)[1]} channels, and weight is for {inner} in each of {groups} groups")
    if results % groups:
        raise ValueError(f"{results} results cannot be shared by {groups} groups")
    strides, dilations = each(stride, axes, "stride"), each(dilation, axes, "dilation")
    spans = spans_of(sizes, dilations)
    x = padded(x, padding, spans, strides)
    if any(size != 1 for size in sizes):
        windows: Any = sliding_window_view(x, spans, tuple(range(2, 2 + axes)))
        windows = windows[(..., *(slice(None, None, d) for d in dilations))] if max(dilations) > 1 else windows
        windows = _every(windows, strides)
        # batch, channels, results' positions, elements of a window → batch, channels, elements, positions
        order = (0, 1, *range(2 + axes, 2 + 2 * axes), *range(2, 2 + axes))
        positions = np.shape(windows)[2 : 2 + axes]
        columns = np.transpose(windows, order)
    else:
        columns = _every(x, strides)
        positions = np.shape(columns)[2:]
    batch = np.shape(x)[0]
    length, count = inner * math.prod(sizes), _product(positions)
    if groups == 1:
        out = np.reshape(weight, (results, length)) @ np.reshape(columns, (batch, length, count))
    else:
        rows = np.reshape(weight, (groups, results // groups, length))
        out = rows @ np.reshape(columns, (batch, groups, length, count))
    out = np.reshape(out, (batch, results, *positions))
    return out if bias is None else out + np.reshape(bias, (results, *[1] * axes))


def conv1d_transpose(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Any:
    """The transpose of `conv1d`: its derivative by `x`, applied to a cotangent, also called a deconvolution.

    `x` has shape (batch, channels, length), `weight` (channels, results / groups, size), `bias` (results,): floats, and
    so is the result, of shape (batch, results, (length - 1) * stride - 2 * padding + dilation * (size - 1) +
    output_padding + 1). `output_padding` says which of the lengths that a strided convolution maps to the same one is
    meant. ValueError where the shapes do not fit.

    >>> conv1d_transpose(np.array([[[1.0, 2.0]]]), np.array([[[1.0, 1.0, 1.0]]]), stride=2)
    array([[[1., 1., 3., 2., 2.]]])
    """
    return _transposed(x, weight, bias, 1, stride, padding, output_padding, dilation, groups)


def conv2d_transpose(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Any:
    """The transpose of `conv2d`; `weight` has shape (channels, results / groups, rows, columns). All else is as in
    `conv1d_transpose`, with one number or one for each axis.

    >>> conv2d_transpose(np.ones((1, 1, 1, 2)), np.ones((1, 1, 2, 2)))
    array([[[[1., 2., 1.],
             [1., 2., 1.]]]])
    """
    return _transposed(x, weight, bias, 2, stride, padding, output_padding, dilation, groups)


def conv3d_transpose(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Any:
    """The transpose of `conv3d`; `weight` has shape (channels, results / groups, layers, rows, columns). All else is as
    in `conv1d_transpose`, with one number or one for each axis.

    >>> conv3d_transpose(np.ones((1, 1, 1, 1, 1)), np.ones((1, 1, 1, 2, 2)))
    array([[[[[1., 1.],
              [1., 1.]]]]])
    """
    return _transposed(x, weight, bias, 3, stride, padding, output_padding, dilation, groups)


def _transposed(
    x: Any,
    weight: Any,
    bias: Any,
    axes: int,
    stride: Sizes,
    padding: Sizes,
    output_padding: Sizes,
    dilation: Sizes,
    groups: int,
) -> Any:
    channels, inner, *sizes = _checked(x, weight, axes)
    if np.shape(x)[1] != channels:
        raise ValueError(f"x has {np.shape(x)[1]} channels, and weight is for {channels}")
    if channels % groups:
        raise ValueError(f"{channels} channels cannot be shared by {groups} groups")
    strides, dilations = each(stride, axes, "stride"), each(dilation, axes, "dilation")
    pads, more = each(padding, axes, "padding"), each(output_padding, axes, "output_padding")
    spans = spans_of(sizes, dilations)
    batch, _, *positions = np.shape(x)
    rows = np.reshape(weight, (groups, channels // groups, inner * math.prod(sizes)))
    columns: Any = np.swapaxes(rows, 1, 2) @ np.reshape(x, (batch, groups, channels // groups, _product(positions)))
    columns = np.reshape(columns, (batch, groups * inner, *sizes, *positions))
    lengths = [(n - 1) * s + span + m for n, s, span, m in zip(positions, strides, spans, more, strict=True)]
    out: Any = np.zeros_like(columns, shape=(batch, groups * inner, *lengths))
    for place in itertools.product(*map(range, sizes)):
        reached = [
            slice(i * d, i * d + (n - 1) * s + 1, s)
            for i, d, n, s in zip(place, dilations, positions, strides, strict=True)
        ]
        there = out[(..., *reached)]
        there += columns[(slice(None), slice(None), *place)]
    if max(pads) > 0:
        out = out[(..., *(slice(p, n - p) for p, n in zip(pads, lengths, strict=True)))]
    return out if bias is None else out + np.reshape(bias, (groups * inner, *[1] * axes))


def _checked(x: Any, weight: Any, axes: int) -> tuple[int, ...]:
    """The shape of the weights. Raises ValueError where arrays have not as many axes as are needed."""
    for name, array in (("x", x), ("weight", weight)):
        if np.ndim(array) != axes + 2:
            raise ValueError(f"{name} has {np.ndim(array)} axes, not {axes + 2}: its shape is {np.shape(array)}")
    shape: tuple[int, ...] = np.shape(weight)
    return shape


def _every(windows: Any, strides: tuple[int, ...]) -> Any:
    """Each `stride`th position of the spatial axes, those behind the first two."""
    if max(strides) == 1:
        return windows
    return windows[(slice(None), slice(None), *(slice(None, None, s) for s in strides))]


def _product(lengths: Any) -> Any:
    """The number of elements, of lengths that may be open."""
    count = 1
    for length in lengths:
        count = count * length
    return count
