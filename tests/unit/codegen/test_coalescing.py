"""Copy coalescing: a value has the name of the result it becomes, where nothing reads the value of before any more."""

import numpy as np
import pytest
import tracefn


def traced(function, *args):
    return tracefn.function(function, name="f", jit="off").get_concrete_function(*args).program


def body(text):
    """The lines inside of a program's loop."""
    return [line[8:] for line in text.splitlines() if line.startswith(" " * 8)]


def test_the_value_of_the_next_round_is_computed_under_its_name():
    def f(x):
        total = best = x[0]
        for v in x:
            total = total + v
            if total > best:
                best = total * 2
        return best

    assert body(traced(f, np.arange(40))) == ["s0 = s0 + v3", "v4 = v2 < s0", "if v4:", "    v2 = s0 * 2"]


def test_a_list_has_one_name_before_and_after_it_changes():
    def f(x):
        found = []
        for v in x:
            if v > 0:
                found.append(v)
            found.append(v)
            found.pop()
        return len(found)

    text = traced(f, np.arange(40))
    assert body(text) == ["v4 = v2 > 0", "if v4:", "    v0.append(v2)", "v0.append(v2)", "v0.pop(-1)"]
    assert "= v0" not in text


def test_a_changed_list_is_freed_after_its_last_use():
    def f(x):
        rows = []
        for v in x:
            rows.append(v * x)
        return np.array(rows) @ x

    text = traced(f, np.ones(40))
    assert text.count("del v0") == 1 and text.index(".append") < text.index("np.array(") < text.index("del v0")


def swapped(x, a, b):
    for v in x:
        a, b = b, (a + b) % v
    return a, b


def read_after_it_is_replaced(x, a, b):
    for v in x:
        new = a + v
        b = b + a if new > 4 else a
        a = new
    return a, b


def nested(x, a, b):
    for v in x:
        old = a
        for w in x:
            a = a + w
            if a > v:
                a, b = b, a - old
        b = b + old
    return a, b


def broken(x, a, b):
    for v in x:
        a = a + v
        if a > 6:
            b = a - b
            break
        b = b + 1
    return a, b


def two_variables_of_one_value(x, a, b):
    for v in x:
        a = b = (a + b) * v % 7
        if a == 3:
            b = a + 1
    return a, b


def written_arrays(x, a, b):
    w, z = np.zeros(3), np.ones(3)
    for v in x:
        old = w
        w = w + a
        z[1] += old[0] + v
        w, z = z, w
    return w, z


@pytest.mark.parametrize(
    "function",
    [
        swapped,
        read_after_it_is_replaced,
        nested,
        broken,
        two_variables_of_one_value,
        written_arrays,
    ],
)
def test_values_are_read_before_their_names_are_taken(function):
    f = tracefn.function(function, jit="off")
    for values in ([3, 1, 4, 1, 5], [2, 7, 1, 8]):
        args = np.resize(values, 40), np.int64(2), np.int64(3)
        assert "for " in f.get_concrete_function(*args).program
        for found, expected in zip(f(*args), function(*args), strict=True):
            np.testing.assert_array_equal(found, expected)
    assert not f.fallbacks
