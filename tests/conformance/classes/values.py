"""Small value classes with operators: vectors, polynomials, quantities, money, intervals, dual numbers."""

import functools
from collections import namedtuple
from dataclasses import dataclass, field, replace

import numpy as np


class Vector:
    created = 0

    def __init__(self, *components):
        self.c = np.array(components, dtype=float)
        Vector.created += 1

    def __add__(self, other):
        return Vector(*(self.c + other.c))

    def __sub__(self, other):
        return Vector(*(self.c - other.c))

    def __mul__(self, factor):
        return Vector(*(self.c * factor))

    __rmul__ = __mul__

    def __iadd__(self, other):
        self.c += other.c
        return self

    def __eq__(self, other):
        return bool(np.all(self.c == other.c))

    def __repr__(self):
        return f"Vector({', '.join(f'{v:g}' for v in self.c)})"

    def dot(self, other):
        return self.c @ other.c

    def cross(self, other):
        a, b = self.c, other.c
        return Vector(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])

    def normalise(self):
        self.c /= np.sqrt(self.dot(self))
        return self


def drive_vectors():
    a, b = Vector(1, 2, 2), Vector(0, 1, 0)
    yield a.dot(b)
    yield a.cross(b).c
    yield repr(a + b)
    yield repr(2 * a - b)
    a += b
    yield a.c
    yield repr(a.normalise())
    yield a.dot(a)
    yield a == b, Vector.created
    a.c[0] = 3.0
    yield a.dot(b)


class Polynomial:
    def __init__(self, coefficients):
        self.coefficients = list(coefficients)
        self.trim()

    def trim(self):
        while len(self.coefficients) > 1 and self.coefficients[-1] == 0:
            self.coefficients.pop()

    def evaluate(self, x):
        result = np.zeros_like(x)
        for c in reversed(self.coefficients):
            result = result * x + c
        return result

    def derivative(self):
        return Polynomial([k * c for k, c in enumerate(self.coefficients)][1:] or [0])

    def __add__(self, other):
        n = max(len(self.coefficients), len(other.coefficients))
        a = self.coefficients + [0] * (n - len(self.coefficients))
        b = other.coefficients + [0] * (n - len(other.coefficients))
        return Polynomial([p + q for p, q in zip(a, b)])

    def __mul__(self, other):
        out = [0] * (len(self.coefficients) + len(other.coefficients) - 1)
        for i, p in enumerate(self.coefficients):
            for j, q in enumerate(other.coefficients):
                out[i + j] += p * q
        return Polynomial(out)

    def newton(self, x, steps=6):
        slope = self.derivative()
        for _ in range(steps):
            x = x - self.evaluate(x) / slope.evaluate(x)
        return x


def drive_polynomials():
    p, q = Polynomial([-2, 0, 1]), Polynomial([1, 1])
    for n in (3, 5, 3):
        yield p.evaluate(np.linspace(-1, 1, n))
    yield (p + q).coefficients
    yield (p * q).coefficients
    yield p.derivative().evaluate(np.ones(2))
    yield p.newton(np.array([1.0, 2.0]))
    p.coefficients[0] = -3
    yield p.newton(np.array([1.0, 2.0]))
    p.coefficients.append(0)
    p.trim()
    yield p.coefficients


@dataclass
class Quantity:
    value: object
    unit: str

    factors = {"m": 1.0, "km": 1000.0, "cm": 0.01}

    def to(self, unit):
        if unit not in self.factors:
            raise KeyError(f"unknown unit {unit}")
        return Quantity(self.value * (self.factors[self.unit] / self.factors[unit]), unit)

    def __add__(self, other):
        return Quantity(self.value + other.to(self.unit).value, self.unit)

    def total(self):
        return Quantity(np.sum(self.value), self.unit)


def drive_quantities():
    a, b = Quantity(np.array([1.0, 2.0]), "km"), Quantity(np.array([500.0, 250.0]), "m")
    yield a.to("m").value
    yield (a + b).value, (b + a).unit
    yield a.total()
    for unit in ("cm", "mile", "km"):
        try:
            yield b.to(unit)
        except KeyError as error:
            yield str(error)
    a.value = a.value * 2
    yield a.total().value
    Quantity.factors["mile"] = 1609.0
    yield a.to("mile").value
    a.unit = "m"
    yield a.total()


@functools.total_ordering
class Money:
    rates = {"EUR": 1.0, "USD": 1.1}

    def __init__(self, amount, currency="EUR"):
        self.amount, self.currency = amount, currency

    def in_euros(self):
        return self.amount / self.rates[self.currency]

    def __eq__(self, other):
        return self.in_euros() == other.in_euros()

    def __lt__(self, other):
        return self.in_euros() < other.in_euros()

    def add_interest(self, rate, years):
        for _ in range(years):
            self.amount += round(self.amount * rate, 2)
        return self.amount


def drive_money():
    a, b = Money(np.float64(100.0)), Money(np.float64(105.0), "USD")
    yield a.in_euros(), b.in_euros()
    yield bool(a > b), bool(a == b)
    yield a.add_interest(0.05, 2)
    yield a.add_interest(0.05, 3)
    Money.rates["USD"] = 1.0
    yield b.in_euros()
    yield bool(max(a, b) is a)
    a.amount = np.float64(10.0)
    yield a.add_interest(0.1, 2)
    yield bool(a < b)


class Dual:
    """Forward derivatives."""

    def __init__(self, value, slope=0.0):
        self.value, self.slope = value, slope

    def __add__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.value + other.value, self.slope + other.slope)

    __radd__ = __add__

    def __mul__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.value * other.value, self.slope * other.value + self.value * other.slope)

    __rmul__ = __mul__

    def sin(self):
        return Dual(np.sin(self.value), self.slope * np.cos(self.value))


def derivative(f, x):
    return f(Dual(x, np.ones_like(x))).slope


def drive_dual_numbers():
    for n in (2, 4, 2, 4):
        x = np.linspace(0.0, 1.0, n)
        yield derivative(lambda d: d * d + 3 * d, x)
        yield derivative(lambda d: (d * d).sin() + 1, x)
    d = Dual(np.ones(2), np.ones(2))
    d.value[0] = 5.0
    yield (d * d).slope


Interval = namedtuple("Interval", "low high")


def widen(interval, values):
    return Interval(min(interval.low, values.min()), max(interval.high, values.max()))


class Bounds:
    def __init__(self):
        self.interval = Interval(np.inf, -np.inf)
        self.changes = 0

    def observe(self, values):
        wider = widen(self.interval, values)
        if wider != self.interval:
            self.changes += 1
            self.interval = wider
        return self.interval

    def scale(self, values):
        low, high = self.interval
        return (values - low) / (high - low)


def drive_intervals():
    bounds = Bounds()
    for n in (3, 5, 3, 5):
        yield bounds.observe(np.linspace(-n, n / 2, n))
        yield bounds.scale(np.zeros(2))
    bounds.interval = bounds.interval._replace(low=0.0)
    yield bounds.scale(np.ones(3))
    yield bounds.changes


@dataclass(frozen=True)
class Settings:
    rate: float = 0.1
    steps: int = 3
    clip: tuple = (-1.0, 1.0)


@dataclass
class Run:
    settings: Settings
    weights: np.ndarray = field(default_factory=lambda: np.zeros(2))
    losses: list = field(default_factory=list)
    finished: bool = False

    def fit(self, target):
        for _ in range(self.settings.steps):
            gradient = np.clip(self.weights - target, *self.settings.clip)
            self.weights = self.weights - self.settings.rate * gradient
            self.losses.append(float(((self.weights - target) ** 2).sum()))
        self.finished = self.losses[-1] < 0.5
        return self.finished

    def with_rate(self, rate):
        return replace(self, settings=replace(self.settings, rate=rate), losses=[])


def drive_dataclasses():
    run = Run(Settings())
    for target in ([1.0, 2.0], [1.0, 2.0], [0.0, 3.0]):
        yield run.fit(np.array(target))
        yield run.weights
    faster = run.with_rate(0.5)
    yield faster.fit(np.array([0.0, 3.0]))
    yield faster.losses, len(run.losses)
    run.settings = Settings(steps=1)
    yield run.fit(np.zeros(2))
    yield run.finished
