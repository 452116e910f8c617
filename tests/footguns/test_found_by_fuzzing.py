"""Programs in which random testing found a traced function that did something else than NumPy, cut down."""

import numpy as np
import pytest
import tracefn
from tracefn.errors import InPlaceWriteError


def joined_value_that_may_be_the_argument(x, y):
    if y.sum() > 2:
        y = x + x
    x[...] = 4
    return y


def loop_variable_that_is_not_set_yet(x, y):
    if y.sum() > 0:
        x[i % 2] = 1  # noqa: F821
    for i in range(2):
        y[0] = i
    return x


def wrong_rank_for_a_diagonal_that_nobody_reads(x, y):
    v = y.sum(axis=0)
    for _ in range(2):
        w = v[:2] + 0
        np.fill_diagonal(w, 0)
    return x


def output_that_is_a_number(x, y):
    for _ in range(2):
        np.matmul(x[0], y[0], out=y)
        y = 0
    return x


def running_sum_into_an_array_of_another_shape(x, y):
    z = np.zeros((1, 3))
    np.cumsum(x[:0], axis=0, out=z)
    return x


def masked_output_that_is_too_small(x, y):
    v = x.sum(axis=0)
    np.add(x, v, out=v, where=v > 0)
    return x


def in_place_on_a_selection(x, y):
    x[x < 3] -= y[:1]
    return x


def result_of_unknown_length_into_an_array(x, y):
    if x.sum() > 0:
        z = np.abs(y[:1])
    else:
        z = np.abs(y)
    np.multiply(z, 2, out=x)
    return x


def element_of_a_number(x, y):
    v = x[0].sum()
    v.flat[1] = -2
    return x


def view_written_in_a_branch_of_a_loop(x, y):
    v = y[1:]
    for _ in range(5000):
        y += 1
        if y[0, 0] > 3:
            v *= 0.5
    return v


def array_that_a_loop_leaves_to_two_names(x, y):
    a, b = x * 1, y * 1
    for i in range(5000):
        a[0] = i
        b = a
    b[1] = 7
    return a, b


PROGRAMS = [value for value in list(globals().values()) if getattr(value, "__module__", "") == __name__]


def outcome(function, x, y):
    with np.errstate(all="ignore"):
        try:
            result = function(x, y)
        except InPlaceWriteError:
            raise
        except Exception as error:
            result = type(error)
    return result, x, y


@pytest.mark.parametrize("y", [np.ones((3, 3)), np.full((3, 3), -1.0), np.eye(3)], ids=["ones", "negative", "eye"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_as_eager_or_refused(program, y):
    traced = tracefn.function(program)
    for x in (np.arange(9.0).reshape(3, 3), np.ones((3, 3))):
        given = x.copy(), y.copy()
        try:
            got = outcome(traced, *given)
        except InPlaceWriteError:
            np.testing.assert_array_equal(given, (x, y))
            continue
        np.testing.assert_equal(got, outcome(program, x.copy(), y.copy()))


def test_most_are_traced():
    """Refused is only what may or may not share memory."""
    refused = set()
    for program in PROGRAMS:
        try:
            outcome(tracefn.function(program), np.ones((3, 3)), np.eye(3))
        except InPlaceWriteError:
            refused.add(program.__name__)
    assert refused <= {"joined_value_that_may_be_the_argument", "array_that_a_loop_leaves_to_two_names"}
