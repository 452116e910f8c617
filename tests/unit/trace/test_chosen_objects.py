"""Objects from outside of which a traced value chooses one: it stays the object that it is."""

import dataclasses

import numpy as np
import pytest
import tracefn


class Unit:
    def __init__(self, name, value):
        self.name, self.value, self.hits = name, value, 0
        self.weights, self.log, self.next = np.full(2, value), [], None

    def hit(self, amount):
        self.hits += 1
        self.value -= amount
        return self.value

    @property
    def twice(self):
        return self.value * 2

    @twice.setter
    def twice(self, value):
        self.value = value / 2

    def grow(self, x):
        self.weights += x
        return self.weights.sum()


class Boss(Unit):
    def hit(self, amount):
        self.hits += 2
        return -amount


class Slotted:
    __slots__ = ("count", "value")

    def __init__(self, value):
        self.value, self.count = value, 0


@dataclasses.dataclass
class Point:
    value: float
    count: int = 0


class Game:
    def __init__(self):
        self.a, self.b, self.c = Unit("a", 1.0), Boss("b", 2.0), Unit("c", 0.5)
        self.a.next, self.b.next = self.b, self.c
        self.units, self.current, self.history = [self.a, self.b, self.c], self.a, []
        self.ranks = {self.a: 1, self.b: 2, self.c: 3}
        self.slots, self.points = [Slotted(1.0), Slotted(2.0)], [Point(1.0), Point(2.0)]

    def one(self, x):
        return self.a if x.sum() > 0 else self.b


def returned(game, x):
    return game.one(x)


def stored(game, x):
    game.current = game.one(x)
    game.current.hits += 1
    game.current.value = game.current.value + x[0]
    return game.a.hits, game.b.value


def added(game, x):
    game.history.append(game.one(x))
    return len(game.history)


def compared(game, x):
    unit = game.one(x)
    return (
        unit is game.a,
        unit is game.b,
        unit is not game.c,
        unit == game.a,
        isinstance(unit, Boss),
        unit in game.units,
    )


def by_its_method(game, x):
    unit = game.one(x)
    return unit.hit(0.5), unit.twice, game.a.value


def by_its_property(game, x):
    unit = game.one(x)
    unit.twice = 3.0
    return game.a.value, game.b.value


def its_array(game, x):
    unit = game.one(x)
    unit.weights[0] = 9.0
    return unit.grow(x), game.a.weights.copy(), game.b.weights.copy()


def another_array(game, x):
    game.one(x).weights = x * 2
    return game.a.weights + 0, game.b.weights + 0


def its_list(game, x):
    unit = game.one(x)
    unit.log.append(1)
    return len(game.a.log), len(unit.log)


def best(game, x):
    unit = max(game.units, key=lambda unit: unit.value * x.sum())
    unit.hits += 1
    return unit


def at_a_position(game, x):
    unit = game.units[int(x[0] > 0)]
    return unit, unit.hit(1.0)


def in_order(game, x):
    found = sorted(game.units, key=lambda unit: unit.value * x.sum())
    found[0].hits += 1
    return found, [unit.name for unit in found]


def sorted_in_place(game, x):
    game.units.sort(key=lambda unit: unit.value * x.sum())
    return [unit.name for unit in game.units]


def first_in_a_loop(game, x):
    for unit in game.units:
        if unit.value > abs(x.sum()):
            unit.hits += 1
            return unit
    return None


def best_in_a_loop(game, x):
    found = None
    for unit in game.units:
        if found is None or unit.value * x[0] > found.value * x[0]:
            found = unit
    found.hits += 1
    return found


def as_a_key(game, x):
    return game.ranks[game.one(x)]


def of_slots(game, x):
    slotted = game.slots[0] if x.sum() > 0 else game.slots[1]
    slotted.count += 1
    slotted.value *= 2
    return slotted.count, slotted.value


def of_a_dataclass(game, x):
    point = game.points[0] if x.sum() > 0 else game.points[1]
    point.count += 1
    point.value = point.value + x[0]
    return point


def linked(game, x):
    unit = game.one(x)
    unit.next.hits += 1
    name = unit.next.name
    unit.next = game.c
    return name, game.a.next.name


def swapped(game, x):
    if x.sum() > 0:
        game.a, game.b = game.b, game.a
    return game.a.name, game.b.value


def of_two(game, x):
    one, other = game.one(x), game.b if x[0] > 0 else game.c
    one.value, other.value = other.value, one.value
    return game.a.value, game.b.value, game.c.value, one is other


def given_to_a_function(game, x):
    return bumped(game.one(x), x)


def bumped(unit, x):
    unit.hits += 10
    return unit.name, unit.value * x


PROGRAMS = [
    returned, stored, added, compared, by_its_method, by_its_property, its_array, another_array, its_list, best,
    at_a_position, in_order, sorted_in_place, first_in_a_loop, best_in_a_loop, as_a_key, of_slots, of_a_dataclass,
    linked, swapped, of_two, given_to_a_function,
]  # fmt: skip

CALLS = [(1.0, 1.0), (-1.0, -1.0), (2.0, -1.0), (1.0, 1.0), (-0.3, 0.1), (0.1, 0.2)]


def told(value, known):
    """A value with all that it leads to; an object that was met before by its number."""
    if isinstance(value, int | float | str | np.generic) or value is None:
        return type(value), repr(value)
    if id(value) in known:
        return known[id(value)]
    known[id(value)] = len(known)
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [type(value), *(told(part, known) for part in value)]
    if isinstance(value, dict):
        return [(told(key, known), told(part, known)) for key, part in value.items()]
    held = {name: getattr(value, name) for name in getattr(value, "__slots__", ())} or vars(value)
    return type(value), [(name, told(part, known)) for name, part in held.items()]


@pytest.mark.parametrize("program", PROGRAMS)
def test_it_stays_the_object_that_it_is(program):
    traced, mine, theirs = tracefn.function(program, on_unsupported="error"), Game(), Game()
    got, wanted = [], []
    for call in CALLS:
        got.append(traced(mine, np.array(call)))
        wanted.append(program(theirs, np.array(call)))
        assert told([mine, got], {}) == told([theirs, wanted], {})
    assert traced.tracing_count <= 6
