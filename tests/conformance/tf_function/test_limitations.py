"""AutoGraph's page of limitations: which of them hold here, and what the errors say."""

import dataclasses

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree
from conformance.tf_function.support import line_of
from tracefn import TensorSpec
from tracefn.errors import ControlFlowError

counter = np.zeros(())
NUMBERS = (np.float64(1),), (np.float64(-1),)


# Undefined values and None


def test_none_in_one_branch():
    """An error in TensorFlow."""

    @tracefn.function
    def f(x):
        if x > 0:
            y = x
        else:
            y = None
        return y

    assert f(np.float64(1)) == 1 and f(np.float64(-1)) is None and f.tracing_count == 1


def test_none_is_an_error_at_the_call_that_computes_with_it():
    @tracefn.function
    def f(x):
        y = None
        if x > 0:
            y = x
        return y + 1

    assert f(np.float64(1)) == 2
    with pytest.raises(TypeError, match="NoneType"):
        f(np.float64(-1))


def test_other_structures_in_two_branches():
    """An error in TensorFlow."""

    def f(x):
        if x > 0:
            y = x, x
        else:
            y = x
        return y

    assert_all_agree(f, *NUMBERS)


def test_a_variable_that_one_branch_sets_works_where_it_is_set():
    """An error in TensorFlow, wherever it is used later."""

    @tracefn.function
    def f(x):
        if x > 0:
            y = x * 2
        return y

    assert f(np.float64(3)) == 6
    with pytest.raises(UnboundLocalError, match="'y'"):
        f(np.float64(-3))
    assert f(np.float64(4)) == 8 and f.tracing_count == 1


def test_a_variable_of_one_branch_may_be_left_unused():
    @tracefn.function
    def f(x):
        if x > 0:
            y = x * 2
            x = y
        return x

    assert f(np.float64(3)) == 6 and f(np.float64(-3)) == -3


def test_a_variable_that_a_loop_sets_works_where_a_round_runs():
    @tracefn.function
    def f(n):
        while n > 0:
            y = n * 10
            n = n - 1
        return y

    assert f(np.int64(3)) == 10
    with pytest.raises(UnboundLocalError, match="'y'"):
        f(np.int64(0))


def test_a_variable_local_to_a_loop_needs_no_value_before():
    @tracefn.function
    def f(n):
        total = np.zeros((), np.int64)
        while n > 0:
            square = n * n
            total = total + square
            n = n - 1
        return total

    assert f(np.int64(3)) == 14 and f(np.int64(0)) == 0


def test_a_default_before_the_branch():
    @tracefn.function
    def f(x):
        y = 0
        if x > 0:
            y = 1
        return y

    assert f(np.float64(1)) == 1 and f(np.float64(-1)) == 0


def test_a_return_in_one_branch_only():
    """An error in TensorFlow."""

    @tracefn.function
    def f(x):
        if x > 0:
            return x

    assert f(np.float64(1)) == 1 and f(np.float64(-1)) is None and f.tracing_count == 1


def test_none_before_a_loop():
    """An error in TensorFlow."""

    @tracefn.function
    def f(n):
        last = None
        while n > 0:
            last = n
            n = n - 1
        return last

    assert f(np.int64(2)) == 1 and f(np.int64(0)) is None and f.tracing_count == 1


# Changes that are hidden in functions, methods and closures


def test_a_global_that_a_called_function_changes_in_a_loop():
    """Not seen by TensorFlow."""
    global counter

    def change():
        global counter
        counter = counter + 1

    @tracefn.function
    def f(x):
        while x > 0:
            change()
            x = x - 1
        return counter * 1

    counter = np.zeros(())
    assert f(np.int64(3)) == 3
    assert counter == 3


def test_a_method_that_changes_its_object_in_a_loop():
    """Not seen by TensorFlow."""

    class Counter:
        def __init__(self):
            self.y = np.zeros(1)

        def change(self):
            self.y = self.y + 1

    @tracefn.function
    def f(x, c):
        while x > 0:
            c.change()
            x = x - 1
        return c.y * 1

    c = Counter()
    assert f(np.int64(3), c) == 3 and c.y == 3
    assert f(np.int64(2), c) == 5 and c.y == 5
    assert f.tracing_count == 1


def test_attributes_items_and_lists_of_fixed_structure_in_a_loop():
    class Holder:
        def __init__(self, field):
            self.field = field

    @tracefn.function
    def f(x):
        holder, items, named = Holder(x), [x], {"field": x}
        while holder.field > 0:
            holder.field -= 1
            items[0] += 2
            named["field"] -= 3
        return holder.field, items[0], named["field"]

    assert f(np.int64(3)) == (0, 9, -6) and f(np.int64(0)) == (0, 0, 0)


def test_objects_that_methods_give_back_in_a_loop():
    @dataclasses.dataclass(frozen=True)
    class State:
        y: np.ndarray

        def change(self):
            return State(self.y + 1)

    @tracefn.function
    def f(x, state):
        while x > 0:
            state = state.change()
            x = x - 1
        return state

    assert f(np.int64(3), State(np.float64(1))).y == 4


def test_a_tensor_array_that_a_called_function_writes():
    """An error in TensorFlow, where the result of `write` must be assigned."""

    def change(found, i):
        found.write(i, i * i)

    @tracefn.function
    def f(n):
        found = tracefn.TensorArray(np.int64, dynamic_size=True)
        for i in tracefn.range(n):
            change(found, i)
        return found.stack()

    np.testing.assert_array_equal(f(np.int64(4)), [0, 1, 4, 9])


def test_closures_see_what_a_loop_assigns(capsys):
    """TensorFlow: a local function does, a lambda prints 0."""

    @tracefn.function
    def f(n):
        a = 0

        def local():
            tracefn.print(a)

        show = lambda: tracefn.print(a)  # noqa: E731
        for i in tracefn.range(n):
            a = i
        local()
        show()

    f(np.int64(3))
    assert capsys.readouterr().out.split() == ["2", "2"]


def test_a_closure_over_a_variable_that_only_a_loop_sets():
    """An error here as in TensorFlow: where it is not set, Python raises."""

    @tracefn.function
    def f(n):
        def local():
            return a * 10  # read

        for i in tracefn.range(n):
            a = i
        return local()

    with pytest.raises(ControlFlowError, match=rf"`a`(.|\n)*line {line_of(f, 'read')}"):
        f(np.int64(3))


# Python collections


def test_a_list_that_grows_in_a_loop():
    """An error in TensorFlow."""

    @tracefn.function
    def f(n):
        found = []
        for i in tracefn.range(n):
            found.append(i * 2)
        return np.array(found), len(found)

    for n in (1, 5, 100):
        values, length = f(np.int64(n))
        np.testing.assert_array_equal(values, np.arange(n) * 2)
        assert length == n
    assert f.tracing_count == 1


def test_a_list_that_grows_in_while_loop_form():
    """An error in TensorFlow."""

    @tracefn.function
    def f(n):
        found = []

        def body(i):
            found.append(i)
            return (i + 1,)

        tracefn.while_loop(lambda i: i < n, body, (0,))
        return np.array(found)

    np.testing.assert_array_equal(f(np.int64(4)), np.arange(4))


def test_a_list_that_loses_items_in_a_loop():
    """An error in TensorFlow."""

    @tracefn.function
    def f(n):
        found = [n, n]
        while n > 0:
            found.pop()
            n = n - 1
        return found

    assert f(np.int64(2)) == [] and f(np.int64(1)) == [1] and f(np.int64(0)) == [0, 0] and f.tracing_count == 1
    with pytest.raises(IndexError, match="pop from empty list"):
        f(np.int64(3))


def test_a_key_that_a_branch_adds():
    """An error in TensorFlow."""

    def f(x):
        found = {}
        if x > 0:
            found["y"] = x
        return found

    assert_all_agree(f, *NUMBERS)
    assert_all_agree(lambda x: (f(x), x), *NUMBERS)


def test_a_dict_is_changed_at_each_of_its_keys():
    """An illegal capture in TensorFlow."""

    @tracefn.function
    def f(n):
        d = {"a": n * 1, "b": n * 2}
        for i in tracefn.range(n):
            for key in d:
                d[key] += i
        return d

    assert f(np.int64(4)) == {"a": 10, "b": 14}


def test_a_dict_that_is_made_anew_in_each_round():
    @tracefn.function
    def f(n):
        d = {"a": n * 1}
        for i in tracefn.range(n):
            d = {key: value + i for key, value in d.items()}
        return d

    assert f(np.int64(4)) == {"a": 10}


def test_item_assignment():
    """Not possible on a tensor."""

    @tracefn.function
    def f(x):
        y = np.zeros(3)
        for i in tracefn.range(3):
            if x[i] > 0:
                y[i] = x[i]
        return y

    np.testing.assert_array_equal(f(np.array([1.0, -2.0, 3.0])), [1, 0, 3])


# Dtypes and shapes


def test_dtypes_that_differ_between_branches():
    """An error in TensorFlow."""

    def f(x):
        if x > 0:
            y = np.zeros(2, np.int32)
        else:
            y = np.zeros(2, np.float32)
        return y

    assert_all_agree(f, *NUMBERS)


def test_python_numbers_that_differ_between_branches():
    """A TypeError in TensorFlow (`1` in one branch, `2.` in the other)."""

    @tracefn.function
    def f(x):
        if x > 0:
            y = 1
        else:
            y = 2.5
        return x * y

    assert f(np.float64(3)) == 3 and f(np.float64(-2)) == -5


def test_lengths_that_differ_between_branches():
    @tracefn.function
    def f(x):
        if x.sum() > 0:
            y = x[:2]
        else:
            y = np.concatenate([x, x])
        return y * 2

    np.testing.assert_array_equal(f(np.ones(3)), [2, 2])
    np.testing.assert_array_equal(f(-np.ones(3)), np.full(6, -2))
    assert f.tracing_count == 1


def test_ranks_that_differ_between_branches():
    """An error in TensorFlow."""

    def f(x):
        if x.sum() > 0:
            y = x
        else:
            y = x.sum()
        return y

    assert_all_agree(f, (np.ones(3),), (-np.ones(3),))


def test_structures_that_differ_between_branches():
    """An error in TensorFlow."""

    def f(x):
        if x > 0:
            y = (x, x)
        else:
            y = (x,)
        return y

    assert_all_agree(f, *NUMBERS)


def test_a_dtype_that_a_loop_changes():
    """An error in TensorFlow."""

    def f(x):
        while x.sum() < 10:
            x = x.astype(np.float32) * 2
        return x

    assert_all_agree(f, (np.ones(2),), (np.full(2, 9.0),))


def test_a_python_number_before_a_loop_takes_the_dtype_of_the_body():
    """A TypeError in TensorFlow."""

    @tracefn.function
    def f(values):
        total = 0
        for value in values:
            total = total + value
        return total

    got = f(np.arange(100, dtype=np.float32))
    assert got == 4950 and got.dtype == np.float32


def test_a_shape_that_a_loop_changes():
    @tracefn.function
    def f(x):
        while x.sum() < 10:
            x = np.stack([x, x])  # round
        return x

    with pytest.raises(ControlFlowError, match=rf"`x`(.|\n)*line {line_of(f, 'round')}"):
        f(np.ones(2))


def test_a_length_that_a_loop_changes():
    """In TensorFlow the loop needs `shape_invariants`."""

    @tracefn.function
    def f(n):
        v = np.zeros(0)
        for _ in tracefn.range(n):
            v = np.concatenate([v, np.ones(1)])
        return v

    for n in (0, 3, 50):
        np.testing.assert_array_equal(f(np.int64(n)), np.ones(n))
    assert f.tracing_count == 1


def test_a_condition_that_is_no_single_bool():
    @tracefn.function
    def f(x):
        if x > 0:
            return x
        return -x

    with pytest.raises(ValueError, match="ambiguous"):
        f(np.ones(3))


def test_an_index_out_of_range_in_a_branch_that_does_not_run():
    """TensorFlow refuses it while tracing, where the length is known."""

    @tracefn.function
    def f(x, n):
        if n > 4:
            value = x[4]
        else:
            value = -1.0
        return value

    assert f(np.ones(3), np.int64(3)) == -1
    with pytest.raises(IndexError):
        f(np.ones(3), np.int64(5))


def test_an_index_that_the_shape_guards():
    def f(x):
        if x.shape[0] > 4:
            return x[4]
        return -1.0

    fixed = tracefn.function(f)
    assert fixed(np.ones(3)) == -1 and fixed(np.arange(9.0)) == 4
    declared = tracefn.function(f, input_signature=[TensorSpec((None,), float)])
    assert declared(np.ones(3)) == -1 and declared(np.arange(9.0)) == 4 and declared(np.ones(2)) == -1


# try and except


def test_errors_while_tracing_are_caught_and_a_staged_raise_in_a_try_is_refused():
    @tracefn.function
    def caught(x):
        try:
            return x @ np.ones(5)
        except ValueError:
            return x.sum()

    assert caught(np.ones(3)) == 3

    @tracefn.function
    def refused(x):
        try:
            if x < 0:
                raise ValueError("negative")
        except ValueError:
            x = -x
        return x

    with pytest.raises(tracefn.TracefnError, match="try"):
        refused(np.float64(-1))


def test_a_finally_runs():
    @tracefn.function
    def f(x):
        y = x
        try:
            if x > 0:
                y = x * 2
        finally:
            y = y + 1
        return y

    assert f(np.float64(2)) == 5 and f(np.float64(-2)) == -1
