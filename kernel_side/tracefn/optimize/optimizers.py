"""The optimizers: gradient descent, with momentum, and with a step for each element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..trace import provided
from .schedules import Rate
from .transformations import FIRST, Optimizer, after, like, squared, zeros
from .trees import mapped


class SgdState(NamedTuple):
    """The number of steps so far, and the velocity of each parameter, None without momentum."""

    count: Any
    velocity: Any


class AdamState(NamedTuple):
    """The number of steps so far, and the running means of gradients and of their squares."""

    count: Any
    mean: Any
    square: Any


class RmspropState(NamedTuple):
    """The number of steps so far, the running mean of the squares of gradients, and the velocity as in `SgdState`."""

    count: Any
    square: Any
    velocity: Any


def sgd(learning_rate: Rate, momentum: float = 0.0, nesterov: bool = False) -> Optimizer:
    """Stochastic gradient descent: `v = momentum * v + g`, and the update is `-learning_rate * v`.

    `learning_rate` is a number or a schedule. With `nesterov` the update is `-learning_rate * (g + momentum * v)`.
    Source: I. Sutskever et al., On the importance of initialization and momentum in deep learning, ICML 2013, in the
    form that PyTorch has.

    >>> optimizer, w = sgd(0.1), np.array([1.0, -2.0])
    >>> updates, state = optimizer.update(2 * w, optimizer.init(w))
    >>> updates
    array([-0.2,  0.4])
    """

    def init(params: Any) -> SgdState:
        return SgdState(FIRST, zeros(params) if momentum else None)

    def update(gradients: Any, state: SgdState, params: Any = None) -> tuple[Any, SgdState]:
        rate, velocity, steps = _rate(learning_rate, state.count), state.velocity, gradients
        if momentum:
            velocity = mapped(lambda g, v: momentum * v + g, gradients, velocity)
            steps = mapped(lambda g, v: g + momentum * v, gradients, velocity) if nesterov else velocity
        return mapped(lambda s: -like(rate, s) * s, steps), SgdState(after(state.count), velocity)

    return Optimizer(init, update)


def adam(learning_rate: Rate = 1e-3, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8) -> Optimizer:
    """Steps of the size of the learning rate, less where the sign of a gradient changes.

    `m` and `v` are running means of `g` and `|g|**2`, with `b1` and `b2` as weights of the past, divided by `1 - b1**t`
    and `1 - b2**t` at step `t`, as they begin at 0; the update is `-learning_rate * m / (sqrt(v) + eps)`. Source: D. P.
    Kingma, J. Ba, Adam: A method for stochastic optimization, ICLR 2015.

    >>> optimizer, w = adam(0.1), np.array([1.0, -200.0])
    >>> updates, state = optimizer.update(2 * w, optimizer.init(w))
    >>> updates.round(6)
    array([-0.1,  0.1])
    """
    return adamw(learning_rate, b1, b2, eps, weight_decay=0.0)


def adamw(
    learning_rate: Rate = 1e-3, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8, weight_decay: float = 1e-2
) -> Optimizer:
    """`adam`, whose updates have `-learning_rate * weight_decay * parameter` besides.

    `update` needs the parameters; TypeError where they are missing. Source: I. Loshchilov, F. Hutter, Decoupled weight
    decay regularization, ICLR 2019.

    >>> optimizer, w = adamw(0.1, weight_decay=0.5), np.array([1.0, -200.0])
    >>> updates, state = optimizer.update(0 * w, optimizer.init(w), w)
    >>> updates
    array([-0.05, 10.  ])
    """

    def init(params: Any) -> AdamState:
        return AdamState(FIRST, zeros(params), zeros(params))

    def update(gradients: Any, state: AdamState, params: Any = None) -> tuple[Any, AdamState]:
        if weight_decay and params is None:
            raise TypeError("adamw needs the parameters: optimizer.update(gradients, state, params)")
        rate, count = _rate(learning_rate, state.count), after(state.count)
        mean = mapped(lambda g, m: b1 * m + (1 - b1) * g, gradients, state.mean)
        square = mapped(lambda g, v: b2 * v + (1 - b2) * squared(g), gradients, state.square)
        first, second = 1 - np.power(b1, count), 1 - np.power(b2, count)

        def step(m: Any, v: Any) -> Any:
            return -like(rate, m) * (m / like(first, m)) / (np.sqrt(v / like(second, v)) + eps)

        updates = mapped(step, mean, square)
        if weight_decay:
            updates = mapped(lambda u, p: u - like(rate, u) * weight_decay * p, updates, params)
        return updates, AdamState(count, mean, square)

    return Optimizer(init, update)


def rmsprop(learning_rate: Rate = 1e-3, decay: float = 0.9, eps: float = 1e-8, momentum: float = 0.0) -> Optimizer:
    """Gradients over the root of the running mean of their squares, with `decay` as the weight of the past.

    `v = decay * v + (1 - decay) * |g|**2`, and the update is `-learning_rate * g / (sqrt(v) + eps)`, to which
    `momentum` adds as in `sgd`. Source: T. Tieleman, G. Hinton, Lecture 6.5 of Neural networks for machine
    learning, 2012.

    >>> optimizer, w = rmsprop(0.1), np.array([1.0, -200.0])
    >>> updates, state = optimizer.update(2 * w, optimizer.init(w))
    >>> updates.round(3)
    array([-0.316,  0.316])
    """

    def init(params: Any) -> RmspropState:
        return RmspropState(FIRST, zeros(params), zeros(params) if momentum else None)

    def update(gradients: Any, state: RmspropState, params: Any = None) -> tuple[Any, RmspropState]:
        rate, velocity = _rate(learning_rate, state.count), state.velocity
        square = mapped(lambda g, v: decay * v + (1 - decay) * squared(g), gradients, state.square)
        steps = mapped(lambda g, v: g / (np.sqrt(v) + eps), gradients, square)
        if momentum:
            steps = velocity = mapped(lambda s, u: momentum * u + s, steps, velocity)
        return mapped(lambda s: -like(rate, s) * s, steps), RmspropState(after(state.count), square, velocity)

    return Optimizer(init, update)


def _rate(rate: Rate, count: Any) -> Any:
    """The learning rate at a step. The code of a user's schedule is rewritten as all that a traced function calls."""
    if not callable(rate):
        return float(rate)
    schedule: Callable[[Any], Any] = provided.callee(rate)
    return schedule(count)
