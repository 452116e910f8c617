"""Parsers, pipelines, tokenizers, iterators, context managers, abstract classes and closures."""

import contextlib
import functools
from abc import ABC, abstractmethod
from types import SimpleNamespace

import numpy as np


class SensorParser:
    """Frames of a byte stream: 0xAA, length, content, checksum."""

    def __init__(self):
        self.buffer = []
        self.state = "sync"
        self.length = 0
        self.frames = []
        self.errors = 0

    def feed(self, data):
        for byte in data.tolist():
            if self.state == "sync":
                if byte == 0xAA:
                    self.state = "length"
            elif self.state == "length":
                self.length = byte
                self.buffer = []
                self.state = "content"
            elif self.state == "content":
                self.buffer.append(byte)
                if len(self.buffer) == self.length:
                    self.state = "check"
            else:
                if sum(self.buffer) % 256 == byte:
                    self.frames.append(np.array(self.buffer, dtype=np.uint8))
                else:
                    self.errors += 1
                self.state = "sync"
        return len(self.frames)


def drive_sensor_parser():
    parser = SensorParser()
    stream = [0xAA, 2, 5, 6, 11, 7, 0xAA, 1, 9, 8, 0xAA, 3, 1, 2, 3, 6, 0xAA]
    for start in range(0, len(stream), 2):
        yield parser.feed(np.array(stream[start : start + 2], dtype=np.uint8))
    yield parser.state, parser.errors
    yield parser.frames


class Smoother:
    def __init__(self, threshold=2.0):
        self.baseline = None
        self.threshold = threshold
        self.alarms = []
        self.index = 0

    def feed(self, samples):
        out = []
        for sample in samples:
            if self.baseline is None:
                self.baseline = sample
            self.baseline = 0.8 * self.baseline + 0.2 * sample
            if abs(sample - self.baseline) > self.threshold:
                self.alarms.append(self.index)
            self.index += 1
            out.append(self.baseline)
        return np.array(out)


def drive_smoother():
    smoother = Smoother()
    for n in (3, 5, 3, 5):
        yield smoother.feed(np.arange(float(n)) ** 2)
        yield smoother.baseline
    smoother.baseline = None
    yield smoother.feed(np.full(3, 4.0))
    yield smoother.alarms


class Tokenizer:
    def __init__(self):
        self.vocabulary = {"<unk>": 0}
        self.counts = [0]
        self.frozen = False

    def encode(self, text):
        ids = []
        for word in text.lower().split():
            if word not in self.vocabulary and not self.frozen:
                self.vocabulary[word] = len(self.vocabulary)
                self.counts.append(0)
            number = self.vocabulary.get(word, 0)
            self.counts[number] += 1
            ids.append(number)
        return np.array(ids)

    def one_hot(self, ids):
        out = np.zeros((len(ids), len(self.vocabulary)))
        out[np.arange(len(ids)), ids] = 1
        return out

    def frequencies(self):
        counts = np.array(self.counts, dtype=float)
        return counts / counts.sum()


def drive_tokenizer():
    tokenizer = Tokenizer()
    for text in ("the cat sat", "the dog sat down", "a cat", "the cat sat"):
        ids = tokenizer.encode(text)
        yield ids
        yield tokenizer.one_hot(ids).sum(axis=0)
        yield tokenizer.frequencies()
    tokenizer.frozen = True
    yield tokenizer.encode("the bird sat")
    yield tokenizer.vocabulary


class Shape(ABC):
    registry = []

    def __init__(self, name):
        self.name = name
        self.scale_factor = 1.0
        Shape.registry.append(name)

    @property
    @abstractmethod
    def area(self): ...

    @abstractmethod
    def points(self, n): ...

    def scale(self, factor):
        if factor <= 0:
            raise ValueError("factor must be positive")
        self.scale_factor *= factor
        return self.area

    def describe(self):
        return f"{self.name}: {self.area:.2f}"


class Circle(Shape):
    def __init__(self, radius):
        super().__init__("circle")
        self.radius = radius

    @property
    def area(self):
        return np.pi * (self.radius * self.scale_factor) ** 2

    def points(self, n):
        angles = np.linspace(0, 2 * np.pi, n, endpoint=False)
        return self.radius * self.scale_factor * np.stack([np.cos(angles), np.sin(angles)], axis=1)


class Square(Shape):
    def __init__(self, side):
        super().__init__("square")
        self.side = side

    @property
    def area(self):
        return (self.side * self.scale_factor) ** 2

    def points(self, n):
        corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * self.side * self.scale_factor
        return corners[np.arange(n) % 4]


def total_area(shapes):
    return sum(shape.area for shape in shapes)


def drive_shapes():
    shapes = [Circle(np.float64(1.0)), Square(np.float64(2.0))]
    yield total_area(shapes)
    for shape in shapes:
        yield shape.scale(2.0)
        yield shape.points(5)
        yield shape.describe()
    with contextlib.suppress(ValueError):
        shapes[0].scale(-1.0)
    yield total_area(shapes)
    shapes[1].side = np.float64(0.5)
    yield total_area(shapes)
    yield Shape.registry


class Pipeline:
    def __init__(self, *steps):
        self.steps = list(steps)
        self.calls = 0
        self.sizes = []

    def __call__(self, x):
        self.calls += 1
        for step in self.steps:
            x = step(x)
        self.sizes.append(x.size)
        return x

    def then(self, step):
        self.steps.append(step)
        return self


class Standardise:
    def __init__(self):
        self.n, self.mean = 0, 0.0

    def __call__(self, x):
        self.n += len(x)
        self.mean += (x.sum() - len(x) * self.mean) / self.n
        return x - self.mean


class Lag:
    def __init__(self, order):
        self.order = order
        self.rest = np.zeros(order)

    def __call__(self, x):
        joined = np.concatenate([self.rest, x])
        self.rest = joined[-self.order :]
        return joined[: len(x)]


def drive_pipeline():
    pipe = Pipeline(Standardise(), Lag(2))
    for n in (3, 5, 3):
        yield pipe(np.arange(float(n)))
    pipe.then(np.abs).then(functools.partial(np.power, 2.0))
    for n in (3, 5, 3):
        yield pipe(np.arange(float(n)))
    pipe.steps[0].mean = 0.0
    yield pipe(np.ones(3))
    pipe.steps.pop(0)
    yield pipe(np.ones(3))
    yield pipe.calls, pipe.sizes


class Batches:
    """Iterates over shuffled batches; each pass is another order."""

    def __init__(self, X, y, size, seed=0):
        self.X, self.y, self.size = X, y, size
        self.rng = np.random.default_rng(seed)
        self.passes = 0

    def __len__(self):
        return -(-len(self.X) // self.size)

    def __iter__(self):
        order = self.rng.permutation(len(self.X))
        self.passes += 1
        for start in range(0, len(order), self.size):
            rows = order[start : start + self.size]
            yield self.X[rows], self.y[rows]


class Regression:
    def __init__(self, n):
        self.w, self.b = np.zeros(n), 0.0
        self.step_count = 0

    def epoch(self, batches, lr=0.1):
        losses = []
        for X, y in batches:
            error = X @ self.w + self.b - y
            self.w -= lr * X.T @ error / len(y)
            self.b -= lr * error.mean()
            self.step_count += 1
            losses.append((error**2).mean())
        return sum(losses) / len(losses)


def drive_batches():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(10, 2))
    batches, model = Batches(X, X @ [1.0, 2.0] + 0.5, 4), Regression(2)
    for _ in range(6):
        yield model.epoch(batches)
    yield model.w, model.b
    batches.size = 5
    yield model.epoch(batches, lr=0.05)
    yield model.step_count, batches.passes, len(batches)


class Frozen:
    """A context manager that keeps a model from training."""

    def __init__(self, model):
        self.model = model

    def __enter__(self):
        self.before = self.model.trainable
        self.model.trainable = False
        return self.model

    def __exit__(self, *error):
        self.model.trainable = self.before
        return False


class Small:
    def __init__(self):
        self.w = np.ones(2)
        self.trainable = True
        self.updates = 0

    def learn(self, x):
        out = self.w * x[:2]
        if self.trainable:
            self.w = self.w - 0.1 * out
            self.updates += 1
        return out.sum()

    def peek(self, x):
        with Frozen(self) as model:
            return model.learn(x) * 2


def drive_context_manager():
    model = Small()
    for n in (3, 5, 3):
        x = np.arange(1.0, n + 1)
        yield model.learn(x)
        yield model.peek(x)
    with Frozen(model):
        yield model.learn(x)
    yield model.learn(x)
    yield model.w, model.updates


class Subject:
    def __init__(self):
        self.observers = {}
        self.value = np.zeros(2)

    def on(self, name, function):
        self.observers.setdefault(name, []).append(function)
        return self

    def set(self, value):
        old, self.value = self.value, value
        for function in self.observers.get("change", []):
            function(old, value)
        if value.max() > 5:
            for function in self.observers.get("high", []):
                function(value)


class Recorder:
    def __init__(self):
        self.moves = []
        self.highest = None

    def changed(self, old, new):
        self.moves.append(np.abs(new - old).sum())

    def high(self, value):
        if self.highest is None or value.max() > self.highest:
            self.highest = value.max()


def drive_observers():
    subject, recorder = Subject(), Recorder()
    subject.on("change", recorder.changed).on("high", recorder.high)
    for k in (1.0, 4.0, 6.0, 5.5, 9.0):
        subject.set(np.array([k, 1.0]))
        yield recorder.moves, recorder.highest
    subject.observers["high"] = []
    subject.set(np.full(2, 20.0))
    yield recorder.highest
    recorder.moves = []
    subject.set(np.zeros(2))
    yield recorder.moves
    yield subject.value


class TrafficLight:
    order = ["red", "green", "amber"]

    def __init__(self):
        self.color = "red"
        self.left = 3
        self.passed = {"red": 0, "green": 0, "amber": 0}

    def tick(self, cars):
        self.left -= 1
        if self.left == 0:
            self.color = self.order[(self.order.index(self.color) + 1) % 3]
            self.left = {"red": 3, "green": 2, "amber": 1}[self.color]
        if self.color == "green":
            self.passed[self.color] += int(cars.sum())
            return cars * 0
        return cars + 1


def drive_traffic_light():
    light, cars = TrafficLight(), np.array([1, 2])
    for _ in range(9):
        cars = light.tick(cars)
        yield light.color, cars
    light.color = "green"
    yield light.tick(cars)
    yield light.passed


def make_counter(start=0):
    count = start
    best = None

    def bump(x):
        nonlocal count, best
        count += 1
        if best is None or x.sum() > best:
            best = x.sum()
        return x * count

    def read():
        return count, best

    return bump, read


def drive_closures():
    bump, read = make_counter()
    other, read_other = make_counter(10)
    for n in (3, 5, 3, 5):
        yield bump(np.arange(float(n)))
        yield other(np.ones(n))
        yield read()
    yield read_other()


def memoised(function):
    known = {}

    def call(n):
        if n not in known:
            known[n] = function(n)
        return known[n]

    call.known = known
    return call


@memoised
def basis(n):
    return np.cos(np.pi * np.outer(np.arange(n), np.arange(n) + 0.5) / n)


def cosine_transform(x):
    return basis(len(x)) @ x


def drive_memo():
    for n in (3, 5, 3, 5):
        yield cosine_transform(np.arange(float(n)))
        yield sorted(basis.known)
    basis.known[3] = np.eye(3)
    yield cosine_transform(np.arange(3.0))
    basis.known.clear()
    yield cosine_transform(np.arange(3.0))


TOTAL = 0.0
SEEN = []
STATE = SimpleNamespace(scale=1.0, calls=0)


def accumulate(x, weights=None, log=[]):
    global TOTAL
    TOTAL += float((x * STATE.scale).sum())
    STATE.calls += 1
    log.append(STATE.calls)
    if weights is None:
        weights = np.ones_like(x)
    if STATE.calls % 3 == 0:
        STATE.scale *= 0.5
        SEEN.append((len(x), TOTAL))
    return (x * weights).sum() / STATE.calls, len(log)


def drive_module_state():
    global TOTAL
    for n in (3, 5, 3, 5, 3, 5):
        yield accumulate(np.arange(float(n)))
    TOTAL = 0.0
    STATE.scale = 2.0
    SEEN.clear()
    yield accumulate(np.ones(3), np.array([1.0, 0.0, 1.0]))
    yield accumulate(np.ones(3))
    yield accumulate(np.ones(3))
    yield TOTAL, SEEN
