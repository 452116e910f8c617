"""A loop writes into an array of the function's own that another name holds, however that name was bound to it."""

import linecache

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree

BINDINGS = """
w = y
w = x if n == 3 else y
w = passed(y)
w = passed(t=y)
w = n == 3 or y
w = n == 2 and y
w = y if m > 100 else y
(w := y)
w = [y, x][0]
w, v = [y, x]
w = {"a": y}["a"]
w = dict(a=y).pop("a")
w = (lambda: y)()
w = [p for p in [y]][0]
w = next(iter([y]))
w = np.asarray(y)
w = y.real
w = y.astype(float, copy=False)
w = y[...]
for _, w in enumerate([y]): pass
""".strip().splitlines()


def passed(t):
    return t


def program(binding):
    source = f"""
def program(x, z, n, m):
    y = x + 1
    {binding}
    for i in range(m):
        if n == 5:
            y = y.copy()
        else:
            y[1] -= 1
            z[0] = w.sum()
    return w
"""
    file = f"<{binding}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names = {"passed": passed, "np": np}
    exec(compile(source, file, "exec"), names)
    return names["program"]


@pytest.mark.parametrize("binding", BINDINGS)
def test_what_the_loop_writes_is_seen(binding):
    assert_all_agree(
        program(binding), *[(np.ones((4, 5)), np.ones(5), n, np.int64(m)) for n in (2, 5) for m in (0, 1, 2)]
    )


def read_by_the_condition(y, m):
    y = y + 1
    w = passed(y)
    i = 0
    while i < m and w.sum() < 10:
        y[0] += 1
        i += 1
        if y[0] > 7:
            y = y.copy()
    return w, y


def let_go_in_a_round(y, m):
    y = y + 1
    w = passed(y)
    for i in range(m):
        y[0] += 1
        if i == 1:
            y = y.copy()
    return w, y


def swapped_with_a_choice(x, m):
    b = np.ones(3)
    if x.sum() > 100:
        x = x * x
    for _ in range(m):
        b, x = x, b
        x[0] = x[1] * 0.5
        x *= 0.5
    return x, b


@pytest.mark.parametrize("function", [read_by_the_condition, let_go_in_a_round, swapped_with_a_choice])
def test_which_array_is_written_into(function):
    assert_all_agree(function, *[(np.arange(3.0) * k, np.int64(m)) for k in (1, 60) for m in range(5)])


def test_what_is_not_followed_runs_eagerly():
    def let_go_in_each_round(y, m):
        y = y + 1
        w = passed(y)
        for _ in range(m):
            y[0] += 1
            y = y.copy()
        return w, y

    traced = tracefn.function(let_go_in_each_round, on_unsupported="eager")
    for m in range(3):
        np.testing.assert_equal(traced(np.ones(3), np.int64(m)), let_go_in_each_round(np.ones(3), m))
