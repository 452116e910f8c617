"""Losses: the distance of predictions from targets, for each element or example, or as one number."""

from __future__ import annotations

from typing import Any

import numpy as np

from .activations import softplus
from .normalized import shifted


def mse_loss(prediction: Any, target: Any, reduction: str = "mean") -> Any:
    """The squares of the differences.

    `prediction` and `target` broadcast. `reduction` is 'mean', 'sum' or 'none', which gives one number for each
    element; ValueError for another one.

    >>> mse_loss(np.array([1.0, 2.0]), np.array([0.0, 4.0]))
    np.float64(2.5)
    """
    difference = prediction - target
    return _reduced(difference * difference, reduction)


def l1_loss(prediction: Any, target: Any, reduction: str = "mean") -> Any:
    """The absolute values of the differences; all else is as in `mse_loss`.

    >>> l1_loss(np.array([1.0, 2.0]), np.array([0.0, 4.0]))
    np.float64(1.5)
    """
    return _reduced(np.abs(prediction - target), reduction)


def huber_loss(prediction: Any, target: Any, delta: float = 1.0, reduction: str = "mean") -> Any:
    """Half the square of differences up to `delta`, and the tangent of that beyond; all else is as in `mse_loss`.

    Source: P. J. Huber, Robust estimation of a location parameter, Annals of Mathematical Statistics 35, 1964.

    >>> huber_loss(np.array([0.5, 3.0]), np.array([0.0, 0.0]), reduction="none")
    array([0.125, 2.5  ])
    """
    difference = prediction - target
    size = np.abs(difference)
    loss = np.where(size <= delta, 0.5 * difference * difference, delta * (size - 0.5 * delta))
    return _reduced(loss, reduction)


def cross_entropy(
    logits: Any,
    labels: Any,
    axis: int = -1,
    label_smoothing: float = 0.0,
    reduction: str = "mean",
    ignore_index: int | None = None,
) -> Any:
    """`-log(softmax(logits))` at the labels, without overflow.

    `logits` are floats with the classes along `axis`. `labels` are integers, of the shape of `logits` without that
    axis, or floats: the probability of each class, of the shape of `logits`. `label_smoothing` is the part of the
    probability that is spread evenly over all classes. `reduction` is 'mean', 'sum' or 'none', which gives one number
    for each example; ValueError for another one. An example whose integer label is `ignore_index` has the loss 0, and
    the mean is that of the others. Any other label outside raises IndexError, a negative one, too.

    >>> logits = np.array([[2.0, 1.0, 0.1], [0.0, 1000.0, 0.0]])
    >>> cross_entropy(logits, np.array([0, 1]), reduction="none").round(3)
    array([0.417, 0.   ])
    >>> cross_entropy(logits, np.array([[1.0, 0, 0], [0, 1, 0]])).round(3)
    np.float64(0.209)
    """
    below = shifted(logits, axis)
    total = np.log(np.sum(np.exp(below), axis=axis))
    if np.result_type(labels).kind in "iu":
        counted = None if ignore_index is None else np.not_equal(labels, ignore_index)
        labels = labels if counted is None else np.where(counted, labels, 0)
        places = np.expand_dims(np.where(np.less(labels, 0), below.shape[axis], labels), axis)
        picked = np.squeeze(np.take_along_axis(below, places, axis=axis), axis=axis)
        if label_smoothing:
            picked = (1 - label_smoothing) * picked + label_smoothing * np.mean(below, axis=axis)
        if counted is not None:
            loss = np.where(counted, total - picked, 0)
            return (
                np.sum(loss) / np.sum(counted, dtype=loss.dtype) if reduction == "mean" else _reduced(loss, reduction)
            )
    else:
        if label_smoothing:
            labels = (1 - label_smoothing) * labels + label_smoothing / below.shape[axis]
        picked, total = np.sum(labels * below, axis=axis), total * np.sum(labels, axis=axis)
    return _reduced(total - picked, reduction)


def binary_cross_entropy_with_logits(logits: Any, targets: Any, reduction: str = "mean") -> Any:
    """`-(targets * log(p) + (1 - targets) * log(1 - p))` with `p = sigmoid(logits)`, without overflow.

    It is `softplus(logits) - targets * logits`. `logits` are floats, `targets` probabilities, and they broadcast.
    `reduction` is as in `mse_loss`.

    >>> binary_cross_entropy_with_logits(np.array([0.0, 1000.0]), np.array([1.0, 1.0]), reduction="none").round(3)
    array([0.693, 0.   ])
    """
    return _reduced(softplus(logits) - targets * logits, reduction)


def _reduced(loss: Any, reduction: str) -> Any:
    if reduction == "mean":
        return np.mean(loss)
    if reduction == "sum":
        return np.sum(loss)
    if reduction != "none":
        raise ValueError(f"reduction is 'mean', 'sum' or 'none', not {reduction!r}")
    return loss
