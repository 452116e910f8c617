"""Lists and dicts of which a traced value selects one are the objects of eager code, where code sees which they are."""

import types

import numpy as np
import pytest
import tracefn

CALLS = [np.array(values) for values in ([1.0, 2.0, 3.0], [2.0, 1.0, 3.0], [2.0, 2.0, 0.0])]


def rows_of(x):
    return [[x[1], 1.0], [x[0], 2.0]]


def picked(x):
    rows = rows_of(x)
    return rows[int(x[0]) - 1], rows


def picked_twice(x):
    rows = rows_of(x)
    return rows[int(x[0]) - 1], rows[int(x[1]) - 1]


def picked_and_changed(x):
    rows = rows_of(x)
    row = rows[int(x[0]) - 1]
    rows[0][0] = 99.0
    return row


def picked_in_a_tuple(x):
    rows = [(x[1], [1.0]), (x[0], [2.0])]
    row = rows[int(x[0]) - 1]
    rows[0][1].append(3.0)
    return row


def asked(x):
    rows = rows_of(x)
    return rows[int(x[0]) - 1] is rows[0], sorted(rows, key=lambda row: row[0])[0] is rows[1]


def beside_their_order(x):
    rows = [{"a": x[1]}, {"a": x[0]}]
    return rows, sorted(rows, key=lambda row: row["a"])


def in_two_orders(x):
    rows = rows_of(x)
    return sorted(rows, key=lambda row: row[0]), sorted(rows, key=lambda row: -row[0])


def with_a_part_in_common(x):
    common = [x[1]]
    return sorted([[x[1], common], [x[0], common]], key=lambda row: row[0])


def one_of_them_twice(x):
    row = [x[1]]
    return sorted([row, row, [x[0]]], key=lambda row: row[0])


def best_of_each_round(x):
    rows, best = [[v * k for v in x] for k in range(4)], []
    for _ in range(3):
        rows = sorted(rows, key=lambda row: row[0] * x[1])[:2]
        best.append(rows[0])
        rows += [[v + 1 for v in row] for row in rows]
    return best


def stored(x):
    kept = types.SimpleNamespace(rows=rows_of(x))
    kept.first = kept.rows[int(x[0]) - 1]
    return [kept.rows, kept.first]


SEEN = [
    asked, beside_their_order, best_of_each_round, in_two_orders, one_of_them_twice, picked, picked_and_changed,
    picked_in_a_tuple, picked_twice, stored, with_a_part_in_common,
]  # fmt: skip


def least(x):
    rows = rows_of(x)
    return rows, min(rows, key=lambda row: row[0]), max(rows, key=lambda row: row[0])


def sorted_twice(x):
    rows = rows_of(x)
    rows.sort(key=lambda row: row[0])
    rows.sort(key=lambda row: -row[1])
    return rows, rows[0], rows[:1]


def generations(x):
    rows = [[v * k for v in x] for k in range(4)]
    for _ in range(3):
        rows = sorted(rows, key=lambda row: row[0] * x[1])[:2]
        rows += [[v + 1 for v in row] for row in rows]
    return rows


def selected_alone(x):
    rows = rows_of(x)
    return rows[np.argmin([row[0] for row in rows])]


STAGED = [generations, least, selected_alone, sorted_twice]


def objects(value, numbers):
    """The structure of a value, with a number for each list and dict in it."""
    if not isinstance(value, list | dict | tuple):
        return repr(value)
    number = None if isinstance(value, tuple) else numbers.setdefault(id(value), len(numbers))
    held = value.items() if isinstance(value, dict) else value
    return type(value).__name__, number, [objects(v, numbers) for v in held]


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
@pytest.mark.parametrize("program", SEEN, ids=lambda f: f.__name__)
def test_lists_are_the_objects_of_eager_code(program):
    alike(program, on_unsupported="eager")


@pytest.mark.parametrize("program", STAGED, ids=lambda f: f.__name__)
def test_lists_that_nothing_else_may_be_stay_in_the_graph(program):
    alike(program, on_unsupported="error")


def alike(program, **options):
    traced = tracefn.function(program, **options)
    for x in CALLS:
        mine, theirs = traced(x), program(x)
        assert objects(mine, {}) == objects(theirs, {})
