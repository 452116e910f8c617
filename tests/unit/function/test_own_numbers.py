"""Numbers in containers among the arguments that the function changes: inputs after the first trace."""

import dataclasses
import math
from typing import NamedTuple

import numpy as np
import pytest
import tracefn

X = np.arange(3.0)


@dataclasses.dataclass
class State:
    n: int = 0
    rate: float = 1.0
    flag: bool = False


@dataclasses.dataclass(slots=True)
class Slots:
    n: int = 0


def counts(state, x):
    state.n += 1
    return x * state.n


def counts_in_dict(state, x):
    state["n"] += 1
    return x * state["n"], state["n"]


def counts_deep_inside(state, x):
    state[0]["inner"]["t"] += 1
    return x / state[0]["inner"]["t"]


class Moments(NamedTuple):
    n: int
    mean: float


def replaces_a_named_tuple(state, x):
    n, mean = state["m"]
    state["m"] = Moments(n + 1, mean + (x.mean() - mean) / (n + 1))
    return x * state["m"].mean


def replaces_a_pair(state, x):
    state[0] = (state[0][0] + 1, state[0][1])
    return x * state[0][0]


def decays(state, x):
    state[0] *= 0.5
    return x * state[0]


def moments(state, x):
    state["t"] += 1
    state["m"] = state["m"] * 0.9 + 0.1 * float(x.sum())
    return state["m"] / (1 - 0.9 ** state["t"])


def switches(state, x):
    state.n += 1
    state.flag = not state.flag
    return x * state.n if state.flag else x - state.n


def has_a_length(state, x):
    state["n"] += 1
    return np.zeros(state["n"]) + x[0]


def is_a_shape(state, x):
    state["n"] += 1
    return np.arange(12.0).reshape(state["n"], -1) if 12 % state["n"] == 0 else x


def knows_its_value(state, x):
    state["n"] += 1
    return x * math.factorial(state["n"])


def becomes_a_float(state, x):
    state["n"] = state["n"] * 0.5 if state["n"] > 2 else state["n"] + 1
    return x, state["n"]


def raises(state, x):
    state["n"] += 1
    if state["n"] == 4:
        raise ValueError(f"{state['n']} is too much")
    return x * state["n"]


CASES = [
    (counts, State, 2),
    (counts, Slots, 2),
    (counts_in_dict, lambda: {"n": 0}, 2),
    (counts_in_dict, lambda: {"n": 2**63 - 3}, 2),
    (counts_deep_inside, lambda: ({"inner": {"t": 0}}, 1), 2),
    (replaces_a_named_tuple, lambda: {"m": Moments(0, 0.0)}, 3),
    (replaces_a_pair, lambda: [(0, 5)], 2),
    (decays, lambda: [1.0], 2),
    (decays, lambda: [3], 3),
    (moments, lambda: {"t": 0, "m": 0.0}, 3),
    (switches, State, 4),
    (has_a_length, lambda: {"n": 0}, 2),
    (is_a_shape, lambda: {"n": 0}, 8),
    (knows_its_value, lambda: {"n": 0}, 8),
    (becomes_a_float, lambda: {"n": 0}, 3),
    (raises, lambda: {"n": 0}, 2),
]


def outcome(run, *args):
    try:
        return run(*args), None
    except Exception as error:
        return None, repr(error)


@pytest.mark.parametrize("jit", ["off", "now"])
@pytest.mark.parametrize("function, make, most", CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_as_undecorated_in_few_traces(function, make, most, jit):
    traced, ours, theirs = tracefn.function(function, jit=jit), make(), make()
    with tracefn.config.on_unsupported("eager"):
        for k in range(8):
            got, expected = outcome(traced, ours, X + k), outcome(function, theirs, X + k)
            assert repr(got) == repr(expected)
            assert repr(ours) == repr(theirs)
    assert traced.tracing_count <= most
    assert not traced.fallbacks


def test_what_the_caller_changes_and_fresh_states_need_no_trace():
    traced = tracefn.function(counts)
    for k in range(5):
        state = State(3 * k)
        np.testing.assert_array_equal(traced(state, X), X * (3 * k + 1))
        assert state.n == 3 * k + 1
    assert traced.tracing_count == 2


def test_numbers_that_are_only_read_stay_values():
    traced = tracefn.function(lambda settings, x: x * settings["gain"])
    for k in range(3):
        traced({"gain": k}, X)
    assert traced.tracing_count == 3


def test_it_is_explained_and_can_be_asked_for():
    traced, state = tracefn.function(counts_in_dict), {"n": 0}
    for _ in range(3):
        traced(state, X)
    assert "state['n'] changed 0 (int) → Python int" in str(traced.explain())
    concrete = traced.get_concrete_function({"n": 7}, X)
    assert concrete is traced.concrete_functions[-1]
    np.testing.assert_array_equal(concrete(state, X)[0], X * 4)
    assert state == {"n": 4} and traced.tracing_count == 2


@dataclasses.dataclass(slots=True)
class Particle:
    age: int
    mass: float
    position: np.ndarray

    @tracefn.function
    def moved(self, x):
        self.age += 1
        self.position = self.position + x / self.mass
        return self.age

    @tracefn.function
    def momentum(self, x):
        return self.mass * x

    @tracefn.function
    def shown(self, x):
        return f"{self.age:03d}", "old" if self.age > 3 else "young", [x] * self.age


class Order(NamedTuple):
    price: float
    count: int

    @tracefn.function
    def total(self):
        return self.price * self.count


def test_fields_that_were_others_twice_are_inputs_also_where_they_are_not_written():
    plain, traced = (Particle(0, 2.0, np.zeros(2)) for _ in range(2))
    x = np.ones(2)
    for _ in range(8):
        assert Particle.moved.python_function(plain, x) == traced.moved(x)
        assert repr(Particle.momentum.python_function(plain, x)) == repr(traced.momentum(x))
        assert repr(Particle.shown.python_function(plain, x)) == repr(traced.shown(x))
        assert repr(plain) == repr(traced)
    assert (Particle.moved.tracing_count, Particle.momentum.tracing_count) == (2, 3)
    orders = [Order(1.5 * i, i) for i in range(8)]
    assert [repr(order.total()) for order in orders] == [repr(order.price * order.count) for order in orders]
    assert Order.total.tracing_count == 3
