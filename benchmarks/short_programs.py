"""Programs that people call a few times in a notebook, with arguments of which a call takes milliseconds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

RNG = np.random.default_rng(0)


def columns(a: Any) -> Any:
    """Orthogonal columns, one after the other."""
    q = a.copy()
    for k in range(q.shape[1]):
        for j in range(k):
            q[:, k] -= (q[:, j] @ q[:, k]) * q[:, j]
        q[:, k] /= np.sqrt(q[:, k] @ q[:, k])
    return q


def bodies(x: Any, v: Any, m: Any) -> Any:
    """Ten steps of bodies that attract one another."""
    for _ in range(10):
        d = x[None, :, :] - x[:, None, :]
        r = (d * d).sum(axis=-1) + 0.01
        v = v + 0.01 * (d * (m / (r * np.sqrt(r)))[..., None]).sum(axis=1)
        x = x + 0.01 * v
    return x, v


def stencil(u: Any) -> Any:
    """Nine points, ten times."""
    for _ in range(10):
        total = np.zeros_like(u[1:-1, 1:-1])
        for i in range(3):
            for j in range(3):
                total += u[i : i + u.shape[0] - 2, j : j + u.shape[1] - 2]
        u[1:-1, 1:-1] = total / 9
    return u


def pendulum(t: Any, w: Any) -> Any:
    """Forty steps of many pendulums, unrolled."""
    for _ in range(40):
        w = w - 0.01 * (9.81 * np.sin(t) + 0.1 * w)
        t = t + 0.01 * w
    return t, w


def runge_kutta(y: Any) -> Any:
    """Twelve steps of the fourth order."""

    def slope(y: Any) -> Any:
        return np.stack([y[1], (1 - y[0] ** 2) * y[1] - y[0]])

    for _ in range(12):
        a = slope(y)
        b = slope(y + 0.05 * a)
        c = slope(y + 0.05 * b)
        y = y + 0.1 / 6 * (a + 2 * b + 2 * c + slope(y + 0.1 * c))
    return y


def network(x: Any, k1: Any, k2: Any, w: Any) -> Any:
    """Two convolutions and a product."""
    for k in (k1, k2):
        windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(0, 1))
        x = np.maximum(np.einsum("ijckl,cokl->ijo", windows, k), 0)
    return x.mean(axis=(0, 1)) @ w


def sparse(data: Any, columns: Any, rows: Any, x: Any) -> Any:
    """Ten products of a sparse matrix with a vector."""
    for _ in range(10):
        x = np.add.reduceat(data * x[columns], rows)
        x = x / np.sqrt((x * x).sum())
    return x


def tridiagonal(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Thomas's sweeps, forwards and back."""
    b, d = b.copy(), d.copy()
    for k in range(1, len(b)):
        w = a[k] / b[k - 1]
        b[k] -= w * c[k - 1]
        d[k] -= w * d[k - 1]
    d[-1] /= b[-1]
    for k in range(len(b) - 2, -1, -1):
        d[k] = (d[k] - c[k] * d[k + 1]) / b[k]
    return d


def covariance(x: Any) -> Any:
    x = x - x.mean(axis=0)
    return x.T @ x / (len(x) - 1)


def regression(x: Any, y: Any) -> Any:
    return np.linalg.solve(x.T @ x + np.eye(x.shape[1]), x.T @ y)


def components(x: Any) -> Any:
    u, s, _ = np.linalg.svd(x - x.mean(axis=0), full_matrices=False)
    return u * s


def layers(x: Any, w: Any) -> Any:
    for _ in range(12):
        x = np.tanh(x @ w)
    return x


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def distances(x: Any, y: Any) -> Any:
    return np.sqrt(((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=-1)).argmin(axis=1)


def normal(x: Any) -> Any:
    return (np.exp(-0.5 * ((x - x.mean()) / x.std()) ** 2) / (x.std() * np.sqrt(2 * np.pi))).sum()


def spectrum(x: Any) -> Any:
    power = np.abs(np.fft.rfft(x * np.hanning(len(x)))) ** 2
    return 10 * np.log10(power + 1e-12)


def ranks(x: Any) -> Any:
    order = np.argsort(x)
    return np.cumsum(x[order]) / x.sum()


def paths(z: Any) -> Any:
    """Prices by Euler's steps."""
    s = np.full(z.shape[1], 100.0)
    for k in range(z.shape[0]):
        s = s * np.exp(0.0001 + 0.01 * z[k])
    return np.maximum(s - 100, 0).mean()


def filtered(x: Any) -> Any:
    y = np.zeros_like(x)
    for k in range(2, len(x)):
        y[k] = 0.2 * x[k] + 0.5 * y[k - 1] - 0.1 * y[k - 2]
    return y


def histogram(x: Any, y: Any) -> Any:
    counts = np.bincount((np.clip(x, 0, 0.999) * 64).astype(np.int64), weights=y, minlength=64)
    return counts / counts.sum()


def _normal(*shape: int) -> Any:
    return RNG.normal(size=shape)


PROGRAMS: dict[Callable[..., Any], tuple[Any, ...]] = {
    columns: (_normal(300, 24),),
    bodies: (_normal(60, 3), _normal(60, 3), np.ones(60)),
    stencil: (_normal(150, 150),),
    pendulum: (_normal(2000), _normal(2000)),
    runge_kutta: (_normal(2, 2000),),
    network: (_normal(32, 32, 3), _normal(3, 8, 3, 3), _normal(8, 8, 3, 3), _normal(8, 10)),
    sparse: (_normal(20_000), RNG.integers(0, 2000, 20_000), np.arange(0, 20_000, 10), _normal(2000)),
    tridiagonal: (np.ones(400), np.full(400, 4.0), np.ones(400), _normal(400)),
    covariance: (_normal(800, 800),),
    regression: (_normal(3000, 100), _normal(3000)),
    components: (_normal(400, 80),),
    layers: (_normal(200, 200), _normal(200, 200) / 20),
    softmax: (_normal(500, 300),),
    distances: (_normal(500, 8), _normal(100, 8)),
    normal: (_normal(200_000),),
    spectrum: (_normal(1 << 16),),
    ranks: (_normal(100_000),),
    paths: (_normal(60, 3000),),
    filtered: (_normal(2000),),
    histogram: (RNG.random(100_000), RNG.random(100_000)),
}
