"""The guide on side effects: `print` runs while tracing alone and is reported; all else happens at each call."""

import random
import time
import warnings

import numpy as np
import pytest
import tracefn
from conformance.tf_function.support import line_of, side_effects
from tracefn.data import Dataset

x = None
seen = []


def test_print_runs_while_tracing_and_tracefn_print_at_each_call(capsys):
    @tracefn.function
    def f(x):
        print("Traced with", x)  # print
        tracefn.print("Executed with", x)

    ((kind, line, alternative),) = side_effects(f, 1)
    f(1), f(2)
    assert capsys.readouterr().out.splitlines() == [
        "Traced with 1",
        "Executed with 1",
        "Executed with 1",
        "Traced with 2",
        "Executed with 2",
    ]
    assert (kind, line) == ("print", line_of(f, "print")) and "tracefn.print" in alternative


def test_appending_python_values_to_an_outer_list_happens_at_each_call():
    """Once for each trace in TensorFlow."""
    found = []

    @tracefn.function
    def f(x):
        found.append("called")
        return x + 1

    assert side_effects(f, np.ones(2)) == []
    f(np.ones(2)), f(np.ones(2))
    assert found == ["called"] * 3
    assert f.tracing_count == 1


def test_appending_an_array_to_an_outer_list_happens_at_each_call():
    """A leaked tensor in TensorFlow."""
    found = []

    @tracefn.function
    def f(x):
        found.append(x + 1)
        return x

    f(np.float64(1)), f(np.float64(2)), f(np.float64(3))
    assert found == [2.0, 3.0, 4.0]
    assert f.tracing_count == 1


def test_setting_an_attribute_of_an_outer_object_happens_at_each_call():
    class Holder:
        field = None

    holder = Holder()

    @tracefn.function
    def f(x):
        holder.field = x * 2
        return x

    f(np.float64(1)), f(np.float64(2))
    assert holder.field == 4.0
    assert f.tracing_count == 1


def test_setting_a_global_happens_at_each_call():
    """A leaked tensor in TensorFlow, even where it is returned too."""

    @tracefn.function
    def leaky(a):
        global x
        x = a + 1
        return x

    assert leaky(np.int64(1)) == 2 and x == 2
    assert leaky(np.int64(5)) == 6 and x == 6
    assert isinstance(x, np.int64)

    @tracefn.function
    def captures(b):
        return b + x

    assert captures(np.int64(2)) == 8


def test_setting_a_free_variable_happens_at_each_call():
    last = np.zeros(2)

    @tracefn.function
    def f(x):
        nonlocal last
        last = last + x
        return last * 1

    f(np.ones(2)), f(np.ones(2))
    np.testing.assert_array_equal(last, [2, 2])


def test_setting_python_values_outside_happens_at_each_call():
    count = 0

    @tracefn.function
    def f(x):
        nonlocal count
        count += 1
        return x

    assert side_effects(f, np.ones(2)) == []
    f(np.ones(2)), f(np.ones(2))
    assert count == 3 and f.tracing_count == 1


def test_a_python_counter_guards_an_assignment():
    """In TensorFlow the `if` of the first trace is kept."""

    class Model:
        def __init__(self):
            self.v = tracefn.Variable(0)
            self.counter = 0

        @tracefn.function
        def __call__(self):
            if self.counter == 0:
                self.counter += 1
                self.v.assign_add(1)
            return self.v.value()

    model = Model()
    with tracefn.events.record() as events:
        assert [int(model()) for _ in range(3)] == [1, 1, 1]
    assert model.counter == 1
    assert [e for e in events if e.type == "side_effect"] == []


def test_an_iterator_is_advanced_at_each_call(capsys):
    """Once for each trace in TensorFlow."""

    @tracefn.function
    def consume(iterator):
        tracefn.print("Value:", next(iterator))

    numbers = iter([1, 2, 3])
    assert side_effects(consume, numbers) == []
    consume(numbers)
    assert next(numbers) == 3
    with pytest.raises(StopIteration):
        consume(numbers)
    assert capsys.readouterr().out.splitlines() == ["Value: 1", "Value: 2"]


def test_a_generator_that_is_looped_over_is_emptied_by_each_call():
    def numbers():
        yield from (1.0, 2.0, 3.0)

    @tracefn.function
    def total(values, x):
        for value in values:
            x = x + value
        return x

    with tracefn.config.on_unsupported("eager"):
        generator = numbers()
        assert [total(generator, np.float64(x)) for x in (0, 1)] == [6, 1]
        assert total(numbers(), np.float64(2)) == 8


def test_a_dataset_iterator_is_advanced_at_each_call():
    @tracefn.function
    def consume(iterator):
        return next(iterator) * 10

    numbers = iter(Dataset.from_tensor_slices(np.array([1, 2, 3])))
    assert [consume(numbers) for _ in range(3)] == [10, 20, 30]
    with pytest.raises(StopIteration):
        consume(numbers)


def test_the_clock_and_random_are_read_at_each_call():
    """In TensorFlow the first answer is repeated."""

    @tracefn.function
    def f(x):
        return x * 0 + random.random(), time.perf_counter()

    random.seed(3)
    found = [f(np.float64(1)) for _ in range(3)]
    random.seed(3)
    assert [number for number, _ in found] == [random.random() for _ in range(3)]
    assert found[0][1] < found[1][1] < found[2][1] and f.tracing_count == 1


def test_a_file_is_read_at_each_call(tmp_path):
    """In TensorFlow it is read once."""
    path = tmp_path / "scale"

    @tracefn.function(on_unsupported="eager")
    def entered(x):
        with open(path) as file:
            return x * float(file.read())

    @tracefn.function
    def opened(x):
        return x * float(open(path).read())

    for scale in (3.0, 4.0, 5.0):
        path.write_text(str(scale))
        assert opened(np.float64(2)) == 2 * scale
        with warnings.catch_warnings(action="ignore"):
            assert entered(np.float64(2)) == 2 * scale


def test_numpy_random_is_never_frozen():
    f = tracefn.function(lambda x: x + np.random.random())
    assert not np.array_equal(f(np.ones(2)), f(np.ones(2)))
    np.random.seed(0)
    first = f(np.ones(2))
    np.random.seed(0)
    np.testing.assert_array_equal(f(np.ones(2)), first)


def test_each_effect_is_reported_once_for_a_line():
    @tracefn.function
    def f(x):
        for _ in range(3):
            print("unrolled")  # print
        return x

    assert [line for _, line, _ in side_effects(f, np.ones(2))] == [line_of(f, "print")]
    assert side_effects(f, np.ones(2)) == []


def test_py_function_runs_at_each_call():
    found = []

    @tracefn.function
    def f(x):
        tracefn.py_function(found.append, [x * 2])
        return tracefn.py_function(lambda v: float(v) + 1, [x], np.float64)

    assert [f(np.float64(1)), f(np.float64(2))] == [2.0, 3.0]
    assert found == [2.0, 4.0]


def test_what_py_function_changes_is_unseen_by_the_python_around_it():
    """As in TensorFlow: Python values are what they were while tracing."""
    n = [10]

    @tracefn.function
    def f(x):
        tracefn.py_function(lambda: n.__setitem__(0, 20), [])
        return x + n[0]

    assert f(np.int64(0)) == 10


def test_prints_and_assignments_happen_in_program_order(capsys):
    v = tracefn.Variable(0)

    @tracefn.function
    def f():
        tracefn.print("before", v)
        v.assign_add(1)
        tracefn.print("between", v)
        v.assign(v * 10)
        return v.value()

    assert f() == 10 and f() == 110
    assert capsys.readouterr().out.splitlines() == ["before 0", "between 1", "before 10", "between 11"]
