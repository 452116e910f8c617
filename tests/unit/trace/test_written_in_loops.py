"""Arrays that a loop changes by items or `op=` are carried from the start: the body's Python code runs once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tracefn

RUNS: list[int] = []


@tracefn.autograph.do_not_convert
def ran() -> None:
    RUNS.append(1)


def fills(x: Any, n: Any) -> Any:
    made = np.zeros(4)
    for i in range(n):
        ran()
        made[i] = x[i] * 2
        x[i] += made[i]
    return made


def nested(x: Any, n: Any) -> Any:
    table = np.zeros((4, 4))
    for i in range(n):
        for j in range(i):
            ran()
            table[i, j] = x[i] - x[j]
            x[j] = table[i][j]
    return table


def rows(x: Any, n: Any) -> Any:
    table = np.zeros((4, 2))
    for i in range(n):
        ran()
        table[i][0] = x[i]
    return table


def through_a_view(x: Any, n: Any) -> Any:
    tail = x[1:]
    for i in range(n - 1):
        ran()
        tail[i] = x[i] + 1
    return x.sum()


def as_long_as(x: Any, n: Any) -> Any:
    while x[0] < n:
        ran()
        x[0] += 1
    return x


def augments(x: Any, n: Any) -> Any:
    tail, total = x[1:], 0.0
    for _ in range(n):
        ran()
        moved = x * 2
        tail += moved[1:]
        x *= 0.5
        total += x[0]
    return total


def augments_as_long_as(x: Any, n: Any) -> Any:
    rounds = 0
    while x[1] < n:
        ran()
        x += 1
        rounds += 1
    return rounds


def by_out(x: Any, n: Any) -> Any:
    total = np.zeros(4)
    for i in range(n):
        ran()
        np.add(total, x * i, out=total)
        np.multiply(x[1:], 2, out=x[1:])
    return total


def by_calls(x: Any, n: Any) -> Any:
    made, counts = np.ones(4), np.zeros(4)
    for i in range(n):
        ran()
        made.fill(x[i])
        np.copyto(x, made * 2 + np.sort(x))
        np.add.at(counts, i, made[0])
    return counts


BODIES = [fills, nested, rows, through_a_view, as_long_as, augments, augments_as_long_as, by_out, by_calls]


@pytest.mark.parametrize("function", BODIES)
def test_the_body_runs_once(function: Callable[..., Any]) -> None:
    x = np.arange(4.0)
    given, expected = x.copy(), x.copy()
    RUNS.clear()
    found = tracefn.function(function)(given, np.int64(4))
    assert len(RUNS) == 1
    np.testing.assert_array_equal(found, function(expected, 4))
    np.testing.assert_array_equal(given, expected)


def test_a_loop_that_needs_numbers_for_arrays_is_not_traced_again_before() -> None:
    def until_it_stays(x: Any, n: Any) -> Any:
        centre = x[:2].copy()
        for _ in range(n):
            ran()
            new = centre.copy()
            new[0] = (new[0] + new[1]) / 2
            if np.allclose(new, centre):
                break
            centre = new
        return centre

    RUNS.clear()
    x = np.array([1.0, 9.0])
    found = tracefn.function(until_it_stays)(x, np.int64(100))
    assert len(RUNS) == 3  # once as it is, to find the arrays, and with their numbers
    np.testing.assert_array_equal(found, until_it_stays(x, 100))


def perhaps_never(x: Any, n: Any, sets: bool) -> Any:
    total = 0.0
    for i in range(n):
        ran()
        if sets:
            x[i] = 0
        total += x[i]
    return total


def test_what_is_not_set_after_all_is_not_carried() -> None:
    x = np.arange(4.0)
    x.flags.writeable = False
    f = tracefn.function(perhaps_never)
    assert f(x, np.int64(3), False) == 3
    assert "[" not in f.get_concrete_function(x, np.int64(3), False).program.partition("for ")[0]
    given = np.arange(4.0)
    assert f(given, np.int64(3), True) == 0
    assert given.tolist() == [0, 0, 0, 3]


def also_bound(x: Any, n: Any) -> Any:
    for i in range(n):
        x += i
        if i == 1:
            x = x * 2
    return x


def of_a_number(x: Any, n: Any) -> Any:
    for i in range(n):
        n += i
    return n


def perhaps_augmented(x: Any, n: Any, changes: bool = False) -> Any:
    y = x
    for i in range(n):
        if changes:
            y += i
    return y


@pytest.mark.parametrize("function", [also_bound, of_a_number, perhaps_augmented])
def test_only_arrays_that_keep_their_names_are_kept(function: Callable[..., Any]) -> None:
    given, expected = np.arange(4.0), np.arange(4.0)
    found = tracefn.function(function)(given, np.int64(4))
    np.testing.assert_array_equal(found, function(expected, np.int64(4)))
    np.testing.assert_array_equal(given, expected)


def not_bound(n: Any) -> Any:
    for i in range(n):
        if i < 0:
            nothing_of_the_kind[i] = 1  # type: ignore[name-defined] # noqa: F821
    return n


def a_dict(n: Any) -> Any:
    found = {"a": np.int64(0)}
    for i in range(n):
        found["a"] = found["a"] + i
    return found


def test_what_is_no_array_is_left_to_the_loop() -> None:
    assert tracefn.function(not_bound)(np.int64(3)) == 3
    assert tracefn.function(a_dict)(np.int64(3)) == {"a": 3}
