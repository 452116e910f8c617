"""Softmax and its relatives, and normalisation by mean and variance."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..gradients import stop_gradient

Axes = int | tuple[int, ...] | None


def logsumexp(x: Any, axis: Axes = None, keepdims: bool = False) -> Any:
    """`log(sum(exp(x)))` over `axis` (all axes where it is None), without overflow.

    Floats of the dtype of `x`. -inf where all elements are -inf. Source: P. Blanchard, D. J. Higham, N. J. Higham,
    Accurately computing the log-sum-exp and softmax functions, IMA Journal of Numerical Analysis 41, 2021.

    >>> logsumexp(np.array([1000.0, 1000.0])) - 1000
    np.float64(0.693147180...)
    """
    top = stop_gradient(np.max(x, axis=axis, keepdims=True))
    top = np.where(np.isfinite(top), top, 0)
    total = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return total if keepdims else np.squeeze(total, axis=axis)


def softmax(x: Any, axis: Axes = -1) -> Any:
    """`exp(x) / sum(exp(x))` over `axis`, without overflow: floats of the shape and dtype of `x`, which sum up to 1.

    >>> softmax(np.array([[0.0, 0.0], [1000.0, 0.0]]))
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    powers = np.exp(shifted(x, axis))
    return powers / np.sum(powers, axis=axis, keepdims=True)


def log_softmax(x: Any, axis: Axes = -1) -> Any:
    """`log(softmax(x))` over `axis`, without overflow: floats of the shape and dtype of `x`.

    >>> log_softmax(np.array([1000.0, 0.0]))
    array([    0., -1000.])
    """
    below = shifted(x, axis)
    return below - np.log(np.sum(np.exp(below), axis=axis, keepdims=True))


def shifted(x: Any, axis: Axes) -> Any:
    """`x` less its largest element over `axis`, which softmax and the like do not depend on: it has no derivative."""
    return x - stop_gradient(np.max(x, axis=axis, keepdims=True))


def layer_norm(x: Any, weight: Any = None, bias: Any = None, axis: Axes = -1, eps: float = 1e-5) -> Any:
    """`x` less its mean over `axis`, over its standard deviation there, times `weight`, plus `bias`.

    Floats of the shape of `x`. `eps` is added to the variance, that of the population. `weight` and `bias` broadcast
    against `x`. Source: J. L. Ba, J. R. Kiros, G. E. Hinton, Layer normalization, 2016.

    >>> layer_norm(np.array([[1.0, 2.0, 3.0]])).round(3)
    array([[-1.225,  0.   ,  1.225]])
    """
    centred = x - np.mean(x, axis=axis, keepdims=True)
    variance = np.mean(centred * centred, axis=axis, keepdims=True)
    return _scaled(centred / np.sqrt(variance + eps), weight, bias)


def batch_norm(
    x: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
    axis: int = 1,
) -> Any:
    """`x` less the mean of each channel, over its standard deviation, times `weight`, plus `bias`.

    Floats of the shape of `x`, whose channels lie along `axis`; `running_mean`, `running_var`, `weight` and `bias` have
    one element for each channel, or are None. In training, mean and variance are those of `x` over all other axes,
    and the running ones, if given, are updated in place: `running += momentum * (new - running)`, with the variance of
    the sample, that is divided by one element less. Otherwise the running ones are taken. `eps` is added to the
    variance. ValueError where neither are there. Source: S. Ioffe, C. Szegedy, Batch normalization, 2015; the rule of
    the running values is PyTorch's.

    >>> x, mean, var = np.array([[1.0], [3.0]]), np.zeros(1), np.ones(1)
    >>> batch_norm(x, mean, var, training=True).round(3).ravel(), mean, var
    (array([-1.,  1.]), array([0.2]), array([1.1]))
    """
    if not training and (running_mean is None or running_var is None):
        raise ValueError("batch_norm needs running_mean and running_var where it is not training")
    ndim = np.ndim(x)
    channels = [1] * ndim
    channels[axis] = -1
    if training:
        others = tuple(i for i in range(ndim) if i != axis % ndim)
        mean = np.mean(x, axis=others, keepdims=True)
        centred = x - mean
        variance = np.mean(centred * centred, axis=others, keepdims=True)
        if running_mean is not None:
            running_mean += momentum * (np.reshape(mean, -1) - running_mean)
        if running_var is not None:
            count = np.size(x) / np.size(variance)
            running_var += momentum * (np.reshape(variance, -1) * (count / (count - 1)) - running_var)
    else:
        centred = x - np.reshape(running_mean, channels)
        variance = np.reshape(running_var, channels)
    weight = None if weight is None else np.reshape(weight, channels)
    bias = None if bias is None else np.reshape(bias, channels)
    return _scaled(centred / np.sqrt(variance + eps), weight, bias)


def _scaled(x: Any, weight: Any, bias: Any) -> Any:
    x = x if weight is None else x * weight
    return x if bias is None else x + bias
