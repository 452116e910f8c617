"""What the arrays outside hold when a function raises after it has written into them: what eager execution leaves."""

from fractions import Fraction

import numpy as np
import pytest
import tracefn

captured = np.zeros(4)


def at_an_index(x, n):
    x[0] = 1
    x[n] = 2
    x[1] = 3


def in_a_library_call(x, n):
    x[0] = 1
    x[1:] += np.linalg.inv(np.zeros((3, 3)))[n % 3]
    x[2] = 3


def through_a_view(x, n):
    view = x[::-1]
    view[0] = 1
    view[n] = 2


def into_a_captured_array(x, n):
    captured[1] += 1
    x[n] = 2


def before_a_branch(x, n):
    x[0] = 1
    if n > 3:
        raise ValueError("too far")
    x[1] = 2


def in_a_loop(x, n):
    x[3] = 5
    for i in range(n):
        x[i] = i + 1
        if x[i + 1] > 4:
            raise ValueError("too large")
    x[0] = 9


def in_a_nested_loop(x, n):
    for i in range(n):
        for j in range(i):
            x[j] += i
            if i > 2:
                raise ValueError("too far")


def after_a_branch(x, n):
    if n > 3:
        x[0] = 1
    x[n] = 2


def by_a_ufunc(x, n):
    np.add.at(x, [0, 0, 1], 1)
    np.add(x, np.ones(n), out=x)


def in_a_branch_that_raises(x, n):
    x[0] = 1
    if n > 3:
        x[1] = 2
        x[::2] += x[1]
        raise ValueError("too far")
    x[3] = 2


def in_a_branch_alone(x, n):
    if n > 3:
        x[1:] = x[:-1] + 5
        raise ValueError("too far")
    return x + 1


def in_nested_branches_of_a_loop(x, n):
    view = x[::-1]
    for i in range(n):
        view[i] = i + 1
        if i > 1:
            x[0] -= 1
            if x[1] > 0:
                x[1] = captured[0] = 99
                raise ValueError(f"{x[1]} is too large")


def by_numpy_in_a_branch(x, n):
    old, twice = x.copy(), x * 2
    x[0] = 7
    if n > 3:
        x[1] = old[0] + 3
        x @ np.zeros((9, 9))
    x += twice


def with_values_in_the_text(x, n):
    x[2] = 5
    raise ValueError(f"{x.sum()} {n}")


def while_tracing(x, n):
    x[0] = 1
    x @ np.zeros(3)


PROGRAMS = [
    at_an_index, in_a_library_call, through_a_view, into_a_captured_array, before_a_branch, in_a_loop, in_a_nested_loop,
    after_a_branch, by_a_ufunc, in_a_branch_that_raises, in_a_branch_alone, in_nested_branches_of_a_loop,
    by_numpy_in_a_branch, with_values_in_the_text, while_tracing,
]  # fmt: skip


def outcome(function, n):
    captured[...] = 0
    x = np.zeros(4)
    with pytest.raises(Exception) as raised:
        function(x, n)
    return raised.type, x.tolist(), captured.tolist()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_the_arrays_hold_what_eager_execution_leaves(program):
    n = np.int64(7)
    traced = tracefn.function(program)
    expected = outcome(program, n)
    assert any(any(values) for values in expected[1:])
    assert outcome(traced, n) == expected
    assert outcome(traced, n) == expected  # a call that finds its trace, where there is one


def test_attributes_hold_what_eager_execution_leaves():
    class Total:
        def __init__(self):
            self.value, self.rows = np.zeros(2), 0

        @tracefn.function
        def add(self, x, i):
            self.value = self.value + x
            return x[i]

    total = Total()
    total.add(np.ones(2), np.int64(1))
    with pytest.raises(IndexError):
        total.add(np.ones(2), np.int64(5))
    assert total.value.tolist() == [2, 2]


class Draws:
    def __init__(self):
        self.seen, self.spent = [], Fraction(1, 2)
        self.rng = np.random.default_rng(0)


def draws_in_a_branch(draws, x):
    if x > 0:
        draws.seen.append(draws.rng.random())
        raise ValueError("too large")


def draws_before_a_branch(draws, x):
    draw = draws.rng.random()
    if x > 0:
        draws.seen.append(x)
        raise ValueError("too large")
    return draw


def draws_in_a_loop(draws, x):
    for _ in range(x):
        draws.seen.append(draws.rng.random())
        raise ValueError("too many")


def draws_in_a_call(draws, x):
    @tracefn.function
    def inner():
        draws.seen.append(draws.rng.random())
        raise ValueError("too large")

    return [inner()]


def steps_in_a_call(draws, x):
    @tracefn.function(on_unsupported="eager")
    def inner():
        draws.seen.append(x)
        draws.spent += Fraction(1, 2)
        if x > 0:
            raise ValueError("too large")

    return [inner()]


@pytest.mark.parametrize(
    "program",
    [draws_in_a_branch, draws_before_a_branch, draws_in_a_loop, draws_in_a_call, steps_in_a_call],
    ids=lambda p: p.__name__,
)
def test_changes_of_bodies_that_raise_after_draws_and_steps_stay(program):
    eager, traced, function = Draws(), Draws(), tracefn.function(program, on_unsupported="eager")
    for x in (2, np.int64(2), np.int64(3)):
        for draws, f in ((eager, program), (traced, function)):
            with pytest.raises(ValueError, match="too"):
                f(draws, x)
    assert len(eager.seen) == 3
    assert (traced.seen, traced.spent) == (eager.seen, eager.spent)
    assert traced.rng.random() == eager.rng.random()
