"""Layers of neural networks with forward and backward passes."""

import numpy as np


class Dense:
    def __init__(self, n_in, n_out, seed=0):
        rng = np.random.default_rng(seed)
        self.W = rng.normal(0, 0.5, (n_in, n_out))
        self.b = np.zeros(n_out)
        self.x = None

    def forward(self, x):
        self.x = x
        return x @ self.W + self.b

    def backward(self, grad):
        self.dW = self.x.T @ grad
        self.db = grad.sum(axis=0)
        return grad @ self.W.T

    def update(self, lr):
        self.W -= lr * self.dW
        self.b -= lr * self.db


class ReLU:
    def forward(self, x):
        self.mask = x > 0
        return np.where(self.mask, x, 0.0)

    def backward(self, grad):
        return grad * self.mask

    def update(self, lr):
        pass


class Network:
    def __init__(self, sizes):
        self.layers = []
        for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
            self.layers.append(Dense(a, b, seed=i))
            if i < len(sizes) - 2:
                self.layers.append(ReLU())
        self.losses = []

    def predict(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return x

    def train_step(self, x, y, lr=0.05):
        out = self.predict(x)
        diff = out - y
        loss = np.mean(diff**2)
        self.losses.append(loss)
        grad = 2 * diff / diff.size
        for layer in reversed(self.layers):
            grad = layer.backward(grad)
        for layer in self.layers:
            layer.update(lr)
        return loss


def drive_network():
    rng = np.random.default_rng(1)
    net = Network([3, 4, 2])
    for size in (5, 5, 8, 5, 8, 5, 5, 8):
        x = rng.normal(size=(size, 3))
        yield net.train_step(x, np.stack([x.sum(1), x[:, 0]], axis=1))
    yield net.predict(np.ones((2, 3)))
    net.layers[0].W[0] = 0.0
    yield net.predict(np.ones((2, 3)))
    net.losses = []
    yield net.train_step(np.ones((5, 3)), np.zeros((5, 2)), lr=0.1)


class BatchNorm:
    def __init__(self, size, momentum=0.9, eps=1e-5):
        self.gamma, self.beta = np.ones(size), np.zeros(size)
        self.running = {"mean": np.zeros(size), "var": np.ones(size)}
        self.momentum, self.eps = momentum, eps
        self.training = True
        self.seen = 0

    def forward(self, x):
        if self.training:
            mean, var = x.mean(axis=0), x.var(axis=0)
            self.running["mean"] = self.momentum * self.running["mean"] + (1 - self.momentum) * mean
            self.running["var"] = self.momentum * self.running["var"] + (1 - self.momentum) * var
            self.seen += len(x)
        else:
            mean, var = self.running["mean"], self.running["var"]
        self.std = np.sqrt(var + self.eps)
        self.xhat = (x - mean) / self.std
        return self.gamma * self.xhat + self.beta

    def backward(self, grad):
        n = len(grad)
        self.dgamma = np.sum(grad * self.xhat, axis=0)
        self.dbeta = grad.sum(axis=0)
        dx = self.gamma / (n * self.std) * (n * grad - self.dbeta - self.xhat * self.dgamma)
        return dx

    def eval(self):
        self.training = False
        return self

    def train(self, mode=True):
        self.training = mode
        return self


def drive_batch_norm():
    rng = np.random.default_rng(2)
    norm = BatchNorm(3)
    for size in (4, 6, 4, 6):
        yield norm.forward(rng.normal(2.0, 3.0, (size, 3)))
        yield norm.backward(rng.normal(size=(size, 3)))
    norm.eval()
    yield norm.forward(np.ones((4, 3)))
    norm.train()
    yield norm.forward(np.arange(12.0).reshape(4, 3))
    yield norm.seen


class Dropout:
    def __init__(self, p=0.5, seed=0):
        self.p = p
        self.rng = np.random.default_rng(seed)
        self.mask = None
        self.training = True

    def __call__(self, x):
        if not self.training or self.p == 0:
            return x
        self.mask = (self.rng.random(x.shape) >= self.p) / (1 - self.p)
        return x * self.mask

    def backward(self, grad):
        if self.mask is None:
            return grad
        return grad * self.mask


def drive_dropout():
    drop = Dropout(0.4, seed=3)
    for size in (3, 5, 3, 5):
        yield drop(np.ones(size))
        yield drop.backward(np.full(size, 2.0))
    drop.training = False
    yield drop(np.ones(3))
    drop.training, drop.p = True, 0.2
    yield drop(np.ones(3))
    yield drop.rng.random()


class Embedding:
    """Rows of a table; remembers which were used, for the sparse update."""

    def __init__(self, words, dim):
        self.table = np.arange(words * dim, dtype=float).reshape(words, dim) / 10
        self.counts = np.zeros(words, dtype=int)
        self.last = None

    def forward(self, ids):
        self.last = ids
        np.add.at(self.counts, ids, 1)
        return self.table[ids]

    def backward(self, grad, lr=0.1):
        gradient = np.zeros_like(self.table)
        np.add.at(gradient, self.last, grad)
        self.table -= lr * gradient
        return np.abs(gradient).sum()


def drive_embedding():
    emb = Embedding(6, 2)
    for ids in ([0, 1, 1], [2, 5], [3, 3, 3], [0, 4], [1, 2, 5]):
        ids = np.array(ids)
        yield emb.forward(ids).sum(axis=0)
        yield emb.backward(np.ones((len(ids), 2)))
    emb.counts[:] = 0
    yield emb.forward(np.array([5, 5]))


class RNNCell:
    def __init__(self, n_in, n_hidden):
        self.Wx = np.linspace(-0.5, 0.5, n_in * n_hidden).reshape(n_in, n_hidden)
        self.Wh = 0.3 * np.eye(n_hidden)
        self.b = np.zeros(n_hidden)
        self.h = None
        self.cache = []

    def step(self, x):
        if self.h is None:
            self.h = np.zeros((x.shape[0], self.Wh.shape[0]))
        h_next = np.tanh(x @ self.Wx + self.h @ self.Wh + self.b)
        self.cache.append((x, self.h, h_next))
        self.h = h_next
        return h_next

    def backward_through_time(self, grad):
        dWx, dWh, db = np.zeros_like(self.Wx), np.zeros_like(self.Wh), np.zeros_like(self.b)
        while self.cache:
            x, h_prev, h = self.cache.pop()
            dz = grad * (1 - h**2)
            dWx += x.T @ dz
            dWh += h_prev.T @ dz
            db += dz.sum(axis=0)
            grad = dz @ self.Wh.T
        self.Wx = self.Wx - 0.1 * dWx
        self.Wh = self.Wh - 0.1 * dWh
        self.b = self.b - 0.1 * db
        return np.linalg.norm(dWx)

    def reset(self):
        self.h = None
        self.cache = []


def drive_rnn():
    cell = RNNCell(2, 3)
    for start in (0.0, 1.0):
        for k in range(3):
            yield cell.step(np.array([[start + k, 1.0]]))
        yield cell.backward_through_time(np.ones((1, 3)))
        cell.reset()
    yield cell.step(np.ones((2, 2)))
    yield cell.h.shape


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


class Attention:
    def __init__(self, dim, heads=2):
        self.dim, self.heads = dim, heads
        self.weights = {name: np.eye(dim) * (0.5 + 0.1 * i) for i, name in enumerate("qkvo")}
        self.attention = None

    def split(self, x):
        n, d = x.shape
        return x.reshape(n, self.heads, d // self.heads).transpose(1, 0, 2)

    def forward(self, x, mask=None):
        q, k, v = (self.split(x @ self.weights[name]) for name in "qkv")
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(self.dim // self.heads)
        if mask is not None:
            scores = np.where(mask, scores, -1e9)
        self.attention = softmax(scores)
        out = (self.attention @ v).transpose(1, 0, 2).reshape(x.shape)
        return out @ self.weights["o"]


def drive_attention():
    rng = np.random.default_rng(5)
    block = Attention(4)
    for size in (3, 5, 3, 5, 3):
        yield block.forward(rng.normal(size=(size, 4)))
    yield block.forward(np.ones((3, 4)), np.tril(np.ones((3, 3), dtype=bool)))
    block.weights["q"] = np.zeros((4, 4))
    yield block.forward(np.arange(12.0).reshape(3, 4))
    block.weights["v"][0] = 0.0
    yield block.forward(np.arange(12.0).reshape(3, 4))
    yield block.attention.sum()


class SoftmaxCrossEntropy:
    def __init__(self):
        self.total, self.batches, self.correct, self.seen = 0.0, 0, 0, 0

    def forward(self, logits, labels):
        self.probabilities = softmax(logits)
        self.labels = labels
        picked = self.probabilities[np.arange(len(labels)), labels]
        loss = -np.mean(np.log(picked + 1e-12))
        self.total += loss
        self.batches += 1
        self.correct += (logits.argmax(axis=1) == labels).sum()
        self.seen += len(labels)
        return loss

    def backward(self):
        grad = self.probabilities.copy()
        grad[np.arange(len(self.labels)), self.labels] -= 1
        return grad / len(self.labels)

    @property
    def accuracy(self):
        return self.correct / self.seen

    def report(self):
        return {"loss": self.total / self.batches, "accuracy": float(self.accuracy)}


def drive_cross_entropy():
    rng = np.random.default_rng(6)
    loss = SoftmaxCrossEntropy()
    for size in (4, 7, 4, 7):
        yield loss.forward(rng.normal(size=(size, 3)), rng.integers(0, 3, size))
        yield loss.backward()
    yield loss.report()
    yield loss.accuracy


class Conv1D:
    def __init__(self, width=3):
        self.kernel = np.arange(1.0, width + 1) / width
        self.bias = 0.0
        self.built = False

    def build(self, n):
        self.positions = np.arange(n - len(self.kernel) + 1)[:, None] + np.arange(len(self.kernel))
        self.built = True
        self.length = n

    def forward(self, x):
        if not self.built or self.length != len(x):
            self.build(len(x))
        self.windows = x[self.positions]
        return self.windows @ self.kernel + self.bias

    def backward(self, grad, lr=0.01):
        dx = np.zeros(self.length)
        for i, g in enumerate(grad):
            dx[i : i + len(self.kernel)] += g * self.kernel
        self.kernel = self.kernel - lr * self.windows.T @ grad
        self.bias -= lr * grad.sum()
        return dx


def drive_conv():
    conv = Conv1D()
    for n in (6, 8, 6, 8):
        x = np.sin(np.arange(float(n)))
        out = conv.forward(x)
        yield out
        yield conv.backward(out - 1)
    yield conv.bias
