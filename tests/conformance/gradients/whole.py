"""Programs as people write them, whose gradients they want: each a function of arrays that gives a number."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

PROGRAMS = {}
RNG = np.random.default_rng(7)


def program(*shapes, scale=1.0, shift=0.0):
    """Registers a program with random arguments of these shapes."""

    def register(function):
        arguments = [np.asarray(RNG.normal(size=shape) * scale + shift) for shape in shapes]
        PROGRAMS[function.__name__] = (function, arguments)
        return function

    return register


class Dense:
    def __init__(self, w, b, activation=None):
        self.w, self.b, self.activation = w, b, activation

    def __call__(self, x):
        y = x @ self.w + self.b
        return y if self.activation is None else self.activation(y)


X = RNG.normal(size=(6, 4))
Y = (X[:, 0] * X[:, 1] > 0).astype(float)
LABELS = np.array([0, 2, 1, 1, 0, 2])


@program((4, 5), (5,), (5, 3), (3,))
def mlp_with_classes(w1, b1, w2, b2):
    net = [Dense(w1, b1, np.tanh), Dense(w2, b2)]
    h = X
    for layer in net:
        h = layer(h)
    h = h - h.max(axis=1, keepdims=True)
    logp = h - np.log(np.exp(h).sum(axis=1, keepdims=True))
    return -logp[np.arange(len(LABELS)), LABELS].mean()


@program((4,), ())
def logistic_regression(w, b):
    z = X @ w + b
    p = 1 / (1 + np.exp(-z))
    return -np.mean(Y * np.log(p) + (1 - Y) * np.log(1 - p)) + 0.01 * np.dot(w, w)


@program((3, 8), (2, 8), (8,), (2,), scale=0.5)
def lstm(wx, wh, b, h0):
    sequence = np.sin(np.arange(15.0)).reshape(5, 3)
    h, c = h0, np.zeros(2)
    losses = []
    for x in sequence:
        gates = x @ wx + h @ wh + b
        i, f, o = (1 / (1 + np.exp(-gates[k * 2 : (k + 1) * 2])) for k in range(3))
        g = np.tanh(gates[6:])
        c = f * c + i * g
        h = o * np.tanh(c)
        losses.append(np.sum((h - x[:2]) ** 2))
    return sum(losses) / len(losses)


@program((2, 3, 3), (2,), (18, 2), scale=0.4)
def small_convolution(kernels, bias, dense):
    image = np.cos(np.arange(25.0)).reshape(5, 5)
    out = np.zeros((2, 3, 3))
    for k in range(2):
        for i in range(3):
            for j in range(3):
                out[k, i, j] = np.sum(image[i : i + 3, j : j + 3] * kernels[k]) + bias[k]
    out = np.maximum(out, 0.1 * out)
    logits = out.reshape(-1) @ dense
    return np.logaddexp(logits[0], logits[1]) - logits[0]


@program((), (), (), scale=0.1, shift=1.0)
def gaussian_process(length, variance, noise):
    x = np.linspace(0, 1, 6)
    d = x[:, None] - x[None, :]
    k = variance * np.exp(-0.5 * d**2 / length**2) + noise**2 * np.eye(6)
    y = np.sin(3 * x)
    chol = np.linalg.cholesky(k)
    alpha = np.linalg.solve(chol.T, np.linalg.solve(chol, y))
    return 0.5 * y @ alpha + np.sum(np.log(np.diag(chol))) + 3 * np.log(2 * np.pi)


@program((), (), scale=0.1, shift=1.0)
def kalman_filter(q, r):
    m, p, loglik = np.zeros(2), np.eye(2), 0.0
    a, h = np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[1.0, 0.0]])
    for y in np.sin(np.arange(8) * 0.3):
        m, p = a @ m, a @ p @ a.T + q * np.eye(2)
        s = h @ p @ h.T + r
        k = p @ h.T @ np.linalg.inv(s)
        residual = y - h @ m
        loglik -= 0.5 * (np.log(np.linalg.det(s)) + residual @ np.linalg.inv(s) @ residual)
        m, p = m + k @ residual, (np.eye(2) - k @ h) @ p
    return loglik


@program((), (), (), scale=0.1, shift=1.0)
def pendulum_by_runge_kutta(length, damping, angle):
    def f(s):
        return np.array([s[1], -9.81 / length * np.sin(s[0]) - damping * s[1]])

    s, dt, energy = np.array([angle, 0.0]), 0.05, 0.0
    for _ in range(20):
        k1 = f(s)
        k2 = f(s + dt / 2 * k1)
        k3 = f(s + dt / 2 * k2)
        k4 = f(s + dt * k3)
        s = s + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        energy += s[0] ** 2
    return energy


@program((5, 2), (2, 4))
def matrix_factorisation(u, v):
    ratings = np.arange(20.0).reshape(5, 4) % 5
    known = ratings > 0
    error = np.where(known, ratings - u @ v, 0.0)
    return np.sum(error**2) + 0.1 * (np.linalg.norm(u) ** 2 + np.linalg.norm(v) ** 2)


@program((3,), (3, 2), (3, 2), scale=0.7)
def gaussian_mixture(logits, means, log_scales):
    points = X[:, :2]
    weights = logits - np.log(np.sum(np.exp(logits)))
    total = []
    for k in range(3):
        z = (points - means[k]) / np.exp(log_scales[k])
        total.append(weights[k] - 0.5 * np.sum(z**2, axis=1) - np.sum(log_scales[k]))
    total = np.stack(total, axis=1)
    top = total.max(axis=1)
    return np.sum(top + np.log(np.sum(np.exp(total - top[:, None]), axis=1)))


@program((3, 3), (3, 4), (3,))
def hidden_markov_model(a, b, start):
    def log_normalised(v):
        return v - np.log(np.sum(np.exp(v), axis=-1, keepdims=True))

    a, b, alpha = log_normalised(a), log_normalised(b), log_normalised(start)
    observed = [0, 3, 1, 2, 2]
    alpha = alpha + b[:, observed[0]]
    for o in observed[1:]:
        alpha = np.logaddexp.reduce(alpha[:, None] + a, axis=0) + b[:, o]
    return np.logaddexp.reduce(alpha)


@program((4, 4), (4, 4), (4, 4), scale=0.5)
def attention(wq, wk, wv):
    q, k, v = X @ wq, X @ wk, X @ wv
    scores = q @ k.T / np.sqrt(4)
    mask = np.tril(np.ones((6, 6)))
    scores = np.where(mask == 1, scores, -1e9)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    mixed = weights @ v
    normed = (mixed - mixed.mean(-1, keepdims=True)) / np.sqrt(mixed.var(-1, keepdims=True) + 1e-5)
    return np.sum(normed * X)


@program((7,), (7,))
def soft_dynamic_time_warping(a, b):
    n, gamma = len(a), 0.5
    r = np.full((n + 1, n + 1), 1e3)
    r[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            options = np.array([r[i - 1, j - 1], r[i - 1, j], r[i, j - 1]]) / -gamma
            best = options.max()
            r[i, j] = (a[i - 1] - b[j - 1]) ** 2 - gamma * (best + np.log(np.sum(np.exp(options - best))))
    return r[n, n]


@program((6, 3))
def lennard_jones(positions):
    energy = 0.0
    for i in range(6):
        for j in range(i + 1, 6):
            r2 = np.sum((positions[i] * 3 - positions[j] * 3) ** 2) + 0.5
            s6 = 1 / r2**3
            energy += 4 * (s6**2 - s6)
    return energy


@program((8,), ())
def heat_equation_in_place(u0, kappa):
    u = u0.copy()
    for _ in range(10):
        u[1:-1] += 0.1 * kappa * (u[2:] - 2 * u[1:-1] + u[:-2])
        u[0] = u[1]
        u[-1] = 0.0
    return np.sum(u**2)


@program((5, 5), (5,))
def power_iteration(m, v):
    m = m @ m.T
    for _ in range(8):
        v = m @ v
        v = v / np.linalg.norm(v)
    return v @ m @ v


@program((), shift=2.0)
def newton_root(c):
    x = 1.0
    while abs(x * x * x - c) > 1e-10:
        x = x - (x**3 - c) / (3 * x**2)
    return x * x


@program((), shift=2.0)
def fixed_point_with_break(c):
    x = c
    for _ in range(100):
        new = 0.5 * (x + c / x)
        if abs(new - x) < 1e-12:
            break
        x = new
    return x


@program((), (), (), (), shift=1.0, scale=0.1)
def black_scholes(spot, strike, rate, sigma):
    t = 0.5
    d1 = (np.log(spot / strike) + (rate + sigma**2 / 2) * t) / (sigma * np.sqrt(t))
    d2 = d1 - sigma * np.sqrt(t)

    def cdf(x):
        return 0.5 * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))

    return spot * cdf(d1) - strike * np.exp(-rate * t) * cdf(d2)


@program((4,))
def option_by_binomial_tree(p):
    spot, up, rate, strike = p[0] + 5, 1.1 + 0.01 * p[1], 0.01 * p[2], 5.0 + 0.1 * p[3]
    steps = 6
    prices = spot * up ** (2 * np.arange(steps + 1) - steps)
    values = np.maximum(prices - strike, 0)
    q = (np.exp(rate) - 1 / up) / (up - 1 / up)
    for step in range(steps - 1, -1, -1):
        values = np.exp(-rate) * (q * values[1:] + (1 - q) * values[:-1])
        prices = spot * up ** (2 * np.arange(step + 1) - step)
        values = np.maximum(values, strike - prices)
    return values[0]


@program((16,), (5,))
def deconvolution_by_fft(signal, kernel):
    padded = np.zeros(16)
    padded[:5] = kernel
    blurred = np.fft.irfft(np.fft.rfft(signal) * np.fft.rfft(padded), 16)
    return np.sum((blurred - np.cos(np.arange(16))) ** 2) + np.sum(np.abs(np.fft.fft(kernel)))


@program((6,), ())
def kernel_ridge(y, gamma):
    d = np.sum((X[:, None] - X[None]) ** 2, axis=-1)
    k = np.exp(-np.abs(gamma) * d)
    alpha = np.linalg.solve(k + 0.1 * np.eye(6), y)
    return np.sum((k @ alpha - Y) ** 2)


@program((4, 3), (2, 3))
def dictionary_of_parameters(w, e):
    params = {"layers": [{"w": w}, {"w": w.T}], "embedding": e}
    tokens = np.array([0, 1, 1, 0])
    h = params["embedding"][tokens]
    for layer in params["layers"][::-1]:
        h = np.tanh(h @ layer["w"])
    total = 0.0
    for name, value in params.items():
        if name == "embedding":
            total += np.sum(value**2)
    return np.sum(h) + 0.01 * total


@dataclasses.dataclass
class State:
    position: np.ndarray
    velocity: np.ndarray
    time: float = 0.0

    def step(self, force, dt):
        velocity = self.velocity + dt * force(self.position)
        return State(self.position + dt * velocity, velocity, self.time + dt)


@program((3,), (3,), ())
def symplectic_integration(position, velocity, stiffness):
    state = State(position, velocity)
    for _ in range(12):
        state = state.step(lambda x: -stiffness * x - 0.1 * x**3, 0.1)
    return 0.5 * np.sum(state.velocity**2) + 0.5 * stiffness * np.sum(state.position**2)


class RunningNorm:
    def __init__(self, size):
        self.mean, self.var, self.steps = np.zeros(size), np.ones(size), 0

    def __call__(self, x, momentum=0.9):
        self.mean = momentum * self.mean + (1 - momentum) * x.mean(axis=0)
        self.var = momentum * self.var + (1 - momentum) * x.var(axis=0)
        self.steps += 1
        return (x - self.mean) / np.sqrt(self.var + 1e-5)


@program((4,), (4,))
def normalised_by_running_statistics(scale, shift):
    norm = RunningNorm(4)
    total = 0.0
    for k in range(3):
        total = total + np.sum(np.tanh(norm(X * scale + k) + shift))
    return total / norm.steps


@program((3,))
def inner_optimisation(target):
    x, m, v = np.zeros(3), np.zeros(3), np.zeros(3)
    for t in range(1, 6):
        g = 2 * (x - target) + 0.3 * x**3
        m = 0.9 * m + 0.1 * g
        v = 0.99 * v + 0.01 * g**2
        x = x - 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.99**t)) + 1e-3)
    return np.sum((x - target) ** 2)


@program((5,))
def recursion(x):
    def tree_sum(v):
        if len(v) == 1:
            return v[0] ** 2
        half = len(v) // 2
        return np.sin(tree_sum(v[:half])) * 0.5 + tree_sum(v[half:])

    return tree_sum(x)


@program((6,))
def early_returns(x):
    def robust(r):
        if r > 1:
            return 2 * r - 1
        if r < -1:
            return -2 * r - 1
        return r * r

    return sum(robust(v * 2) for v in x)


@program((6,))
def comprehensions(x):
    pairs = [(a * b, a - b) for a, b in zip(x[:-1], x[1:], strict=True)]
    best = max(p for p, _ in pairs)
    return best + sum(math.exp(-float(i)) * d**2 for i, (_, d) in enumerate(pairs))


@program((4, 4))
def linear_algebra(a):
    s = a @ a.T + 4 * np.eye(4)
    values, vectors = np.linalg.eigh(s)
    sign, logdet = np.linalg.slogdet(s)
    root = vectors @ np.diag(np.sqrt(values)) @ vectors.T
    u, d, vt = np.linalg.svd(a, full_matrices=False)
    return logdet + np.trace(root) + np.sum(np.linalg.inv(s)) + np.sum(d) + np.sum((u * d) @ vt)


@program((3, 4, 5))
def einsums(t):
    gram = np.einsum("ijk,ljk->il", t, t)
    contracted = np.tensordot(t, t, axes=([1, 2], [1, 2]))
    return np.sum(gram * contracted) ** 0.5 + np.einsum("ijk,jk->", t, t[0])


@program((10,))
def sorting_and_quantiles(x):
    ordered = np.sort(x)
    weights = np.linspace(0, 1, 10)
    middle = np.median(x) + np.percentile(x, 30) + np.quantile(x, [0.1, 0.9]) @ np.array([1.0, 2.0])
    return ordered @ weights + middle + np.sum(x[np.argsort(-x)[:3]]) + np.ptp(x)


@program((12,))
def masks_and_gathers(x):
    y = x.copy()
    y[y < 0] *= 0.1
    y[::3] = np.sqrt(np.abs(x[::3]) + 1)
    y[[0, 1, 1]] += np.array([1.0, 2.0, 3.0]) * x[2]
    np.add.at(y, [3, 3, 4], x[:3])
    return np.sum(y**2) + np.sum(x[x > 0.3]) + y[np.array([[0, 1], [2, 0]])].sum() * 0.5


@program((9,), ())
def interpolation_and_cumulation(knots, at):
    grid = np.cumsum(np.abs(knots) + 0.1)
    y = np.interp(np.array([1.0, 2.0, 2.5]), grid, knots) + np.trapezoid(knots, grid)
    return (
        np.sum(y)
        + np.prod(np.abs(knots[:4]) + 0.5)
        + np.sum(np.diff(knots, n=2)) * at
        + np.convolve(knots, [at, 1.0])[3]
    )


@program((4,))
def effects_and_exceptions(x):
    log = []
    try:
        if x[0] > 100:
            raise ValueError("too large")
        y = x * 2
    except ValueError:
        y = x
    finally:
        log.append(len(x))
    for v in y:
        log.append(float(v) * 0.5)
    return np.sum(y) * log[0] + sum(log)


@program((2, 3))
def complex_arithmetic(x):
    z = x[0] + 1j * x[1]
    w = np.exp(1j * z) * np.conj(z) / (2 + np.abs(z))
    return np.sum(np.abs(w) ** 2) + np.sum(w.real * np.angle(z + 3)) + np.sum((z**2).imag)
