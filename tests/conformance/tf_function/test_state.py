"""The guide on state: Variables and where they may be created, globals, free variables, and objects that change."""

import numpy as np
import pytest
import tracefn
from conformance.tf_function.support import line_of

foo = 1


def test_a_global_that_is_rebound_is_seen():
    """TensorFlow keeps the first value."""
    global foo

    @tracefn.function
    def add():
        return np.float64(1) + foo

    foo = 1
    assert add() == 2
    foo = 100
    with tracefn.events.record() as events:
        assert add() == 101
    (reason,) = (e.text for e in events if e.type == "retrace.explained")
    assert reason.startswith("global foo: 1 → 100")
    foo = 1
    assert add() == 2 and add.tracing_count == 2


def test_a_free_variable_that_is_rebound_is_seen():
    factor, offset = 2, np.zeros(2)

    @tracefn.function
    def f(x):
        return x * factor + offset

    np.testing.assert_array_equal(f(np.ones(2)), [2, 2])
    offset = np.full(2, 10.0)
    np.testing.assert_array_equal(f(np.ones(2)), [12, 12])
    offset[:] = 20
    np.testing.assert_array_equal(f(np.ones(2)), [22, 22])
    assert f.tracing_count == 1  # arrays are read at each call
    factor = 3
    np.testing.assert_array_equal(f(np.ones(2)), [23, 23])
    assert f.tracing_count == 2


def test_a_global_variable_needs_no_retrace():
    global foo

    @tracefn.function
    def add():
        return 1 + foo

    foo = tracefn.Variable(1)
    assert add() == 2
    foo.assign(100)
    assert add() == 101
    assert add.tracing_count == 1
    foo = 1


def test_attributes_of_an_argument_are_seen():
    """TensorFlow keeps the first values."""

    class Model:
        def __init__(self):
            self.bias, self.weight = 0.0, 2.0

    @tracefn.function
    def evaluate(model, x):
        return model.weight * x + model.bias

    model, x = Model(), np.float64(10)
    assert evaluate(model, x) == 20
    model.bias += 5.0
    assert evaluate(model, x) == 25
    assert evaluate(model, x) == 25 and evaluate.tracing_count == 2


def test_variables_as_attributes_need_no_retrace():
    class Model:
        def __init__(self):
            self.bias, self.weight = tracefn.Variable(0.0), tracefn.Variable(2.0)

    @tracefn.function
    def evaluate(model, x):
        return model.weight * x + model.bias

    model, x = Model(), np.float64(10)
    assert evaluate(model, x) == 20
    model.bias.assign_add(5.0)
    assert evaluate(model, x) == 25
    model.bias += 5.0  # TensorFlow needs assign_add here
    assert evaluate(model, x) == 30
    assert evaluate.tracing_count == 1


def test_a_variable_created_on_each_call_raises():
    @tracefn.function
    def f(x):
        v = tracefn.Variable(1.0)  # created
        return v * x

    with pytest.raises(ValueError, match=rf"Variable(.|\n)*line {line_of(f, 'created')}"):
        f(1.0)
    assert f.tracing_count == 0


def test_a_variable_created_on_the_first_call_is_kept(capsys):
    """The Python body runs once in a call; TensorFlow runs it twice in the first."""

    class Count:
        def __init__(self):
            self.count = None

        @tracefn.function
        def __call__(self):
            print("body")
            if self.count is None:
                self.count = tracefn.Variable(0)
            return self.count.assign_add(1).value()

    count = Count()
    assert count() == 1 and capsys.readouterr().out == "body\n"
    assert [int(count()) for _ in range(3)] == [2, 3, 4]
    assert capsys.readouterr().out == "body\n"
    assert Count()() == 1


def test_initial_values_may_depend_on_arguments_and_variables():
    class Layer:
        w = None

        @tracefn.function
        def __call__(self, x):
            if self.w is None:
                self.w = tracefn.Variable(x * 2)
                self.b = tracefn.Variable(self.w.sum())
            return self.w * x + self.b

    layer = Layer()
    x = np.array([1.0, 2.0])
    np.testing.assert_array_equal(layer(x), [8, 14])
    np.testing.assert_array_equal(layer(x * 10), [26, 86])


class Momentum:
    """An optimiser that makes its variable when it is first used."""

    def __init__(self, rate):
        self.rate, self.velocity = rate, None

    def apply(self, w, gradient):
        if self.velocity is None:
            self.velocity = tracefn.Variable(np.zeros(()))  # velocity
        self.velocity.assign(0.9 * self.velocity + gradient)
        w.assign_sub(self.rate * self.velocity)


def step(w, x, y, optimizer):
    optimizer.apply(w, 2 * (w * x - y) * x)


def test_a_second_object_that_creates_its_variables_raises():
    w, x, y = tracefn.Variable(2.0), np.float64(-1), np.float64(2)
    one, two = Momentum(0.1), Momentum(0.01)
    traced = tracefn.function(step)
    traced(w, x, y, one)
    before = float(w)
    line = line_of(Momentum.apply, "velocity")
    with pytest.raises(ValueError, match=rf"first call only(.|\n)*line {line}(.|\n)*line {line}"):
        traced(w, x, y, two)
    assert float(w) == before and two.velocity is None
    traced(w, x, y, one)
    assert float(w) < before


def test_a_function_for_each_object_that_creates_variables():
    w = tracefn.Variable(2.0)
    x, y = np.float64(-1), np.float64(2)
    steps = [(tracefn.function(step), Momentum(rate)) for rate in (0.1, 0.01)]
    for traced, optimizer in steps * 2:
        before = float(w)
        traced(w, x, y, optimizer)
        assert float(w) < before


def test_a_variable_that_a_later_call_creates():
    class Layers:
        def __init__(self):
            self.by_size = {}

        @tracefn.function
        def __call__(self, x):
            if len(x) not in self.by_size:
                self.by_size[len(x)] = tracefn.Variable(np.zeros(len(x)))
            return self.by_size[len(x)].assign_add(x).value()

    layers = Layers()
    np.testing.assert_array_equal(layers(np.ones(2)), [1, 1])
    np.testing.assert_array_equal(layers(np.ones(2)), [2, 2])
    with pytest.raises(ValueError, match="first call"):
        layers(np.ones(3))
    np.testing.assert_array_equal(layers(np.ones(2)), [3, 3])


def test_a_variable_is_changed_by_a_function_that_is_called():
    def change(y):
        y.assign_add(1)

    y = tracefn.Variable(0)

    @tracefn.function
    def f(x):
        while x > 0:
            change(y)
            x = x - 1
        return y.value()

    assert f(np.int64(3)) == 3 and f(np.int64(0)) == 3 and f(np.int64(2)) == 5


def test_methods_have_a_cache_for_each_instance():
    class Scale:
        def __init__(self, factor):
            self.factor = factor

        @tracefn.function
        def __call__(self, x):
            return x * self.factor

    two, three = Scale(2), Scale(3)
    assert two(np.float64(1)) == 2 and three(np.float64(1)) == 3
    assert two.__call__.tracing_count == three.__call__.tracing_count == 1
