"""Dataclasses whose fields run code, copies of them by Python's functions, and hashes of the user's."""

import dataclasses
import warnings

import numpy as np
import pytest
import tracefn

X = np.arange(3.0)
READS = []


@dataclasses.dataclass
class Gauge:
    """Its field is a property, which counts how often it is read and keeps half of what it is given."""

    level: float
    kept: float = dataclasses.field(init=False, repr=False, default=0.0)

    @property
    def level(self):
        READS.append("level")
        return self.kept * 2

    @level.setter
    def level(self, value):
        self.kept = value / 2


@dataclasses.dataclass
class Lazy:
    """Computes a field that it lacks."""

    scale: float
    bias: float = dataclasses.field(init=False)

    def __getattr__(self, name):
        READS.append(name)
        return 7.0


@pytest.mark.parametrize(
    "function, make",
    [
        (lambda g, x: x * g.level, lambda: Gauge(3.0)),
        (lambda g, x: x + 1, lambda: Gauge(3.0)),
        (lambda g, x: (setattr(g, "level", g.level + 1), x + g.kept), lambda: Gauge(3.0)),
        (lambda o, x: x * o.scale, lambda: Lazy(3.0)),
        (lambda o, x: x * o.scale + o.bias, lambda: Lazy(3.0)),
    ],
)
def test_fields_that_code_of_the_class_reads_and_sets(function, make):
    traced, mine, theirs = tracefn.function(function), make(), make()
    for _ in range(4):
        READS.clear()
        result, mine_read = traced(mine, X), len(READS)
        READS.clear()
        assert repr(result) == repr(function(theirs, X)) and vars(mine) == vars(theirs)
        assert mine_read == len(READS) or isinstance(mine, Lazy)


def test_new_dataclasses_with_a_property_call_after_call():
    @dataclasses.dataclass
    class Method:
        rng: object
        kept: object = dataclasses.field(init=False, repr=False, default=None)

        @property
        @tracefn.function
        def rng(self):
            return self.kept

        @tracefn.function(on_unsupported="eager")
        def __init__(self, n=9, *, rng=None):
            self.n, self.kept = n, rng

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [vars(Method()) for _ in range(30)] == [{"n": 9, "kept": None}] * 30


@dataclasses.dataclass
class Ball:
    position: np.ndarray
    velocity: np.ndarray
    bounces: int = 0


CONFIG = Ball(np.ones(3), np.zeros(3), 1)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * dataclasses.replace(CONFIG, velocity=x).bounces,
        lambda x: dataclasses.replace(CONFIG, velocity=x + CONFIG.velocity),
        lambda x: x * dataclasses.asdict(CONFIG)["bounces"] + dataclasses.asdict(CONFIG)["velocity"].sum(),
        lambda x: x * sum(np.sum(part) for part in dataclasses.astuple(CONFIG)),
    ],
)
def test_copies_of_dataclasses_from_outside_read_them_at_each_call(function):
    traced = tracefn.function(function)
    for k in range(4):
        CONFIG.bounces, CONFIG.velocity = k, np.full(3, float(k))
        assert repr(traced(X)) == repr(function(X))


@dataclasses.dataclass(frozen=True)
class Frozen:
    n: int


def test_a_frozen_one_among_the_arguments_that_object_sets():
    @tracefn.function
    def counted(held, x):
        object.__setattr__(held[0], "n", held[0].n + 1)
        return x * held[0].n

    held = [Frozen(0)]
    for k in range(1, 5):
        np.testing.assert_array_equal(counted(held, X), X * k)
        assert held[0] == Frozen(k)


def test_a_hash_of_the_users_is_pythons():
    class Key:
        def __init__(self, value):
            self.value = value

        def __hash__(self):
            return self.value

    for value in (hash((1.0,)), -1, 2**63, -(2**63), 2**61 - 1, 5):
        key = Key(value)
        assert tracefn.function(lambda x, key=key: (hash(key), x))(X)[0] == hash(key)
