"""The form of all optimizers: pairs of functions that turn gradients into updates, one after the other if need be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..trace.tensor import Tensor
from .trees import leaves_of, mapped


class Optimizer(NamedTuple):
    """A pair of pure functions over nested structures of arrays.

    `init(params)` gives the first state, and `update(gradients, state, params)` the updates, which are added to the
    parameters, and the next state. The shape is that of optax. Arrays of the state have the shapes and dtypes of the
    parameters; the number of steps is an array without axes, so that each step is the same call to a traced function.
    """

    init: Callable[[Any], Any]
    update: Callable[..., tuple[Any, Any]]


def apply_updates(params: Any, updates: Any) -> Any:
    """The parameters, each plus its update: the same structure, shapes and dtypes. Leaves without an update stay.

    Raises ValueError where structures differ.

    >>> apply_updates({"w": np.array([1.0, 2.0])}, {"w": np.array([0.5, -0.5])})
    {'w': array([1.5, 1.5])}
    """
    return mapped(lambda p, u: p + u, params, updates)


def chain(*parts: Optimizer) -> Optimizer:
    """One optimizer of several: each is given the updates of the one before it.

    >>> optimizer = chain(clip_by_global_norm(1.0), scale(-0.1))
    >>> params = np.array([3.0, 4.0])
    >>> updates, state = optimizer.update(2 * params, optimizer.init(params), params)
    >>> updates
    array([-0.06, -0.08])
    """

    def init(params: Any) -> Any:
        return tuple([part.init(params) for part in parts])

    def update(gradients: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        states = []
        for part, before in zip(parts, state, strict=True):
            gradients, after = part.update(gradients, before, params)
            states.append(after)
        return gradients, tuple(states)

    return Optimizer(init, update)


def scale(factor: float) -> Optimizer:
    """Updates that are `factor` times the gradients.

    >>> scale(-0.5).update(np.array([2.0, 4.0]), ())
    (array([-1., -2.]), ())
    """
    return stateless(lambda gradients: mapped(lambda g: factor * g, gradients))


def clip_by_global_norm(max_norm: float) -> Optimizer:
    """Gradients of at most this norm, taken over all leaves together: longer ones are scaled down.

    Source: R. Pascanu, T. Mikolov, Y. Bengio, On the difficulty of training recurrent neural networks, 2013.

    >>> clip_by_global_norm(1.0).update([np.array([3.0]), np.array([4.0])], ())
    ([array([0.6]), array([0.8])], ())
    """

    def clipped(gradients: Any) -> Any:
        norm = global_norm(gradients)
        factor = max_norm / np.maximum(norm, max_norm) if max_norm else 0.0 * norm
        return mapped(lambda g: g * like(factor, g), gradients)

    return stateless(clipped)


def global_norm(tree: Any) -> Any:
    """The Euclidean norm of all elements of all leaves. Its derivative is 0 where it is 0.

    >>> global_norm({"w": np.array([3.0, 0.0]), "b": np.array(4.0)})
    np.float64(5.0)
    """
    total: Any = sum([_squares(leaf) for leaf in leaves_of(tree)])
    is_some = total > 0
    return np.where(is_some, np.sqrt(np.where(is_some, total, 1)), total)[()]


def _squares(x: Any) -> Any:
    """The sum of the squares of the absolute values."""
    return np.sum(squared(x))


def squared(x: Any) -> Any:
    """The square of each element's absolute value."""
    size = np.abs(x) if np.iscomplexobj(x) else x
    return size * size


def stateless(function: Callable[[Any], Any]) -> Optimizer:
    """An optimizer that remembers nothing, of a function from gradients to updates."""
    return Optimizer(lambda params: (), lambda gradients, state, params=None: (function(gradients), state))


def like(number: Any, array: Any) -> Any:
    """A number of the dtype of an array, so that it does not widen the array that it is multiplied with."""
    return number if type(number) is float else number.astype(np.result_type(array))


FIRST: Any = np.zeros((), np.int64)
"""The number of the first step: an array, as the number itself would be another call to a traced function each time."""


def after(count: Any) -> Any:
    """The number of the next step."""
    return np.copy(count + 1)


def zeros(params: Any) -> Any:
    """Zeros like the parameters: arrays for arrays, and numbers for numbers. None for other leaves."""

    def zero(p: Any) -> Any:
        if not isinstance(p, Tensor | np.ndarray | np.generic | float | complex):
            return None
        return np.zeros_like(p) if np.ndim(p) else np.zeros_like(p)[()]

    return mapped(zero, params)
