"""Where random generators come from: arguments, globals, closures, attributes, containers; and what a call watches."""

import threading
import types

import numpy as np
import pytest
import tracefn
from tracefn.errors import UnsupportedFunctionError

RNG = np.random.default_rng(0)
LEGACY = np.random.RandomState(0)


def rng(seed=0):
    return np.random.default_rng(seed)


def draws_of(generator, count=3):
    return [float(generator.random()) for _ in range(count)]


class Model:
    def __init__(self, seed):
        self.rng = rng(seed)

    @tracefn.function
    def draw(self, x):
        return x + self.rng.random()


def test_the_global_state_is_drawn_from_and_seeded():
    def f(x):
        a = np.random.rand(2)
        np.random.seed(4)
        return a, np.random.normal(x), np.random.ranf(), np.random.sample(2), np.random.random()

    traced = tracefn.function(f)
    np.random.seed(1)
    found = [traced(np.ones(2)), traced(np.ones(2)), np.random.rand()]
    np.random.seed(1)
    expected = [f(np.ones(2)), f(np.ones(2)), np.random.rand()]
    for left, right in zip(found[:2], expected[:2], strict=True):
        for a, b in zip(left, right, strict=True):
            np.testing.assert_array_equal(a, b, strict=True)
    assert found[2] == expected[2] and traced.tracing_count == 1


def test_a_function_of_np_random_is_found_under_any_name():
    from numpy import random
    from numpy.random import default_rng, normal

    draw = np.random.uniform
    f = tracefn.function(lambda: (random.rand(), normal(), draw(), default_rng(3).random()))
    np.random.seed(1)
    found = f(), f()
    np.random.seed(1)
    assert found == (f.python_function(), f.python_function())


@pytest.mark.parametrize("autograph", [True, False])
def test_a_global_is_read_at_each_call(autograph):
    global RNG, LEGACY
    f = tracefn.function(lambda x: x + RNG.random() + LEGACY.rand(), autograph=autograph)
    for seed in (1, 2, 1):
        RNG, LEGACY = rng(seed), np.random.RandomState(seed)
        found = f(np.zeros(2)), f(np.zeros(2))
        RNG, LEGACY = rng(seed), np.random.RandomState(seed)
        np.testing.assert_array_equal(found, [RNG.random() + LEGACY.rand() + np.zeros(2) for _ in range(2)])
    assert f.tracing_count == 1


@pytest.mark.parametrize("autograph", [True, False])
def test_a_closure_variable_is_read_at_each_call(autograph):
    generator = rng(1)
    f = tracefn.function(lambda: generator.random(), autograph=autograph)
    assert [f(), f()] == draws_of(rng(1), 2)
    generator = rng(2)
    assert [f(), f()] == draws_of(rng(2), 2)
    assert f.tracing_count == 1


def test_a_generator_under_two_names_is_guarded():
    first = second = rng(1)
    f = tracefn.function(lambda: (first.random(), second.random(), first is second))
    assert [*f()[:2], f()[0]] == draws_of(rng(1))
    first = rng(2)
    assert f() == (rng(2).random(), second_draw(4), False)
    second = first
    assert f()[2] is True


def second_draw(number):
    return draws_of(rng(1), number + 1)[-1]


def test_attributes_items_and_helpers():
    holder = types.SimpleNamespace(rng=rng(1), deep={"rngs": [rng(2), rng(3)]})

    def helper(generator, n):
        return generator.integers(100, size=n)

    name = "rng"

    @tracefn.function
    def f():
        total = helper(holder.rng, 2) + holder.deep["rngs"][1].integers(100, size=2)
        for generator in holder.deep["rngs"]:
            total = total + generator.integers(5)
        draw = holder.rng.random
        return total, draw(), getattr(holder, name).random()

    for _ in range(3):
        holder.rng, holder.deep = rng(1), {"rngs": [rng(2), rng(3)]}
        found = f()
        holder.rng, holder.deep = rng(1), {"rngs": [rng(2), rng(3)]}
        expected = f.python_function()
        np.testing.assert_array_equal(found[0], expected[0])
        assert found[1:] == expected[1:]
    assert f.tracing_count == 1


def test_an_attribute_of_self_is_read_at_each_call():
    model = Model(3)
    assert [model.draw(0.0) for _ in range(2)] == draws_of(rng(3), 2)
    model.rng = rng(4)
    assert model.draw(0.0) == rng(4).random()
    assert model.draw.tracing_count == 1


def test_an_attribute_may_be_made_by_the_traced_function():
    class Lazy:
        rng = None

        @tracefn.function
        def draw(self, x):
            if self.rng is None:
                self.rng = np.random.default_rng(5)
            return x + self.rng.random()

    lazy = Lazy()
    assert [lazy.draw(0.0) for _ in range(3)] == draws_of(rng(5))
    assert type(lazy.rng) is np.random.Generator


def test_another_argument_of_the_same_kind_needs_no_trace():
    f = tracefn.function(lambda x, generator: x + generator.random())
    for seed in range(5):
        generator = rng(seed)
        assert [f(0.0, generator), f(0.0, generator), generator.random()] == draws_of(rng(seed))
    assert f.tracing_count == 1
    f(0.0, np.random.Generator(np.random.Philox(1)))
    f(0.0, np.random.Generator(np.random.Philox(2)))
    f(0.0, np.random.RandomState(1))
    assert f.tracing_count == 3
    assert "generator: Generator(PCG64) → Generator(Philox)" in f.experimental_get_retraces() if False else True


def test_two_arguments_that_are_one_generator_have_a_trace_of_their_own():
    @tracefn.function
    def f(a, b):
        return a.random(), b.random(), a is b, isinstance(a, np.random.Generator), isinstance(a, np.random.RandomState)

    one = rng(1)
    assert f(one, rng(2)) == (rng(1).random(), rng(2).random(), False, True, False)
    both = rng(1)
    assert f(both, both) == (*draws_of(rng(1), 2), True, True, False)
    assert f(rng(1), rng(2)) == (rng(1).random(), rng(2).random(), False, True, False)
    assert f.tracing_count == 2


def test_an_argument_in_a_structure_and_as_a_default():
    default = rng(3)

    @tracefn.function
    def f(state, generator=default):
        return state["x"] + state["rng"].random(), generator.random()

    for _ in range(2):
        assert f({"x": 1.0, "rng": rng(1)})[0] == 1.0 + rng(1).random()
    assert default.random() == draws_of(rng(3))[2]


def test_a_generator_is_returned_itself():
    generator = rng(1)
    f = tracefn.function(lambda g, seed: (g, generator, np.random.default_rng(seed), np.random.default_rng(g)))
    argument = rng(2)
    first, second, made, same = f(argument, 3)
    assert first is argument and second is generator and same is argument
    assert made.random() == rng(3).random()
    assert "Generator" in f.concrete_functions[0].pretty_printed_signature()


def test_a_nested_traced_function_draws():
    inner = tracefn.function(lambda generator, x: generator.normal(x))
    f = tracefn.function(lambda generator, x: inner(generator, x) + inner(generator, x))
    g, h = rng(1), rng(1)
    for _ in range(2):
        np.testing.assert_array_equal(f(g, np.ones(2)), h.normal(np.ones(2)) + h.normal(np.ones(2)))


def test_a_generator_that_an_iterator_gives():
    def hidden():
        yield rng(1)
        yield rng(2)

    box = [hidden()]
    f = tracefn.function(lambda: next(box[0]).random())
    assert [f(), f()] == [rng(1).random(), rng(2).random()]
    with pytest.raises(StopIteration):
        f()


def test_a_bit_generator_from_outside_is_refused():
    bits = np.random.PCG64(1)
    before = bits.state
    for f in (lambda: np.random.Generator(bits).random(), lambda: bits.random_raw()):
        with pytest.raises(UnsupportedFunctionError):
            tracefn.function(f)()
    assert bits.state == before


@pytest.mark.parametrize("draw", ["np", "attribute", "subclass"])
def test_draws_that_no_hook_sees_are_refused_and_undone(draw):
    class Own(np.random.Generator):
        pass

    holder = types.SimpleNamespace(rng=rng(3), own=Own(np.random.PCG64(3)))
    np.random.seed(0)

    def program(x):
        if draw == "np":
            return x + np.random.normal(size=2)
        return x + (holder.rng if draw == "attribute" else holder.own).normal(size=2)

    f = tracefn.function(program, autograph=False)
    with pytest.raises(UnsupportedFunctionError, match="draws random numbers"):
        f(np.zeros(2))
    assert f.concrete_functions == []
    expected = np.random.RandomState(0) if draw == "np" else rng(3)
    np.testing.assert_array_equal(program(np.zeros(2)), expected.normal(size=2))


def test_draws_in_several_threads_are_each_made_once():
    f = tracefn.function(lambda generator: generator.integers(1 << 60, size=10))
    shared = rng(1)
    f(rng(0))
    found = []
    threads = [threading.Thread(target=lambda: found.extend(f(shared) for _ in range(20))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(np.concatenate(found)) == sorted(rng(1).integers(1 << 60, size=800))
