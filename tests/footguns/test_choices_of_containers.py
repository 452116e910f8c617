"""Lists and dicts of which a traced value chooses one: it is the very object that other names hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tracefn

H: list[Any] = []


def chosen_by_an_expression(x: Any) -> Any:
    a, b = [x], [x + 1]
    c = a if x > 0 else b
    return a, c


def chosen_by_a_statement(x: Any) -> Any:
    a, b = {"k": x}, {"k": x + 1}
    if x > 0:
        c = a
    else:
        c = b
    H.append(a)
    H.append(c)
    return c


def changed_after_the_choice(x: Any) -> Any:
    a, b = [x], [x + 1, 2.0]
    c = a if x > 0 else b
    c.append(x * 3)
    return a, b, len(c)


def changed_under_its_own_name(x: Any) -> Any:
    a, b = {"k": x}, {"k": x + 1}
    c = a if x > 0 else b
    a["k"] = x * 3
    c["k"] = c["k"] + 1
    return a, b, c


def the_last_that_is_kept(x: Any) -> Any:
    r = [x]
    H.append(r)
    if x > 0:
        r = [x + 1]
        H.append(r)
    return H[-1]


def kept_until_a_break(x: Any) -> Any:
    for i in range(3):
        r: list[Any] = []
        H.append(r)
        if x > i:
            break
    H[-1].append(4)
    return r


def none_or_one_of_them(x: Any) -> Any:
    a, last = [x], None
    if x > 0:
        last = a
    H.append(last)
    a.append(1)
    return a


def read_alone(x: Any) -> Any:
    p, q = [1.0, 2.0], [3.0, x]
    r = p if x > 0 else q
    a, b = r
    return a, b, sum(r), len(r), max(r), np.array(r), [v + 1 for v in r], r[::-1], r + [1], list(r), 3.0 in r


PROGRAMS = [
    chosen_by_an_expression, chosen_by_a_statement, changed_after_the_choice, changed_under_its_own_name,
    the_last_that_is_kept, kept_until_a_break, none_or_one_of_them, read_alone,
]  # fmt: skip


def _form(value: Any, known: dict[int, int]) -> Any:
    """A value with the number of the object in the place of each list or dict that was met before."""
    if not isinstance(value, list | dict | tuple):
        return repr(value)
    if type(value) is not tuple:
        if id(value) in known:
            return known[id(value)]
        known[id(value)] = len(known)
    items = value.items() if isinstance(value, dict) else enumerate(value)
    return type(value).__name__, [(key, _form(held, known)) for key, held in items]


@pytest.mark.parametrize("program", PROGRAMS)
def test_it_is_the_object_that_other_names_hold(program: Any) -> None:
    traced = tracefn.function(program)
    for x in (1.0, -1.0, 2.0, 0.5):
        found = []
        for run in (program, traced):
            H[:] = [[0.0]]
            found.append(_form((run(np.float64(x)), H), {}))
        assert found[0] == found[1]
    assert traced.tracing_count == 1


def one_of_before(x: Any, n: Any) -> Any:
    c, d = {"k": x}, {"k": x * 2}
    for _ in range(n):
        c = d
        c["k"] = c["k"] + 1
    return c, d


def one_of_each_round(x: Any, n: Any) -> Any:
    last, best = {"k": x}, {"k": x * 2}
    for i in range(n):
        last = {"k": x + i}
        best = last
    best["k"] = 5.0
    return last, best


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
@pytest.mark.parametrize("program", [one_of_before, one_of_each_round])
def test_rounds_that_give_a_name_a_container_with_another_name(program: Any) -> None:
    traced = tracefn.function(program, on_unsupported="eager")
    for n in (2, 0, 1):
        found = [_form(run(np.float64(1.0), np.int64(n)), {}) for run in (program, traced)]
        assert found[0] == found[1]
