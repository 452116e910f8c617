"""The guide on AutoGraph: which control flow becomes part of the graph, and how often its Python runs."""

import numpy as np
import pytest
import tracefn
from conformance.tf_function.support import line_of, size
from tracefn import TensorSpec
from tracefn.data import Dataset


def staged(function):
    """The control-flow nodes of a function's first graph."""
    found = {"cond", "switch", "while_loop", "fori_loop", "scan"}
    return [n.op.name for n in function.concrete_functions[0].graph if n.op.name in found or "loop" in n.op.name]


def test_while_on_a_traced_value():
    @tracefn.function
    def f(x):
        while np.sum(x) > 1:
            x = np.tanh(x)
        return x

    for start in (np.array([1.0, 2.0, 3.0]), np.array([0.25, 0.25, 0.25])):
        wanted = start
        while np.sum(wanted) > 1:
            wanted = np.tanh(wanted)
        np.testing.assert_array_equal(f(start), wanted)
    assert f.tracing_count == 1


def test_fizzbuzz_traces_each_branch_once(capsys):
    @tracefn.function
    def fizzbuzz(n):
        for i in tracefn.range(1, n + 1):
            print("Tracing for loop")
            if i % 15 == 0:
                print("Tracing fizzbuzz branch")
                tracefn.print("fizzbuzz")
            elif i % 3 == 0:
                print("Tracing fizz branch")
                tracefn.print("fizz")
            elif i % 5 == 0:
                print("Tracing buzz branch")
                tracefn.print("buzz")
            else:
                print("Tracing default branch")
                tracefn.print(i)

    def eager(n):
        words = {0: "fizzbuzz", 3: "fizz", 6: "fizz", 9: "fizz", 12: "fizz", 5: "buzz", 10: "buzz"}
        return [words.get(i % 15, str(i)) for i in range(1, n + 1)]

    fizzbuzz(np.int64(5))
    assert capsys.readouterr().out.splitlines() == [
        "Tracing for loop",
        "Tracing fizzbuzz branch",
        "Tracing fizz branch",
        "Tracing buzz branch",
        "Tracing default branch",
        *eager(5),
    ]
    fizzbuzz(np.int64(20))
    assert capsys.readouterr().out.splitlines() == eager(20)


def test_all_paths_of_a_traced_condition_are_traced_in_order(capsys):
    @tracefn.function
    def f(x):
        print("before")
        if x > 0:
            print("true branch")
        else:
            print("false branch")
        print("after")

    f(np.float64(1)), f(np.float64(-1))
    assert capsys.readouterr().out.splitlines() == ["before", "true branch", "false branch", "after"]


def test_one_path_of_a_python_condition_is_traced(capsys):
    @tracefn.function
    def f(x, training):
        if training:
            print("training")
            x = x * 2
        else:
            print("inference")
        return x

    assert f(np.float64(1), True) == 2 and f(np.float64(3), False) == 3
    assert capsys.readouterr().out.splitlines() == ["training", "inference"]
    assert staged(f) == []


def test_the_body_of_a_loop_that_runs_no_round_is_traced(capsys):
    @tracefn.function
    def f(n, x):
        for _ in tracefn.range(n):
            print("body")
            x = x * 2
        return x

    assert f(np.int64(0), np.float64(3)) == 3 and f(np.int64(3), np.float64(3)) == 24
    assert capsys.readouterr().out == "body\n"


def test_a_for_over_an_array_goes_over_its_first_axis(capsys):
    @tracefn.function(input_signature=[TensorSpec((None, 2), np.int64)])
    def f(rows):
        total = np.zeros(2, np.int64)
        for row in rows:
            print("traced")
            total = total + row
        return total

    np.testing.assert_array_equal(f(np.array([[1, 2], [3, 4]])), [4, 6])
    np.testing.assert_array_equal(f(np.arange(200).reshape(100, 2)), [9900, 10000])
    np.testing.assert_array_equal(f(np.zeros((0, 2), np.int64)), [0, 0])
    assert capsys.readouterr().out == "traced\n"


def test_a_list_of_arrays_unrolls_and_an_array_of_them_does_not(capsys):
    @tracefn.function
    def of_list(a, b, c):
        for value in [a, b, c]:
            tracefn.print(value)

    @tracefn.function
    def of_array(a, b, c):
        for value in tracefn.convert_to_tensor([a, b, c] * 20):
            tracefn.print(value)

    values = [np.int64(v) for v in (1, 2, 3)]
    of_list(*values)
    assert capsys.readouterr().out.split() == ["1", "2", "3"]
    assert [n.op.name for n in of_list.concrete_functions[0].graph].count("print") == 3
    of_array(*values)
    assert capsys.readouterr().out.split() == ["1", "2", "3"] * 20
    assert [n.op.name for n in of_array.concrete_functions[0].graph].count("print") == 0


def test_a_condition_that_becomes_traced_after_a_round():
    """Not implemented in TensorFlow."""

    @tracefn.function
    def f(x):
        i = 0
        while i < 3:
            i = i + x
        return i

    assert f(np.int64(1)) == 3 and f(np.int64(2)) == 4
    assert f.tracing_count == 1


@pytest.mark.parametrize("start", [5, -5])
def test_a_traced_break_from_while_true(start):
    """Not implemented in TensorFlow."""

    @tracefn.function
    def f(x):
        while True:
            if x <= 0:
                break
            x = x - 1
        return x

    assert f(np.int64(start)) == min(start, 0)


def test_a_traced_break_and_return_in_a_loop_over_python_data():
    """Not implemented in TensorFlow."""

    @tracefn.function
    def until(x, limits):
        for limit in limits:
            if x > limit:
                break
            x = x * 2
        return x

    @tracefn.function
    def first_above(x, limits):
        for limit in limits:
            if limit > x:
                return limit + 0 * x
        return x

    for f in (until, first_above):
        for start in (0.5, 3.0, 100.0):
            assert f(np.float64(start), (1, 4, 16)) == f.python_function(np.float64(start), (1, 4, 16))
        assert f.tracing_count == 1


def test_continue_and_break_in_a_staged_loop():
    @tracefn.function
    def f(n):
        total = 0
        for i in tracefn.range(n):
            if i % 2 == 0:
                continue
            if i > 10:
                break
            total += i
        return total

    assert [f(np.int64(n)) for n in (0, 4, 100)] == [0, 4, 25]


def test_return_in_a_staged_loop():
    """Not implemented in TensorFlow."""

    @tracefn.function
    def first_factor(n):
        for d in tracefn.range(2, n):
            if n % d == 0:
                return d
        return n

    assert [first_factor(np.int64(n)) for n in (15, 49, 13)] == [3, 7, 13]
    assert first_factor.tracing_count == 1


def test_python_numbers_that_a_branch_changes_are_traced():
    @tracefn.function
    def f(x):
        i = 0
        if x > 0:
            i = 1
        return i, x * i

    assert f(np.float64(2)) == (1, 2.0) and f(np.float64(-2)) == (0, -0.0)


def test_logical_operators_conditional_expressions_and_comparisons():
    @tracefn.function
    def f(x, y):
        inside = 0 < x < 10 and not y < 0
        return (1.0 if inside or x == y else 0.0) + (x in (3, 4))

    for x in (-1.0, 3.0, 5.0, 20.0):
        for y in (-1.0, 5.0):
            assert f(np.float64(x), np.float64(y)) == f.python_function(np.float64(x), np.float64(y))
    assert f.tracing_count == 1


def test_and_and_or_do_not_run_what_they_need_not(capsys):
    @tracefn.function
    def f(x):
        def noisy(value):
            tracefn.print("asked")
            return value

        return x > 0 and noisy(x > 1)

    f(np.float64(-1))
    assert capsys.readouterr().out == ""
    f(np.float64(2))
    assert capsys.readouterr().out == "asked\n"


def test_assert_and_raise_fire_at_the_call():
    """In TensorFlow `assert` needs an option, and `raise` under a traced condition raises while tracing."""

    @tracefn.function
    def f(x):
        assert x < 10, f"{x} is too large"
        if x < 0:
            raise ValueError(f"{x} is negative")  # raise
        return np.sqrt(x)

    assert f(np.float64(4)) == 2
    with pytest.raises(AssertionError, match=r"12\.0 is too large"):
        f(np.float64(12))
    with pytest.raises(ValueError, match=r"-1\.0 is negative") as caught:
        f(np.float64(-1))
    assert line_of(f, "raise") in [entry.lineno + 1 for entry in caught.traceback]
    assert f.tracing_count == 1


def test_what_tensorflow_leaves_unconverted():
    """`for ... else`, `while ... else`, the walrus and `match` turn AutoGraph of TensorFlow off for a function."""

    @tracefn.function
    def f(values, kind):
        for value in values:
            if (square := value * value) > 50:
                break
        else:
            square = -1.0
        match kind:
            case 0:
                return square
            case 1 | 2:
                return -square
            case _:
                return square * 0

    for kind in range(4):
        for top in (3.0, 9.0):
            args = np.array([1.0, top]), np.int64(kind)
            assert f(*args) == f.python_function(*args)
    assert f.tracing_count == 1


def test_zip_enumerate_and_reversed_over_arrays():
    """Errors in TensorFlow."""

    @tracefn.function(input_signature=[TensorSpec((None,), float)] * 2)
    def f(x, y):
        total = 0.0
        for i, (a, b) in enumerate(zip(x, reversed(y), strict=True)):
            total += i * a * b
        return total

    for n in (50, 0, 3):
        x, y = np.arange(n, dtype=float), np.arange(n, dtype=float) + 1
        total = f(x, y)
        assert total == f.python_function(x, y)
        assert type(total) is type(f.python_function(x, y))
    assert f.tracing_count == 2  # without a round, the sum is the Python number that it was


def test_the_functional_forms():
    @tracefn.function
    def f(x):
        y = tracefn.cond(x > 0, lambda: x * 2, lambda: -x)
        return tracefn.while_loop(lambda y: y < 100, lambda y: (y * 3,), (y,))[0]

    assert f(np.int64(5)) == 270 and f(np.int64(-5)) == 135


def test_the_graph_grows_with_python_data():
    @tracefn.function
    def train(pairs):
        loss = np.zeros((), np.int64)
        for x, y in pairs:
            loss = loss + np.abs(y - x)
        return loss

    pairs = [(np.int64(1), np.int64(3))]
    assert size(train, pairs * 3) < size(train, pairs * 10)
    assert train(pairs * 3) == 6


def test_the_graph_does_not_grow_with_a_dataset():
    @tracefn.function
    def train(pairs):
        loss = np.zeros((), np.int64)
        for x, y in pairs:
            loss = loss + np.abs(y - x)
        return loss

    def generated(n):
        return Dataset.from_generator(
            lambda: iter([(1, 3)] * n), output_signature=(TensorSpec((), np.int64), TensorSpec((), np.int64))
        )

    def sliced(n):
        return Dataset.from_tensor_slices((np.full(n, 1), np.full(n, 3)))

    assert size(train, generated(3)) == size(train, generated(10))
    assert size(train, sliced(3)) == size(train, sliced(10))
    assert [train(make(n)) for make in (generated, sliced) for n in (3, 10)] == [6, 20, 6, 20]


def test_a_dataset_loop_with_break_and_return():
    @tracefn.function
    def first_above(data, limit):
        count = 0
        for value in data:
            if value > limit:
                return value, count
            count += 1
        return -1.0, count

    data = Dataset.from_tensor_slices(np.arange(100.0))
    assert first_above(data, np.float64(41.5)) == (42.0, 42)
    assert first_above(data, np.float64(200)) == (-1.0, 100)


def rnn_inputs(steps):
    return np.random.default_rng(steps).random((2, steps, 3))


def rnn(inputs):
    state, states = np.zeros((2, 3)), []
    for step in np.swapaxes(inputs, 0, 1):
        state = np.tanh(step + state)
        states.append(state)
    return np.swapaxes(np.array(states), 0, 1)


def test_a_dynamic_rnn_with_a_tensor_array():
    @tracefn.function(input_signature=[TensorSpec((2, None, 3), float)])
    def dynamic_rnn(inputs):
        inputs = np.transpose(inputs, (1, 0, 2))
        states = tracefn.TensorArray(float, size=inputs.shape[0])
        state = np.zeros((2, 3))
        for i in tracefn.range(inputs.shape[0]):
            state = np.tanh(inputs[i] + state)
            states = states.write(i, state)
        return np.transpose(states.stack(), (1, 0, 2))

    for steps in (1, 4, 50):
        np.testing.assert_array_equal(dynamic_rnn(rnn_inputs(steps)), rnn(rnn_inputs(steps)))
    assert dynamic_rnn.tracing_count == 1


def test_a_dynamic_rnn_with_a_list():
    """A list that grows in a staged loop is an error in TensorFlow."""
    traced = tracefn.function(rnn, input_signature=[TensorSpec((2, None, 3), float)])
    for steps in (1, 4, 50):
        np.testing.assert_array_equal(traced(rnn_inputs(steps)), rnn(rnn_inputs(steps)))
    assert traced.tracing_count == 1


def test_a_step_function_is_an_argument():
    def add(row, state):
        return row + state

    @tracefn.function
    def run(step, rows, state):
        for row in rows:
            state = step(row, state)
        return state

    rows = np.arange(100.0)
    assert run(add, rows, 0.0) == run(add, rows + 0, 0.0) == 4950
    assert run.tracing_count == 1
