"""The guide on tracing: what a signature is, what is traced anew, and what a concrete function takes."""

import gc

import numpy as np
import pytest
import tracefn
from tracefn import TensorSpec
from tracefn.errors import ArgumentMismatchError


def test_a_traced_function_is_called_as_the_function_is():
    @tracefn.function
    def add(a, b):
        return a + b

    np.testing.assert_array_equal(add(np.ones((2, 2)), np.ones((2, 2))), np.full((2, 2), 2.0))


def test_traced_functions_call_each_other():
    @tracefn.function
    def add(a, b):
        return a + b

    @tracefn.function
    def dense(x, w, b):
        return add(x @ w, b)

    got = dense(np.ones((3, 2)), np.ones((2, 2)), np.ones(2))
    np.testing.assert_array_equal(got, np.full((3, 2), 3.0))
    assert [(n.op.name, n.scope) for n in dense.concrete_functions[0].graph][-1] == ("add", "add")


def test_tracing_prints_once_for_each_signature(capsys):
    @tracefn.function
    def double(a):
        print("Tracing with", a.dtype, a.shape)
        return a + a

    for _ in range(2):
        assert double(np.int32(1)) == 2
        assert double(np.float64(1.5)) == 3.0
        np.testing.assert_array_equal(double(np.ones(3)), np.full(3, 2.0))
    lines = ["Tracing with int32 ()", "Tracing with float64 ()", "Tracing with float64 (3,)"]
    assert capsys.readouterr().out.splitlines() == lines
    assert double.tracing_count == 3


def test_the_traces_are_listed():
    double = tracefn.function(lambda a: a + a, name="double")
    double(np.int32(1)), double(np.float64(1.5))
    assert double.pretty_printed_concrete_signatures(verbose=False).splitlines() == [
        "(a: int32) -> int32",
        "(a: float64) -> float64",
    ]
    assert double.pretty_printed_concrete_signatures().count("a") >= 2


def test_positional_keyword_and_default_arguments_are_one_signature():
    @tracefn.function
    def f(x, y=2):
        return x * y

    x = np.ones(2)
    for got in (f(x), f(x, 2), f(x=x), f(y=2, x=x)):
        np.testing.assert_array_equal(got, [2, 2])
    assert f.tracing_count == 1


def test_python_values_are_keyed_by_type_and_value():
    @tracefn.function
    def f(x, value):
        return x * value

    got = [f(np.int32(3), value) for value in (1, 1.0, True)]
    assert [type(v) for v in got] == [type(np.int32(3) * v) for v in (1, 1.0, True)]
    assert f.tracing_count == 3
    f(np.int32(5), 1), f(np.int32(5), 1.0), f(np.int32(5), True)
    assert f.tracing_count == 3


def test_lists_are_keyed_by_length_and_elements_dicts_by_keys():
    @tracefn.function
    def total(values):
        return sum(values.values()) if isinstance(values, dict) else sum(values)

    one, two = np.float64(1), np.float64(2)
    assert total([one, two]) == total((two, one)) == total({"a": one, "b": two}) == 3
    assert total.tracing_count == 3  # list, tuple, dict
    assert total([two, two]) == total({"a": two, "b": two}) == 4
    assert total.tracing_count == 3
    assert total([one, one, one]) == total({"a": one, "c": two}) == 3
    assert total.tracing_count == 5


def test_the_order_of_a_dict_is_part_of_it():
    """TensorFlow sorts the keys; a function that goes over a dict gives what Python would give."""

    @tracefn.function
    def first(values):
        return next(iter(values.values())) * 1

    assert first({"a": np.float64(1), "b": np.float64(2)}) == 1
    assert first({"b": np.float64(2), "a": np.float64(1)}) == 2


def test_the_most_specific_trace_is_used():
    f = tracefn.function(lambda x: x * 2, name="f")
    with tracefn.events.record() as events:
        f.get_concrete_function(TensorSpec((None, None), float))
        f.get_concrete_function(TensorSpec((1, None), float))
        f(np.ones((1, 2))), f(np.ones((5, 2))), f(np.ones((1, 7)))
    wide, narrow = [e.signature for e in events if e.type == "trace.started"]
    assert {e.signature: e.count for e in events if e.type == "calls"} == {narrow: 2, wide: 1}


def test_an_object_is_keyed_by_identity_and_its_arrays_are_read_at_each_call():
    class Fruit:
        def __init__(self, flavor):
            self.flavor = np.array(flavor)

    @tracefn.function
    def mixed(a, b):
        return a.flavor + b.flavor

    apple, mango = Fruit([1, 2]), Fruit([3, 4])
    np.testing.assert_array_equal(mixed(apple, mango), [4, 6])
    mango.flavor = np.array([30, 40])
    np.testing.assert_array_equal(mixed(apple, mango), [31, 42])
    assert mixed.tracing_count == 1
    np.testing.assert_array_equal(mixed(Fruit([0, 1]), mango), [30, 41])
    gc.collect()
    np.testing.assert_array_equal(mixed(Fruit([0, 2]), mango), [30, 42])
    assert mixed.tracing_count == 3


def test_a_class_that_takes_part_is_keyed_by_what_it_holds():
    class Fruit:
        def __init__(self, flavor):
            self.flavor = flavor

        def __tracefn_flatten__(self):
            return (self.flavor,), None

        @classmethod
        def __tracefn_unflatten__(cls, metadata, children):
            return cls(*children)

    @tracefn.function
    def mixed(a, b):
        return a.flavor + b.flavor

    np.testing.assert_array_equal(mixed(Fruit(np.array([1, 2])), Fruit(np.array([3, 4]))), [4, 6])
    np.testing.assert_array_equal(mixed(Fruit(np.array([0, 1])), Fruit(np.array([3, 4]))), [3, 5])
    assert mixed.tracing_count == 1


def test_which_arguments_are_the_same_variable_is_part_of_the_signature():
    @tracefn.function
    def f(v, w):
        v.assign_add(1)
        return v + w

    a, b, c = (tracefn.Variable(value) for value in (1.0, 10.0, 100.0))
    assert f(a, b) == 12
    assert f(b, c) == 111
    assert f.tracing_count == 1
    assert f(a, a) == 6
    assert f.tracing_count == 2
    assert f(c, c) == 202
    assert f.tracing_count == 2


def test_an_input_signature_makes_one_trace(capsys):
    @tracefn.function(input_signature=(TensorSpec((None,), np.int32),))
    def next_collatz(x):
        print("tracing")
        return np.where(x % 2 == 0, x // 2, 3 * x + 1)

    np.testing.assert_array_equal(next_collatz(np.array([1, 2], np.int32)), [4, 1])
    np.testing.assert_array_equal(next_collatz(np.array([3, 4, 5], np.int32)), [10, 2, 16])
    assert capsys.readouterr().out == "tracing\n"
    with pytest.raises(ArgumentMismatchError, match=r"x.*int32\[None\]|rank|shape"):
        next_collatz(np.array([[1, 2], [3, 4]], np.int32))
    with pytest.raises(ArgumentMismatchError, match="int32.*float64|float64.*int32"):
        next_collatz(np.array([1.0, 2.0]))
    assert next_collatz.tracing_count == 1


def test_collatz_with_an_input_signature():
    @tracefn.function(input_signature=[TensorSpec((), np.int64)])
    def collatz(n):
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        return steps

    assert [collatz(np.int64(n)) for n in (1, 6, 7, 27)] == [0, 8, 16, 111]
    assert collatz.tracing_count == 1


def test_python_arguments_retrace_and_tensor_arguments_do_not(capsys):
    @tracefn.function
    def train(num_steps):
        print("Tracing with", num_steps)
        tracefn.print("Executing with", num_steps)
        for _ in tracefn.range(num_steps):
            pass

    train(num_steps=10), train(num_steps=20)
    out = ["Tracing with 10", "Executing with 10", "Tracing with 20", "Executing with 20"]
    assert capsys.readouterr().out.splitlines() == out
    train(num_steps=np.int64(10)), train(num_steps=np.int64(20))
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("Tracing with Tensor(") and out[1:] == ["Executing with 10", "Executing with 20"]


def test_a_new_function_shares_no_traces(capsys):
    def f():
        print("Tracing!")
        tracefn.print("Executing")

    tracefn.function(f)(), tracefn.function(f)()
    assert capsys.readouterr().out.splitlines() == ["Tracing!", "Executing"] * 2


def test_reduce_retracing_relaxes_the_lengths_that_vary():
    @tracefn.function(reduce_retracing=True)
    def f(x):
        return x.sum(axis=1)

    for shape in ((2, 5), (3, 5), (4, 5), (5, 5)):
        np.testing.assert_array_equal(f(np.ones(shape)), np.full(shape[0], 5.0))
    assert f.tracing_count == 2


def test_a_retrace_has_its_cause():
    @tracefn.function
    def f(x, n):
        return x * n

    f(np.zeros(2), 3)
    with tracefn.events.record() as events:
        f(np.zeros(4), 3), f(np.zeros(4), 5)
    texts = [e.text for e in events if e.type == "retrace.explained"]
    assert texts[0].startswith("x: shape (2,) → (4,) at dimension 0")
    assert texts[1].startswith("n: 3 → 5")


def test_a_concrete_function_comes_from_values_or_specs():
    double = tracefn.function(lambda a: a + a, name="double")
    from_value = double.get_concrete_function(np.float32(1))
    assert double.tracing_count == 1
    assert from_value(np.float32(2)) == from_value(a=np.float32(2)) == 4
    from_spec = double.get_concrete_function(TensorSpec((None,), np.float32))
    np.testing.assert_array_equal(from_spec(np.ones(3, np.float32)), np.full(3, 2, np.float32))
    assert double.get_concrete_function(TensorSpec((None,), np.float32)) is from_spec


def test_a_concrete_function_prints_and_knows_its_signature():
    double = tracefn.function(lambda a: a + a, name="double")
    concrete = double.get_concrete_function(TensorSpec((2,), np.float32))
    assert "float32[2]" in str(concrete)
    assert concrete.structured_input_signature == ((TensorSpec((2,), np.float32),), {})
    assert concrete.structured_outputs == TensorSpec((2,), np.float32)


def test_a_concrete_function_refuses_other_types():
    double = tracefn.function(lambda a: a + a, name="double")
    concrete = double.get_concrete_function(np.float32(1))
    with pytest.raises(ArgumentMismatchError, match="a: dtype float32 → int64"):
        concrete(np.int64(1))
    with pytest.raises(ArgumentMismatchError, match="a: "):
        concrete(np.ones(2, np.float32))
    assert double.tracing_count == 1


def test_python_arguments_of_a_concrete_function_keep_their_value():
    @tracefn.function
    def power(a, b):
        return a**b

    square = power.get_concrete_function(a=TensorSpec((), np.float32), b=2)
    assert square(np.float32(10), 2) == square(np.float32(10), b=2) == 100
    with pytest.raises(ArgumentMismatchError, match="b: 2 → 3"):
        square(np.float32(10), b=3)


def test_python_arguments_of_a_concrete_function_may_be_left_out():
    power = tracefn.function(lambda a, b: a**b, name="power")
    square = power.get_concrete_function(a=TensorSpec((), np.float32), b=2)
    assert square(np.float32(10)) == 100


def test_the_graph_of_a_concrete_function():
    f = tracefn.function(lambda a, b: np.tanh(a) + b, name="f")
    graph = f.get_concrete_function(np.ones(2), np.ones(2)).graph
    assert [node.op.name for node in graph] == ["input", "input", "tanh", "add"]
    assert all(node in list(graph) for node in list(graph)[-1].inputs)
