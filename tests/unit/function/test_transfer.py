"""Traces that were made for some objects serve others of the same classes, and give what eager code gives."""

import gc
import weakref

import numpy as np
import pytest
import tracefn

X = np.arange(3.0)


def same(got, wanted):
    assert repr(got) == repr(wanted)


class Layer:
    def __init__(self, n):
        self.w = np.full(n, 2.0)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x * self.w


class Other(Layer):
    def forward(self, x):
        self.calls += 1
        return x - self.w


def model(decorate=lambda function: function):
    class Model:
        def __init__(self, *layers):
            self.layers = list(layers)
            self.rng = np.random.default_rng(0)
            self.log = []
            self.n = 0

        @decorate
        def step(self, x):
            for layer in self.layers:
                x = layer.forward(x)
                layer.w = layer.w + 0.5
            self.n += 1
            self.log.append(float(x.sum()))
            if self.layers[0] is self.layers[-1]:
                x = x + 100
            return x + self.rng.random()

    return Model


def state(m):
    return m.n, m.log, [(layer.calls, layer.w) for layer in m.layers]


def is_taken(method):
    return [concrete.taken_over for concrete in method.concrete_functions]


@pytest.fixture
def traced():
    """The traced class, after one instance was traced and is gone."""
    cls = model(tracefn.function)
    first = cls(Layer(3), Layer(3))
    first.step(X)
    gone = weakref.ref(first)
    del first
    gc.collect()
    assert gone() is None
    return cls


def test_code_that_was_replaced_is_traced(traced):
    traced.step.python_function.__code__ = (lambda self, x: x * 5).__code__
    assert traced(Layer(3)).step(X)[1] == 5


def test_the_function_of_an_instance_goes_with_it():
    cls = model(tracefn.function)
    first = cls(Layer(3))
    first.step(X)
    function = weakref.ref(first.step.__func__)
    del first
    gc.collect()
    assert function() is None


def agrees(ours, theirs, calls=3):
    for _ in range(calls):
        same(ours.step(X), theirs.step(X))
    same(state(ours), state(theirs))


def test_another_instance_waits_for_no_trace(traced):
    ours = traced(Layer(3), Layer(3))
    agrees(ours, model()(Layer(3), Layer(3)))
    assert is_taken(ours.step) == [True]
    assert ours.step.tracing_count == 1
    assert "other objects of the same classes" in ours.step.explain().headline


def test_two_instances_have_states_of_their_own(traced):
    first, second = traced(Layer(3), Layer(3)), traced(Layer(3), Layer(3))
    second.layers[0].w = np.full(3, 7.0)
    theirs = [model()(Layer(3), Layer(3)) for _ in range(2)]
    theirs[1].layers[0].w = np.full(3, 7.0)
    for _ in range(2):
        agrees(first, theirs[0], 2)
        agrees(second, theirs[1], 1)
    assert is_taken(first.step) == is_taken(second.step) == [True]


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.layers.__setitem__(1, Other(3)),
        lambda m: m.layers.__setitem__(1, m.layers[0]),
        lambda m: m.layers.append(Layer(3)),
        lambda m: m.layers.pop(),
        lambda m: setattr(m.layers[0], "w", np.float32([1, 2, 3])),
        lambda m: setattr(m.layers[1], "forward", lambda x: x * 9),
    ],
    ids=["another class", "one object twice", "more", "fewer", "another dtype", "another method"],
)
def test_a_difference_is_traced(traced, change):
    ours, theirs = traced(Layer(3), Layer(3)), model()(Layer(3), Layer(3))
    change(ours), change(theirs)
    agrees(ours, theirs)
    assert not any(is_taken(ours.step))


def test_an_object_that_is_replaced_at_each_call(traced):
    ours, theirs = traced(Layer(3), Layer(3)), model()(Layer(3), Layer(3))
    for _ in range(4):
        ours.layers[0], theirs.layers[0] = Layer(3), Layer(3)
        agrees(ours, theirs, 1)
    assert all(is_taken(ours.step))


def test_a_method_of_a_subclass_that_calls_another_method():
    class Base:
        @tracefn.function
        def run(self, x):
            return self.part(x) + 1

        def part(self, x):
            return x * 2

    class Derived(Base):
        def part(self, x):
            return x * 3

    assert Base().run(X)[1] == 3
    derived = Derived()
    assert derived.run(X)[1] == 4
    assert not any(is_taken(derived.run))


class Named:
    def by_id(self, x):
        return x, id(self)

    def by_hash(self, x):
        return x, hash(self) % 1000

    def by_text(self, x):
        return x, f"{self}"

    def by_representation(self, x):
        return {repr(self): x}

    def by_method(self, x):
        return x, object.__repr__(self)[-5:]

    def as_key(self, x):
        return {self: x.sum()}

    def kept(self, x):
        self.last = {"me": id(self)}
        return x * 2


@pytest.mark.parametrize("name", [name for name in vars(Named) if not name.startswith("__")])
def test_the_address_of_an_object_is_its_own(name):
    traced = type("Traced", (Named,), {name: tracefn.function(vars(Named)[name])})
    for instance in [traced() for _ in range(3)]:
        got = getattr(instance, name)(X)
        left = dict(vars(instance))
        same((got, left), (vars(Named)[name](instance, X), vars(instance)))


def test_what_is_printed_while_tracing_is_printed_for_each_instance(capsys):
    class Told:
        @tracefn.function
        def run(self, x):
            print("traced")
            return x + 1

    kept = [Told() for _ in range(3)]
    for told in kept:
        told.run(X), told.run(X)
    assert capsys.readouterr().out == "traced\n" * 3


def test_objects_that_are_arguments_of_a_function():
    @tracefn.function
    def train(layer, x):
        layer.w = layer.w - 0.1 * x
        return layer.forward(x)

    for _ in range(3):
        ours, theirs = Layer(3), Layer(3)
        for _ in range(2):
            theirs.w = theirs.w - 0.1 * X
            same(train(ours, X), theirs.forward(X))
        same((ours.w, ours.calls), (theirs.w, theirs.calls))
    assert is_taken(train) == [False, True, True]


def test_an_error_in_the_middle_leaves_what_eager_code_leaves(traced):
    class Failing:
        def __init__(self):
            self.buffer = np.zeros(3)

        @tracefn.function
        def write(self, i):
            self.buffer[0] += 1
            self.buffer[i] = 5.0
            return self.buffer.sum()

    for _ in range(2):
        failing = Failing()
        assert failing.write(np.int64(1)) == 6
        with pytest.raises(IndexError):
            failing.write(np.int64(7))
        np.testing.assert_array_equal(failing.buffer, [2, 5, 0])
    assert is_taken(failing.write)[0]


def test_the_order_of_a_set_is_that_of_its_own_objects():
    class Bag:
        def __init__(self):
            self.layers = [Layer(3) for _ in range(6)]
            for i, layer in enumerate(self.layers):
                layer.w = np.full(3, 1.0 + i)

        @tracefn.function
        def order(self, x):
            return [layer.w * x for layer in {*self.layers}]

    kept = [Bag() for _ in range(5)]
    for bag in kept:
        same(bag.order(X), [layer.w * X for layer in {*bag.layers}])


class Nothing:
    pass


class Optional:
    def __init__(self, part):
        self.part = part

    @tracefn.function
    def run(self, x):
        return x + (1 if self.part else 2)


@pytest.mark.parametrize("jit", ["off", "now"])
@pytest.mark.parametrize("calls", [1, 3], ids=["walk", "entry"])
def test_none_does_not_stand_for_an_object_that_is_gone(calls, jit):
    @tracefn.function(jit=jit)
    def run(part, x):
        return x + (1 if part else 2)

    part, optional, other = Nothing(), Optional(Nothing()), Optional(None)
    for _ in range(calls):
        assert run(part, X)[0] == optional.run(X)[0] == 1
    del part, optional.part
    gc.collect()
    optional.part = None
    assert run(None, X)[0] == optional.run(X)[0] == other.run(X)[0] == 2
