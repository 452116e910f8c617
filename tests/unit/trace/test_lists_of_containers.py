"""Lists that loops of the graph fill with lists and dicts: each item stays an object of its own, or the call runs
eagerly."""

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree

CALLS = [(np.array(values, float),) for values in ([2, 0, 1, 1], [2, 1, 1, 0, 2, 2] * 8, [2, 4, 1, 1])]


def rows_of_dicts(x):
    found, k = [], 0
    while k < x.sum():
        row = {"k": k, "v": x[0] * k}
        row["z"] = row["v"] + 1
        found.append(row)
        k += 1
    return found, sum(r["z"] for r in found), [r["k"] for r in found if r["v"] > 2], found[0]["z"]


def rows_of_lists(x):
    rows = []
    for i in range(int(x.sum())):
        row = []
        for j in range(3):
            row.append(i * j)
        rows.append(row)
    return rows, [[0] * 3 for _ in range(int(x.sum()))], np.array(rows)


def path(x):
    points, k = [[0, 0]], 0
    while k < x.sum():
        px, py = points[-1]
        points.append([px + 1, py + k])
        k += 1
    return np.array(points), points


def made_by_a_function(x):
    def entry(depth, value):
        return {"depth": depth, "at": [value, 0.5]}

    waiting, taken = [entry(0, x[0])], 0
    while waiting:
        found = waiting.pop()
        taken += 1
        if found["depth"] < 3:
            waiting.append(entry(found["depth"] + 1, found["at"][0] * 2))
            waiting.insert(0, {"depth": found["depth"] + 2, "at": [x[1], found["at"][1]]})
    return taken


def popped_changed_and_put_back(x):
    waiting, n = [[0, 1.0]], 0
    while waiting and n < x.sum():
        entry = waiting.pop()
        entry[0] += 1
        entry[1] *= 2
        n += 1
        if n < 6:
            waiting.append(entry)
    return waiting, n


def comprehension(x):
    return [{"i": i, "at": ("q", v)} for i, v in enumerate(x) if v > 1]


@pytest.mark.parametrize(
    "program",
    [comprehension, made_by_a_function, path, popped_changed_and_put_back, rows_of_dicts, rows_of_lists],
    ids=lambda f: f.__name__,
)
def test_each_call_gives_the_list_of_eager_code(program):
    assert_all_agree(program, *CALLS)


def made_before_the_loop(x):
    found, base, k = [], [1, 2.0], 0
    while k < x.sum():
        found.append(base)
        k += 1
    return found


def put_twice(x):
    found, k = [], 0
    while k < x.sum():
        row = [k, 1.0]
        found.append(row)
        found.append(row)
        k += 1
    return found


def held_twice_by_one(x):
    found, k = [], 0
    while k < x.sum():
        part = [k]
        found.append({"p": part, "q": part})
        k += 1
    return found


def changed_after(x):
    found, k = [], 0
    while k < x.sum():
        row = [k, 1.0]
        if k > 1:
            found.append(row)
        row[0] = 9
        k += 1
    return found


def changed_by_another_name(x):
    found, k = [], 0
    while k < x.sum():
        row = [k, k + 1]
        other = row
        found.append(row)
        other[0] = -1
        k += 1
    return found


def last_is_kept(x):
    found, last, k = [], None, 0
    while k < x.sum():
        row = [k, 1.0]
        found.append(row)
        last = row
        k += 1
    last[0] = 100
    return found


def first_is_changed(x):
    found, k = [], 0
    while k < x.sum():
        found.append([k, 1.0])
        k += 1
    found[0][1] = 5.0
    first = found[1]
    first.append(3)
    return found, first


def first_or_none(x):
    rows = []
    for i in range(int(x.sum())):
        rows.append([i, x[0]])
    first = rows[0] if rows else None
    return rows, first


def popped_and_put_back_as_part_of_a_tuple(x):
    rows, last = [(i, [x[0]]) for i in range(2)], (5, [x[1]])
    for _ in range(int(x.sum())):
        last = rows.pop(0)
        rows.append(last)
    return rows, last


def put_into_two_lists(x):
    found, log, k = [], [], 0
    while k < x.sum():
        row = [k, 2.0]
        found.append(row)
        log.append(row)
        k += 1
    return found, log


def put_in_an_inner_loop(x):
    rows = []
    for i in range(int(x.sum())):
        row = [i]
        for _ in range(int(x[0])):
            rows.append(row)
    return rows


def copied(x):
    rows = []
    for i in range(int(x.sum())):
        rows.append([i])
    return rows, rows[1:], list(rows), [r for r in rows if r], rows + [[5]]


def begun_with_a_name(x):
    first, k = [0, 0], 0
    rows = [first]
    while k < x.sum():
        rows.append([k, 1])
        k += 1
    first[0] = 5
    return rows


STORE = {}


def stored(x):
    found, k = [], 0
    while k < x.sum():
        row = {"k": k}
        found.append(row)
        STORE["last"] = row
        k += 1
    return found, STORE["last"]


def peeked_and_popped(x):
    waiting, n = [[0, 1.0]], 0
    while waiting and n < x.sum():
        peek = waiting[-1]
        entry = waiting.pop()
        entry[0] += 1
        n += peek[0]
        if n < 6:
            waiting.append(entry)
    return waiting, n


@pytest.mark.parametrize(
    "program",
    [
        begun_with_a_name,
        changed_after,
        changed_by_another_name,
        copied,
        first_is_changed,
        first_or_none,
        held_twice_by_one,
        last_is_kept,
        made_before_the_loop,
        peeked_and_popped,
        popped_and_put_back_as_part_of_a_tuple,
        put_in_an_inner_loop,
        put_into_two_lists,
        put_twice,
        stored,
    ],
    ids=lambda f: f.__name__,
)
@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_items_stay_the_objects_that_they_are(program):
    traced = tracefn.function(program, on_unsupported="eager")
    for (x,) in CALLS:
        assert _shown(traced(x), {}) == _shown(program(x), {})


def _shown(value, seen):
    """The content of a result, with numbers for lists and dicts that are met again."""
    if not isinstance(value, list | dict | tuple):
        return repr(value)
    if not isinstance(value, tuple) and id(value) in seen:
        return seen[id(value)][0]
    seen[id(value)] = len(seen), value
    parts = value.items() if isinstance(value, dict) else value
    return type(value).__name__, [_shown(part, seen) for part in parts]
