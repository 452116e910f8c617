"""Functions to differentiate: losses of models and energies, written once for every array module if possible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.engines import Engine
from benchmarks.workloads import ten_ops

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Task:
    """A function whose first argument is differentiated.

    `make` gives it for an engine, or None where that has no idiom for it; `arguments` makes its arguments, NumPy arrays
    in structures.
    """

    title: str
    make: Callable[[str, Engine], Function | None]
    arguments: Callable[[], tuple[Any, ...]]


def _random(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def _cross_entropy(xp: Any, logits: Any, wanted: Any) -> Any:
    shifted = logits - xp.max(logits, axis=1, keepdims=True)
    logs = shifted - xp.log(xp.sum(xp.exp(shifted), axis=1, keepdims=True))
    return -xp.mean(xp.sum(wanted * logs, axis=1))


def _wanted(count: int) -> Any:
    return np.eye(10, dtype=np.float32)[_random(9).integers(0, 10, count)]


def _mlp(name: str, engine: Engine) -> Function:
    xp = engine.xp

    def loss(params: Any, x: Any, wanted: Any) -> Any:
        w1, b1, w2, b2 = params
        return _cross_entropy(xp, xp.tanh(x @ w1 + b1) @ w2 + b2, wanted)

    return loss


def _mlp_arguments() -> tuple[Any, ...]:
    random = _random()
    shapes = [(784, 128), (128,), (128, 10), (10,)]
    params = [(random.normal(size=shape) * 0.05).astype(np.float32) for shape in shapes]
    return params, random.random((64, 784), dtype=np.float32), _wanted(64)


def _conv_net(name: str, engine: Engine) -> Function | None:
    if name == "jax":
        conv, pool = _jax_layers()
    elif name == "tracefn":
        from tracefn import nn

        conv, pool = nn.conv2d, lambda x: nn.max_pool(x, 2)
    else:
        return None
    xp = engine.xp

    def loss(params: Any, x: Any, wanted: Any) -> Any:
        k1, k2, w, b = params
        h = pool(xp.tanh(conv(x, k1)))
        h = pool(xp.tanh(conv(h, k2)))
        return _cross_entropy(xp, xp.reshape(h, (x.shape[0], -1)) @ w + b, wanted)

    return loss


def _jax_layers() -> tuple[Function, Function]:
    import jax

    def conv(x: Any, kernel: Any) -> Any:
        return jax.lax.conv_general_dilated(x, kernel, (1, 1), "VALID")

    def pool(x: Any) -> Any:
        return jax.lax.reduce_window(x, -np.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")

    return conv, pool


def _conv_arguments() -> tuple[Any, ...]:
    random = _random()
    shapes = [(8, 1, 3, 3), (16, 8, 4, 4), (400, 10), (10,)]
    params = [(random.normal(size=shape) * 0.1).astype(np.float32) for shape in shapes]
    return params, random.random((32, 1, 28, 28), dtype=np.float32), _wanted(32)


def _lstm(name: str, engine: Engine) -> Function:
    xp = engine.xp

    def step(params: Any, h: Any, c: Any, x: Any) -> Any:
        w, u, b = params
        z = x @ w + h @ u + b
        size = h.shape[1]
        gates = 1 / (1 + xp.exp(-z[:, : 3 * size]))
        c = gates[:, size : 2 * size] * c + gates[:, :size] * xp.tanh(z[:, 3 * size :])
        return gates[:, 2 * size :] * xp.tanh(c), c

    def loss(params: Any, xs: Any, h: Any) -> Any:
        c = h
        for t in range(50):
            h, c = step(params, h, c, xs[t])
        return xp.mean(h * h)

    def scanned(params: Any, xs: Any, h: Any) -> Any:
        import jax

        def round_of(carried: Any, x: Any) -> Any:
            return step(params, *carried, x), None

        (h, _), _ = jax.lax.scan(round_of, (h, h), xs)
        return xp.mean(h * h)

    return scanned if name == "jax" else loss


def _lstm_arguments() -> tuple[Any, ...]:
    random = _random()
    params = [(random.normal(size=shape) * 0.2).astype(np.float32) for shape in [(16, 128), (32, 128), (128,)]]
    return params, random.random((50, 16, 16), dtype=np.float32), np.zeros((16, 32), np.float32)


def _logistic(name: str, engine: Engine) -> Function:
    xp = engine.xp

    def loss(w: Any, x: Any, y: Any) -> Any:
        z = x @ w
        return xp.mean(xp.logaddexp(0.0, z) - y * z) + 0.01 * xp.sum(w * w)

    return loss


def _logistic_arguments() -> tuple[Any, ...]:
    random = _random()
    x = random.normal(size=(1000, 50))
    return random.normal(size=50) * 0.1, x, (x[:, 0] > 0).astype(float)


def _chain(name: str, engine: Engine) -> Function:
    chain, xp = ten_ops(engine.xp), engine.xp
    return lambda x, w: xp.sum(chain(x, w))


def _n_body(name: str, engine: Engine) -> Function:
    xp = engine.xp

    def energy(positions: Any, masses: Any) -> Any:
        total = 0.0
        for i in range(BODIES):
            for j in range(i):
                away = positions[i] - positions[j]
                total = total - masses[i] * masses[j] / xp.sqrt(xp.sum(away * away))
        return total

    def staged(positions: Any, masses: Any) -> Any:  # unrolled, XLA takes minutes to compile it
        import jax

        def pair(i: Any, j: Any, total: Any) -> Any:
            away = positions[i] - positions[j]
            square = xp.where(j < i, xp.sum(away * away), 1.0)
            return total - xp.where(j < i, masses[i] * masses[j] / xp.sqrt(square), 0.0)

        def row(i: Any, total: Any) -> Any:
            return jax.lax.fori_loop(0, BODIES, lambda j, total: pair(i, j, total), total)

        return jax.lax.fori_loop(0, BODIES, row, 0.0)

    return staged if name == "jax" else energy


BODIES = 24

CHAIN, MLP = "10 operations on 1,000,000 float64", "an MLP, 64×784–128–10"

TASKS = {
    "mlp": Task(MLP, _mlp, _mlp_arguments),
    "conv": Task("a convolutional net, 32×28×28", _conv_net, _conv_arguments),
    "lstm": Task("an LSTM of 50 steps", _lstm, _lstm_arguments),
    "logistic": Task("logistic regression, 1000×50", _logistic, _logistic_arguments),
    "chain": Task(CHAIN, _chain, lambda: tuple(_random().random((2, 10**6)))),
    "n_body": Task(
        f"the energy of {BODIES} bodies, in loops", _n_body, lambda: (_random().random((BODIES, 3)), np.ones(BODIES))
    ),
}


def thirty_ops(xp: Any) -> Function:
    """Thirty operations, for a first gradient."""

    def loss(x: Any, w: Any) -> Any:
        h = x * w
        for _ in [None] * 4:
            h = xp.tanh(h + x)
            h = h * h - w
            h = xp.exp(-h) / 2.0
            h = xp.sqrt(h + 3.0)
        return xp.sum(h)

    return loss
