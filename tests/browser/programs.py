"""Programs of the kind that people write, each with arguments: what the pictures of graphs are judged by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = {}
"""Name → the function and what makes its arguments."""

RNG = np.random.default_rng(0)


def program(*shapes: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Takes a function in, with arguments of these shapes; what is callable makes an argument itself."""

    def take(function: Callable[..., Any]) -> Callable[..., Any]:
        def arguments() -> tuple[Any, ...]:
            return tuple(s() if callable(s) else RNG.standard_normal(s) for s in shapes)

        PROGRAMS[function.__name__] = (function, arguments)
        return function

    return take


def relu(x):
    return np.maximum(x, 0)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layer_norm(x, gain, bias):
    mean = x.mean(axis=-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    return gain * (x - mean) / np.sqrt(variance + 1e-5) + bias


def attention(x, p, heads=4):
    length, width = x.shape
    q, k, v = (np.reshape(x @ p[name], (length, heads, width // heads)).transpose(1, 0, 2) for name in ("q", "k", "v"))
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(width // heads)
    return (softmax(scores) @ v).transpose(1, 0, 2).reshape(length, width) @ p["o"]


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def block(x, p):
    x = x + attention(layer_norm(x, p["gain1"], p["bias1"]), p)
    return x + gelu(layer_norm(x, p["gain2"], p["bias2"]) @ p["up"]) @ p["down"]


def transformer_layers(count=6, width=32):
    shapes = {"gain1": (width,), "bias1": (width,), "gain2": (width,), "bias2": (width,), "up": (width, 4 * width)}
    shapes |= {"q": (width, width), "k": (width, width), "v": (width, width), "o": (width, width)}
    shapes["down"] = (4 * width, width)
    return [{name: RNG.standard_normal(shape) * 0.1 for name, shape in shapes.items()} for _ in range(count)]


@program((16, 32), transformer_layers)
def transformer(x, layers):
    for layer in layers:
        x = block(x, layer)
    return softmax(x)


@program((16, 32), lambda: transformer_layers(1)[0])
def one_attention(x, p):
    return attention(x, p)


def convolve(x, w):
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(x, ((1, 1), (1, 1), (0, 0))), (3, 3), axis=(0, 1))
    return relu(np.einsum("hwcij,ijcd->hwd", windows, w))


def down(x):
    h, w, c = x.shape
    return x.reshape(h // 2, 2, w // 2, 2, c).max(axis=(1, 3))


def up(x):
    return x.repeat(2, axis=0).repeat(2, axis=1)


def unet_weights():
    shapes = [("in1", 1, 4), ("in2", 4, 8), ("middle", 8, 8), ("out2", 16, 4), ("out1", 8, 4)]
    return {name: RNG.standard_normal((3, 3, a, b)) for name, a, b in shapes}


@program((16, 16, 1), unet_weights)
def unet(image, w):
    first = convolve(image, w["in1"])
    second = convolve(down(first), w["in2"])
    middle = convolve(down(second), w["middle"])
    x = convolve(np.concatenate([up(middle), second], axis=-1), w["out2"])
    return convolve(np.concatenate([up(x), first], axis=-1), w["out1"])


@program((12, 8), (8, 8), (8, 8), (8,))
def rnn(xs, w, u, b):
    h = np.zeros(8)
    states = []
    for x in xs:
        h = np.tanh(x @ w + h @ u + b)
        states.append(h)
    return np.stack(states)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@program((10, 8), lambda: {g: RNG.standard_normal((16, 8)) for g in ("forget", "input", "output", "cell")})
def lstm(xs, weights):
    h = c = np.zeros(8)
    for t in range(len(xs)):
        both = np.concatenate([xs[t], h])
        forget, take, give = (sigmoid(both @ weights[g]) for g in ("forget", "input", "output"))
        c = forget * c + take * np.tanh(both @ weights["cell"])
        h = give * np.tanh(c)
    return h


@program((200, 2), (4, 2))
def kmeans(points, centres):
    for _ in range(10):
        distances = ((points[:, None] - centres[None]) ** 2).sum(axis=-1)
        nearest = distances.argmin(axis=1)
        member = nearest[:, None] == np.arange(len(centres))
        centres = (member.T @ points) / np.maximum(member.sum(axis=0), 1)[:, None]
    return centres, nearest


@program((64, 64), lambda: 0.1)
def heat(u, rate):
    for _ in range(100):
        inner = u[1:-1, 1:-1]
        lap = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * inner
        u[1:-1, 1:-1] = inner + rate * lap
    return u


@program((64,), (64,))
def wave(u, v):
    dt, c = 0.01, 2.0
    for _ in range(4):
        v = v + dt * c**2 * (np.roll(u, 1) - 2 * u + np.roll(u, -1))
        u = u + dt * v
    return u, v


@program((20, 2), (4,), (4, 4), (4, 4), (2, 4), (4, 4), (2, 2))
def kalman(measured, x, p, f, h, q, r):
    for z in measured:
        x, p = f @ x, f @ p @ f.T + q
        gain = p @ h.T @ np.linalg.inv(h @ p @ h.T + r)
        x = x + gain @ (z - h @ x)
        p = (np.eye(4) - gain @ h) @ p
    return x, p


@program((30, 3), (30, 3), (30,))
def nbody(position, velocity, mass):
    offset = position[None] - position[:, None]
    distance = np.sqrt((offset**2).sum(axis=-1) + 0.01)
    acceleration = (mass[None, :, None] * offset / distance[..., None] ** 3).sum(axis=1)
    velocity = velocity + 0.01 * acceleration
    energy = 0.5 * (mass * (velocity**2).sum(axis=-1)).sum()
    return position + 0.01 * velocity, velocity, energy


def mlp_weights():
    sizes = [8, 16, 16, 3]
    return [(RNG.standard_normal((a, b)) * 0.3, np.zeros(b)) for a, b in zip(sizes, sizes[1:], strict=False)]


@program((32, 8), (32, 3), mlp_weights)
def train_mlp(x, y, weights):
    activations = [x]
    for w, b in weights:
        activations.append(np.tanh(activations[-1] @ w + b))
    gradient = 2 * (activations[-1] - y) / len(x)
    updated = []
    for (w, b), before, after in zip(weights[::-1], activations[-2::-1], activations[:0:-1], strict=True):
        gradient = gradient * (1 - after**2)
        updated.append((w - 0.1 * before.T @ gradient, b - 0.1 * gradient.sum(axis=0)))
        gradient = gradient @ w.T
    return updated[::-1], ((activations[-1] - y) ** 2).mean()


@program((256,), lambda: 20)
def fft_filter(signal, cutoff):
    spectrum = np.fft.rfft(signal * np.hanning(len(signal)))
    frequency = np.fft.rfftfreq(len(signal), 1 / 256)
    spectrum = np.where(frequency < cutoff, spectrum, 0)
    return np.fft.irfft(spectrum, n=len(signal)), np.abs(spectrum) ** 2


@program((64, 5))
def pca(x):
    centred = x - x.mean(axis=0)
    covariance = centred.T @ centred / (len(x) - 1)
    values, vectors = np.linalg.eigh(covariance)
    order = np.argsort(values)[::-1]
    return centred @ vectors[:, order[:2]], values[order] / values.sum()


@program((50, 3), (50,))
def least_squares(x, y):
    design = np.column_stack([np.ones(len(x)), x])
    beta = np.linalg.solve(design.T @ design, design.T @ y)
    residual = y - design @ beta
    return beta, 1 - (residual**2).sum() / ((y - y.mean()) ** 2).sum()


@program((100, 4), lambda: RNG.integers(0, 2, 100).astype(float), (4,))
def logistic(x, y, w):
    for _ in range(50):
        p = sigmoid(x @ w)
        w = w - 0.1 * x.T @ (p - y) / len(x)
    loss = -(y * np.log(p + 1e-9) + (1 - y) * np.log(1 - p + 1e-9)).mean()
    return w, loss


@program(lambda: np.float64(2.0), lambda: 1e-9)
def newton(x, tolerance):
    step = np.float64(1.0)
    count = 0
    while np.abs(step) > tolerance:
        step = (x**3 - 2 * x - 5) / (3 * x**2 - 2)
        x = x - step
        count += 1
    return x, count


@program(lambda: np.int64(27))
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@program((32, 32))
def mandelbrot(field):
    c = field + 1j * field.T
    z = np.zeros_like(c)
    count = np.zeros(c.shape, int)
    for _ in range(20):
        inside = np.abs(z) < 2
        z = np.where(inside, z * z + c, z)
        count = count + inside
    return count


@program((3,))
def runge_kutta(state):
    def lorenz(s):
        return np.stack([10 * (s[1] - s[0]), s[0] * (28 - s[2]) - s[1], s[0] * s[1] - 8 / 3 * s[2]])

    dt = 0.01
    for _ in range(3):
        k1 = lorenz(state)
        k2 = lorenz(state + dt / 2 * k1)
        k3 = lorenz(state + dt / 2 * k2)
        k4 = lorenz(state + dt * k3)
        state = state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return state


@program(lambda: 100.0, lambda: 95.0, (1000,))
def option_price(spot, strike, noise):
    paths = spot * np.exp(-0.5 * 0.04 + 0.2 * noise)
    payoff = np.maximum(paths - strike, 0)
    price = np.exp(-0.05) * payoff.mean()
    return price, 1.96 * payoff.std() / np.sqrt(len(noise))


class Adam:
    """An optimiser that keeps its moments."""

    def __init__(self):
        self.m = self.v = 0.0
        self.t = 0

    def step(self, w, g):
        self.t += 1
        self.m = 0.9 * self.m + 0.1 * g
        self.v = 0.999 * self.v + 0.001 * g * g
        m, v = self.m / (1 - 0.9**self.t), self.v / (1 - 0.999**self.t)
        return w - 0.01 * m / (np.sqrt(v) + 1e-8)


@program((16, 4), (16,), (4,), Adam)
def adam_step(x, y, w, optimiser):
    error = x @ w - y
    return optimiser.step(w, 2 * x.T @ error / len(y)), (error**2).mean()


@program((40, 60))
def edges(image):
    gx = image[:, 2:] - image[:, :-2]
    gy = image[2:, :] - image[:-2, :]
    size = np.hypot(gx[1:-1], gy[:, 1:-1])
    low, high = np.percentile(size, [70, 90])
    strong = size > high
    return np.where(strong, 1.0, np.where(size > low, 0.5, 0.0)), strong.mean()


@program((30, 30), (30,))
def pagerank(links, personal):
    links = np.abs(links)
    transition = links / links.sum(axis=0)
    rank = np.ones(len(personal)) / len(personal)
    for _ in range(20):
        rank = 0.85 * transition @ rank + 0.15 * np.abs(personal) / np.abs(personal).sum()
    return rank


@program((20, 8), lambda: (RNG.random((20, 20)) < 0.2).astype(float), (8, 16), (16, 3))
def graph_network(x, adjacency, w1, w2):
    linked = adjacency + np.eye(len(adjacency))
    scale = 1 / np.sqrt(linked.sum(axis=1))
    passed = scale[:, None] * linked * scale
    return softmax(passed @ relu(passed @ x @ w1) @ w2)


@program((150,), lambda: np.array([0.5, 0.5]), lambda: np.array([-1.0, 1.0]), lambda: np.array([1.0, 1.0]))
def gaussian_mixture(x, weight, mean, spread):
    for _ in range(8):
        density = weight * np.exp(-0.5 * ((x[:, None] - mean) / spread) ** 2) / spread
        share = density / density.sum(axis=1, keepdims=True)
        total = share.sum(axis=0)
        weight = total / len(x)
        mean = (share * x[:, None]).sum(axis=0) / total
        spread = np.sqrt((share * (x[:, None] - mean) ** 2).sum(axis=0) / total)
    return weight, mean, spread
