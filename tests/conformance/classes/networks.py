"""Networks that are trained: layers with forward and backward, optimisers with groups of parameters, word vectors."""

import math
from collections import Counter

import numpy as np


def _raised(call):
    """What a call raises, in words."""
    try:
        return call()
    except Exception as error:
        return type(error).__name__, str(error)


class Parameter:
    __slots__ = ("value", "grad", "name", "__weakref__")

    def __init__(self, value, name=""):
        self.value = value
        self.grad = np.zeros_like(value)
        self.name = name

    def zero(self):
        self.grad[...] = 0


class Module:
    def __init__(self):
        self._parameters = {}
        self.training = True

    def __setattr__(self, key, value):
        if isinstance(value, Parameter):
            self._parameters[key] = value
        object.__setattr__(self, key, value)

    def parameters(self):
        return list(self._parameters.values())

    def train(self, mode=True):
        self.training = mode
        return self


class GRU(Module):
    def __init__(self, nin, nh):
        super().__init__()
        rng = np.random.RandomState(3)
        self.W = Parameter(rng.randn(3, nh, nin + nh) * 0.3, "W")
        self.b = Parameter(np.zeros((3, nh)), "b")
        self.nh = nh
        self.cache = []

    def step(self, x, h):
        xh = np.concatenate([x, h])
        z = 1 / (1 + np.exp(-(self.W.value[0] @ xh + self.b.value[0])))
        r = 1 / (1 + np.exp(-(self.W.value[1] @ xh + self.b.value[1])))
        xr = np.concatenate([x, r * h])
        n = np.tanh(self.W.value[2] @ xr + self.b.value[2])
        out = (1 - z) * n + z * h
        if self.training:
            self.cache.append((xh, xr, z, r, n, h))
        return out

    def forward(self, xs):
        self.cache.clear()
        h = np.zeros(self.nh)
        hs = []
        for x in xs:
            h = self.step(x, h)
            hs.append(h)
        return np.stack(hs)

    def backward(self, dhs):
        dh = np.zeros(self.nh)
        dxs = []
        for d, (xh, xr, z, r, n, h) in zip(dhs[::-1], reversed(self.cache)):
            dh = dh + d
            dn = dh * (1 - z) * (1 - n * n)
            dz = dh * (h - n) * z * (1 - z)
            self.W.grad[2] += np.outer(dn, xr)
            self.b.grad[2] += dn
            dxr = self.W.value[2].T @ dn
            k = len(xh) - self.nh
            dr = dxr[k:] * h * r * (1 - r)
            self.W.grad[0] += np.outer(dz, xh)
            self.W.grad[1] += np.outer(dr, xh)
            self.b.grad[0] += dz
            self.b.grad[1] += dr
            dxh = self.W.value[0].T @ dz + self.W.value[1].T @ dr
            dxs.append(dxr[:k] + dxh[:k])
            dh = dh * z + dxr[k:] * r + dxh[k:]
        return np.array(dxs[::-1])

    def update(self, lr=0.1, clip=1.0):
        norm = math.sqrt(sum(float((p.grad**2).sum()) for p in self.parameters()))
        scale = clip / norm if norm > clip else 1.0
        for p in self.parameters():
            p.value -= lr * scale * p.grad
            p.zero()
        return norm


net = GRU(2, 3)


xs = np.linspace(-1, 1, 8).reshape(4, 2)


def drive_gru():
    yield net.forward(xs)
    yield net.backward(np.ones((4, 3)))
    yield net.update()
    yield net.forward(xs[:2])
    yield net.backward(np.ones((2, 3)))
    yield net.update(0.2, clip=100.0)
    net.train(False)
    yield (net.forward(xs), len(net.cache))
    yield net.backward(np.ones((4, 3)))
    net.train().W.value[:] = 0.1
    yield net.forward(np.zeros((3, 2), np.float32))
    yield _raised(lambda: net.forward(np.zeros((3, 5))))
    yield (net.forward(xs), net.update())
    net.W = Parameter(np.ones((3, 3, 5)))
    yield (net.forward(xs), net.backward(np.ones((4, 3))), net.update())


class Layer:
    registry = []

    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        Layer.registry.append(cls.__name__)

    def __init__(self):
        self.hooks, self.calls = ([], 0)

    def __call__(self, x):
        self.calls += 1
        y = self.forward(x)
        for h in self.hooks:
            r = h(self, x, y)
            if r is not None:
                y = r
        return y


class Conv(Layer):
    def __init__(self, k, seed=0):
        super().__init__()
        self.w = np.random.RandomState(seed).randn(k, k)
        self.b = 0.1

    def forward(self, x):
        k = len(self.w)
        n, m = x.shape
        cols = np.lib.stride_tricks.sliding_window_view(x, (k, k))
        self.cols = cols
        return np.einsum("ijkl,kl->ij", cols, self.w) + self.b

    def backward(self, dy, lr=0.1):
        dw = np.einsum("ijkl,ij->kl", self.cols, dy)
        dx = np.zeros((dy.shape[0] + len(self.w) - 1, dy.shape[1] + len(self.w) - 1))
        for i in range(dy.shape[0]):
            for j in range(dy.shape[1]):
                dx[i : i + len(self.w), j : j + len(self.w)] += dy[i, j] * self.w
        self.w -= lr * dw
        self.b -= lr * dy.sum()
        return dx


class MaxPool(Layer):
    def forward(self, x):
        n, m = (x.shape[0] // 2, x.shape[1] // 2)
        blocks = x[: 2 * n, : 2 * m].reshape(n, 2, m, 2)
        out = blocks.max(axis=(1, 3))
        self.mask = blocks == out[:, None, :, None]
        return out

    def backward(self, dy):
        return (self.mask * dy[:, None, :, None]).reshape(dy.shape[0] * 2, -1)


norms = []


def record(layer, x, y):
    norms.append((type(layer).__name__, float(np.abs(y).max())))


def halve(layer, x, y):
    return y / 2


c, p = (Conv(2), MaxPool())


def run(x):
    y = p(c(x))
    return (y, c.backward(p.backward(np.ones_like(y))))


x5 = np.arange(25.0).reshape(5, 5) / 25


def drive_convolution():
    yield run(x5)
    c.hooks.append(record)
    yield (run(x5), norms)
    c.hooks.append(halve)
    yield _raised(lambda: (run(x5[:4, :4]), norms))
    yield _raised(lambda: run(x5[:1]))
    c.w = np.ones((3, 3))
    yield _raised(lambda: (run(x5), c.calls))
    c.hooks.clear()
    p.hooks.append(lambda l, x, y: None)
    yield _raised(lambda: run(x5))
    yield p.backward(np.ones((1, 1)))
    p.hooks[:] = [halve] * 2
    yield _raised(lambda: (run(x5.astype(np.float32)), c.b))
    yield _raised(lambda: c.backward(np.ones((9, 9))))
    yield (Layer.registry, c.calls, p.calls)
    c.b = None
    yield _raised(lambda: run(x5))


class Adam:
    def __init__(self, groups, lr=0.1, betas=(0.9, 0.99)):
        self.groups = [dict(g) if isinstance(g, dict) else {"params": [g]} for g in groups]
        for g in self.groups:
            g.setdefault("lr", lr)
        self.betas, self.state, self.t = (betas, {}, 0)

    def step(self, grads):
        self.t += 1
        b1, b2 = self.betas
        it = iter(grads)
        for gi, g in enumerate(self.groups):
            for pi, p in enumerate(g["params"]):
                grad = next(it)
                if g.get("decay"):
                    grad = grad + g["decay"] * p
                m, v = self.state.setdefault((gi, pi), [np.zeros_like(p), np.zeros_like(p)])
                m[...] = b1 * m + (1 - b1) * grad
                v[...] = b2 * v + (1 - b2) * grad**2
                p -= g["lr"] * (m / (1 - b1**self.t)) / (np.sqrt(v / (1 - b2**self.t)) + 1e-08)
        return self.t

    def state_dict(self):
        return {"t": self.t, "state": {k: [a.copy() for a in v] for k, v in self.state.items()}}

    def load_state_dict(self, d):
        self.t = d["t"]
        self.state = {k: [a.copy() for a in v] for k, v in d["state"].items()}


class Cosine:
    def __init__(self, opt, T):
        self.opt, self.T, self.base = (opt, T, [g["lr"] for g in opt.groups])
        self.k = 0

    def step(self):
        self.k += 1
        for g, b in zip(self.opt.groups, self.base):
            g["lr"] = b * 0.5 * (1 + math.cos(math.pi * self.k / self.T))
        return [g["lr"] for g in self.opt.groups]


class Warmup(Cosine):
    def step(self):
        if self.k < 2:
            self.k += 1
            for g, b in zip(self.opt.groups, self.base):
                g["lr"] = b * self.k / 2
            return [g["lr"] for g in self.opt.groups]
        return super().step()


w, b = (np.ones((2, 2)), np.zeros(2))


opt = Adam([{"params": [w], "decay": 0.01}, b])


sch = Warmup(opt, 5)


G = [np.array([[0.1, -0.2], [0.3, 0.0]]), np.array([1.0, -1.0])]


def drive_parameter_groups():
    yield (opt.step(G), w, b)
    yield (sch.step(), opt.step(G))
    saved = opt.state_dict()
    yield saved
    yield (opt.step([g * 2 for g in G]), sch.step(), w)
    opt.load_state_dict(saved)
    yield (opt.step(G), w, b)
    yield _raised(lambda: opt.step(G[:1]))
    yield (opt.t, opt.state[0, 0])
    opt.groups[0]["decay"] = 0
    yield (opt.step(g for g in G), w)
    opt.betas = (0.0, 0.0)
    yield opt.step(G)
    w[:] = 5
    yield (sch.step(), sch.step(), opt.step(G), w)
    opt.groups.append({"params": [np.zeros(3)], "lr": 1.0})
    yield opt.step(G + [np.ones(3)])
    yield (opt.step([1.0, 2.0, 3.0]), opt.groups[2]["params"])
    yield _raised(lambda: opt.step(G + [np.ones(2)]))
    yield opt.t


class Word2Vec:
    def __init__(self, text, dim=3, window=1, seed=0):
        self.counts = Counter(text.split())
        self.vocab = {w: i for i, (w, _) in enumerate(self.counts.most_common())}
        self.words = sorted(self.vocab, key=self.vocab.get)
        rng = np.random.RandomState(seed)
        self.E, self.C = (rng.randn(len(self.vocab), dim) * 0.1, rng.randn(len(self.vocab), dim) * 0.1)
        p = np.array([self.counts[w] for w in self.words]) ** 0.75
        self.p = p / p.sum()
        self.rng, self.window, self.seen = (rng, window, 0)

    def pairs(self, text):
        ids = [self.vocab[w] for w in text.split() if w in self.vocab]
        for i, c in enumerate(ids):
            for j in range(max(0, i - self.window), min(len(ids), i + self.window + 1)):
                if i != j:
                    yield (c, ids[j])

    def train(self, text, lr=0.1, k=2):
        loss = 0.0
        for c, o in self.pairs(text):
            negatives = self.rng.choice(len(self.p), size=k, p=self.p)
            targets = np.concatenate(([o], negatives))
            labels = np.zeros(k + 1)
            labels[0] = 1
            v = self.E[c].copy()
            s = 1 / (1 + np.exp(-self.C[targets] @ v))
            g = s - labels
            loss -= np.log(s[0] + 1e-12) + np.log(1 - s[1:] + 1e-12).sum()
            self.E[c] -= lr * g @ self.C[targets]
            np.add.at(self.C, targets, -lr * np.outer(g, v))
            self.seen += 1
        return loss

    def similar(self, word, n=2):
        v = self.E[self.vocab[word]]
        s = self.E @ v / (np.linalg.norm(self.E, axis=1) * np.linalg.norm(v))
        order = np.argsort(-s, kind="stable")
        return [(self.words[i], float(s[i])) for i in order if self.words[i] != word][:n]


vectors = Word2Vec("a b c a b a d")


def drive_word_vectors():
    yield vectors.train("a b c a")
    yield vectors.similar("a")
    yield (vectors.train("d a x b", lr=0.5, k=1), vectors.seen)
    yield _raised(lambda: vectors.similar("zz"))
    vectors.window = 2
    yield vectors.train("a b c")
    yield vectors.train("")
    yield vectors.similar("b", n=10)
    vectors.E[:] = 1.0
    yield vectors.similar("c")
    vectors.p = np.array([1.0, 0, 0, 0])
    yield vectors.train("a b")
    vectors.p = np.array([1.0, 0, 0, 1])
    yield _raised(lambda: vectors.train("a b"))
    yield vectors.seen
