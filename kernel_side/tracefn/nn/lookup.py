"""Integers as vectors, rows of a table, dropped elements, and attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from .normalized import softmax


def one_hot(labels: Any, count: int, dtype: Any = np.float64) -> Any:
    """Integers as vectors of `count` zeros with a 1 at the label: shape (*labels.shape, count).

    A label outside gives zeros alone.

    >>> one_hot(np.array([2, 0]), 3)
    array([[0., 0., 1.],
           [1., 0., 0.]])
    """
    return (np.expand_dims(labels, -1) == np.arange(count)).astype(dtype)


def embedding(table: Any, indices: Any) -> Any:
    """The rows of `table`, of shape (rows, *features), at the integers `indices`: shape (*indices.shape, *features).

    IndexError where there is no such row. The gradient by the table adds up the rows that are taken several times.

    >>> embedding(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1, 1, 0]))
    array([[3., 4.],
           [3., 4.],
           [1., 2.]])
    """
    return table[indices]


def dropout(x: Any, rate: float, rng: np.random.Generator, training: bool = True) -> Any:
    """`x` with elements set to 0, each with the probability `rate`, and the others divided by `1 - rate`.

    Floats of the shape and dtype of `x`, which are those of `x` where it is not training or the rate is 0. Each element
    takes one draw of `rng`. ValueError where the rate is not in [0, 1]. Source: N. Srivastava et al., Dropout, JMLR 15,
    2014.

    >>> dropout(np.ones(6), 0.5, np.random.default_rng(0))
    array([2., 2., 2., 0., 0., 0.])
    """
    if not 0 <= rate <= 1:
        raise ValueError(f"rate is a probability, not {rate!r}")
    if not training or rate == 0:
        return x
    if rate == 1:
        return x * 0
    return np.where(rng.random(np.shape(x), dtype=np.float32) >= rate, x / (1 - rate), 0)


def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    mask: Any = None,
    is_causal: bool = False,
    scale: float | None = None,
) -> Any:
    """`softmax(query @ key.T * scale) @ value`: for each query the mean of the values, weighted by how keys fit.

    `query` has shape (..., queries, features), `key` (..., keys, features), `value` (..., keys, results): floats, and
    so is the result, of shape (..., queries, results). `mask` broadcasts against (..., queries, keys): where bools are
    False, a key does not count; floats are added to the products. With `is_causal` a query sees the keys up to its own
    position. `scale` is `1 / sqrt(features)` where it is None. A query to which `mask` leaves no key gives 0. Source:
    A. Vaswani et al., Attention is all you need, 2017; the arguments are PyTorch's.

    >>> x = np.eye(2)
    >>> scaled_dot_product_attention(x, x, x, is_causal=True).round(3)
    array([[1.  , 0.  ],
           [0.33, 0.67]])
    """
    if scale is None:
        scale = np.shape(query)[-1] ** -0.5
    scores = (query * scale) @ np.swapaxes(key, -1, -2)
    if is_causal:
        queries, keys = np.shape(scores)[-2:]
        seen = np.arange(queries, like=scores)[:, np.newaxis] >= np.arange(keys, like=scores)
        scores = np.where(seen, scores, -np.inf)
    if mask is None:
        return softmax(scores) @ value
    scores = np.where(mask, scores, -np.inf) if np.result_type(mask).kind == "b" else scores + mask
    sees_none = np.isneginf(np.max(scores, axis=-1, keepdims=True))
    return np.where(sees_none, 0, softmax(np.where(sees_none, 0, scores))) @ value
