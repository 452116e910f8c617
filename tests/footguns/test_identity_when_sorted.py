"""Lists, dicts and arrays from outside that are sorted by traced keys stay the objects that they are."""

import sys

import numpy as np
import pytest
import tracefn

EAGERLY = tracefn.function(on_unsupported="eager")


def rows_of(kind):
    return [kind(key, np.full(2, key)) for key in (2.0, 3.0, 1.0)]


def sorted_in_place(rows, x):
    rows[0][0] = rows[0][0] * x[0]
    rows.sort(key=lambda row: row[0])


def first_is_changed(rows, x):
    sorted(rows, key=lambda row: row[0] * x[0])[0][0] = 9.0


def first_array_is_written(rows, x):
    sorted(rows, key=lambda row: row[0] * x[0])[0][1][0] = 9.0


def beside_numbers(rows, x):
    rows[:] = [row for _, row in sorted(zip(x, rows, strict=True), key=lambda pair: pair[0])]


CODE = [sorted_in_place, first_is_changed, first_array_is_written, beside_numbers]
KINDS = [lambda key, array: [key, array], lambda key, array: {0: key, 1: array}]


@pytest.mark.parametrize("code", CODE)
@pytest.mark.parametrize("kind", KINDS, ids=["lists", "dicts"])
@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_the_rows_are_those_of_before(code, kind):
    def after(decorate):
        rows = rows_of(kind)
        held = list(rows)
        step = decorate(lambda x: code(rows, x))
        for x in ([1.0, 2.0, 3.0], [4.0, 1.0, 2.0], [-1.0, 3.0, 0.0]):
            step(np.array(x))
        return repr(rows), [[row is other for other in held] for row in rows]

    assert after(EAGERLY) == after(lambda f: f)


def test_arrays_in_tuples_are_those_of_before():
    pairs = [(2.0, np.ones(2)), (1.0, np.zeros(2))]

    @tracefn.function
    def step(x):
        return sorted(pairs, key=lambda pair: pair[0] * x[0])[0][1]

    assert step(np.array([1.0])) is pairs[1][1]
    assert step(np.array([-1.0])) is pairs[0][1]
    assert step.tracing_count == 1


def test_a_list_of_the_function_that_is_sorted_and_changed_is_the_same_list():
    @EAGERLY
    def step(x):
        rows = [[x[0], 0], [x[1], 0]]
        sorted(rows, key=lambda row: row[0])[0][1] += 1
        return rows

    with pytest.warns(tracefn.errors.FallbackWarning):
        assert step(np.array([2.0, 1.0])) == [[2.0, 0], [1.0, 1]]


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="each object is a flag")
def test_a_text_is_no_flag():
    traced = tracefn.function(lambda x: (sorted([], key=abs, reverse="a"), x.sum()))
    for _ in range(2):
        with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
            traced(np.ones(2))
