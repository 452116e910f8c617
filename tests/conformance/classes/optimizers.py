"""Optimizers with moments and step counters, schedules, and what goes with them."""

import math
from abc import ABC, abstractmethod
from collections import defaultdict

import numpy as np


class Optimizer(ABC):
    def __init__(self, params, lr):
        self.params = params
        self.lr = lr
        self.iterations = 0

    @abstractmethod
    def apply(self, name, param, grad): ...

    def step(self, grads):
        self.iterations += 1
        for name in self.params:
            if name in grads:
                self.params[name] = self.apply(name, self.params[name], grads[name])
        return self.iterations


class SGD(Optimizer):
    def __init__(self, params, lr=0.1, momentum=0.0, nesterov=False):
        super().__init__(params, lr)
        self.momentum, self.nesterov = momentum, nesterov
        self.velocity = {}

    def apply(self, name, param, grad):
        if self.momentum == 0:
            return param - self.lr * grad
        if name not in self.velocity:
            self.velocity[name] = np.zeros_like(param)
        self.velocity[name] = self.momentum * self.velocity[name] - self.lr * grad
        if self.nesterov:
            return param + self.momentum * self.velocity[name] - self.lr * grad
        return param + self.velocity[name]


class Adam(Optimizer):
    def __init__(self, params, lr=0.01, beta1=0.9, beta2=0.999, eps=1e-8):
        super().__init__(params, lr)
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.m = {k: np.zeros_like(v) for k, v in params.items()}
        self.v = {k: np.zeros_like(v) for k, v in params.items()}

    def apply(self, name, param, grad):
        t = self.iterations
        self.m[name] = self.beta1 * self.m[name] + (1 - self.beta1) * grad
        self.v[name] = self.beta2 * self.v[name] + (1 - self.beta2) * grad**2
        m_hat = self.m[name] / (1 - self.beta1**t)
        v_hat = self.v[name] / (1 - self.beta2**t)
        return param - self.lr * m_hat / (np.sqrt(v_hat) + self.eps)


class RMSprop(Optimizer):
    def __init__(self, params, lr=0.01, rho=0.9):
        super().__init__(params, lr)
        self.rho = rho
        self.square = defaultdict(float)

    def apply(self, name, param, grad):
        self.square[name] = self.rho * self.square[name] + (1 - self.rho) * grad**2
        return param - self.lr * grad / np.sqrt(self.square[name] + 1e-8)


def quadratic(params):
    return {"w": 2 * params["w"], "b": params["b"] - 1.0}


def _train(optimizer, steps):
    params = optimizer.params
    for k in range(steps):
        optimizer.step(quadratic(params))
        yield params["w"]
        if k == 4:
            optimizer.lr *= 0.5
        if k == 6:
            params["b"] = np.array([3.0, 3.0])
    yield optimizer.iterations


def fresh():
    return {"w": np.array([1.0, -2.0, 3.0]), "b": np.zeros(2)}


def drive_sgd():
    yield from _train(SGD(fresh()), 8)


def drive_momentum():
    yield from _train(SGD(fresh(), momentum=0.9), 8)


def drive_nesterov():
    yield from _train(SGD(fresh(), 0.05, 0.8, nesterov=True), 8)


def drive_adam():
    yield from _train(Adam(fresh()), 9)


def drive_rmsprop():
    yield from _train(RMSprop(fresh()), 8)


class InPlaceAdam:
    """Parameters are arrays in a list that are changed in place."""

    def __init__(self, params, lr=0.1):
        self.params = params
        self.lr = lr
        self.t = 0
        self.moments = [(np.zeros_like(p), np.zeros_like(p)) for p in params]

    def step(self, grads):
        self.t += 1
        scale = self.lr * math.sqrt(1 - 0.999**self.t) / (1 - 0.9**self.t)
        for p, g, (m, v) in zip(self.params, grads, self.moments):
            m *= 0.9
            m += 0.1 * g
            v *= 0.999
            v += 0.001 * g * g
            p -= scale * m / (np.sqrt(v) + 1e-8)


def drive_adam_in_place():
    w, b = np.ones((2, 2)), np.zeros(2)
    opt = InPlaceAdam([w, b])
    for k in range(8):
        opt.step([w - 2.0, b + k])
        yield w.copy(), b.sum()
    opt.params[1] = np.ones(2)
    opt.step([w, b])
    yield opt.t


class StepDecay:
    def __init__(self, optimizer, every=3, gamma=0.5):
        self.optimizer, self.every, self.gamma = optimizer, every, gamma
        self.epoch = 0
        self.history = [optimizer.lr]

    def step(self):
        self.epoch += 1
        if self.epoch % self.every == 0:
            self.optimizer.lr *= self.gamma
        self.history.append(self.optimizer.lr)
        return self.optimizer.lr


class Plateau:
    def __init__(self, optimizer, patience=2):
        self.optimizer, self.patience = optimizer, patience
        self.best = float("inf")
        self.bad = 0

    def step(self, loss):
        if loss < self.best:
            self.best = loss
            self.bad = 0
        else:
            self.bad += 1
            if self.bad > self.patience:
                self.optimizer.lr = max(self.optimizer.lr * 0.1, 1e-4)
                self.bad = 0
        return self.optimizer.lr


class WarmupCosine:
    def __init__(self, peak, warmup, total):
        self.peak, self.warmup, self.total = peak, warmup, total
        self.now = 0

    def __call__(self):
        self.now += 1
        if self.now <= self.warmup:
            return self.peak * self.now / self.warmup
        done = (self.now - self.warmup) / (self.total - self.warmup)
        return 0.5 * self.peak * (1 + math.cos(math.pi * min(done, 1.0)))


def drive_schedulers():
    opt = SGD(fresh())
    decay = StepDecay(opt)
    for _ in range(7):
        yield decay.step()
    plateau = Plateau(opt)
    for loss in (3.0, 2.0, 2.5, 2.5, 2.5, 1.0, 1.5, 1.5, 1.5):
        yield plateau.step(np.float64(loss))
    schedule = WarmupCosine(1.0, 3, 9)
    for _ in range(10):
        yield schedule()


class WeightAverage:
    """A moving average of parameters; swaps them in for evaluation."""

    def __init__(self, model, decay=0.8):
        self.model, self.decay = model, decay
        self.shadow = {k: v.copy() for k, v in model.items()}
        self.backup = None
        self.updates = 0

    def update(self):
        self.updates += 1
        decay = min(self.decay, (1 + self.updates) / (10 + self.updates))
        for k, v in self.model.items():
            self.shadow[k] = decay * self.shadow[k] + (1 - decay) * v

    def swap_in(self):
        self.backup = dict(self.model)
        self.model.update(self.shadow)

    def swap_out(self):
        if self.backup is None:
            raise RuntimeError("nothing to restore")
        self.model.update(self.backup)
        self.backup = None


def drive_weight_average():
    model = fresh()
    ema = WeightAverage(model)
    for k in range(5):
        model["w"] = model["w"] + k
        ema.update()
        yield ema.shadow["w"]
    ema.swap_in()
    yield model["w"]
    ema.swap_out()
    yield model["w"]
    try:
        ema.swap_out()
    except RuntimeError as error:
        yield str(error)
    yield ema.updates


def clip_by_global_norm(grads, limit):
    total = np.sqrt(sum((g**2).sum() for g in grads.values()))
    if total > limit:
        grads = {k: g * (limit / total) for k, g in grads.items()}
    return grads, total


class Trainer:
    def __init__(self, params, clip=1.0, patience=3):
        self.params, self.clip = params, clip
        self.optimizer = SGD(params, lr=0.2, momentum=0.5)
        self.history = {"loss": [], "norm": []}
        self.best, self.best_params, self.wait, self.patience = None, None, 0, patience
        self.stopped = False

    def loss(self):
        return (self.params["w"] ** 2).sum() + ((self.params["b"] - 1) ** 2).sum() / 2

    def epoch(self):
        if self.stopped:
            return None
        grads, norm = clip_by_global_norm(quadratic(self.params), self.clip)
        self.optimizer.step(grads)
        loss = self.loss()
        self.history["loss"].append(loss)
        self.history["norm"].append(norm)
        if self.best is None or loss < self.best - 1e-3:
            self.best, self.wait = loss, 0
            self.best_params = {k: v.copy() for k, v in self.params.items()}
        else:
            self.wait += 1
            if self.wait >= self.patience:
                self.stopped = True
        return loss


def drive_trainer():
    trainer = Trainer(fresh())
    for k in range(10):
        yield trainer.epoch()
        if k == 5:
            trainer.clip = 0.1
            trainer.best = 0.0
    yield trainer.history["loss"][-2:]
