"""NumPy scalars in whose place rounds of a loop put Python numbers: these keep their types and digits."""

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree, assert_all_agree_anyway


def constant_after_a_round(x, s):
    while x.sum() < 20:
        x += 1
        s = 0
    return s


def length(x, s):
    for _ in range(int(x[0])):
        low, s = 0, len(x)
        s += low
    return s


def more_digits(x, s):
    for i in range(int(x[0])):
        s = 16777217 + i
    return s


def used_in_rounds(x, s):
    total = s
    for i in range(int(x[0])):
        total = total + s
        s = i / 4
    return total, s


@pytest.mark.parametrize("number", [np.float64(2.5), np.float32(2), np.int64(3), np.bool_(True), 2.5])
@pytest.mark.parametrize("function", [constant_after_a_round, length, more_digits, used_in_rounds])
def test_python_numbers_after_numpy_scalars(function, number):
    assert_all_agree(function, *[(np.full(3, start), number) for start in (0.0, 1.0, 3.0, 30.0)])


def keeps_the_last(x, s):
    before = 0
    for _ in range(int(x[0])):
        s, before = before, before + x[1]
    return before, s


def three_in_a_row(x, s):
    a, b = 0, 1
    for _ in range(int(x[0])):
        a, b, s = b, s, a + b * x[1]
    return a, b, s


def keeps_one(x, s):
    before = 0
    for i in range(60):
        if s < 0 and x[0] + i > 2:
            s = before
        before = before + x[1]
    return s


def computes(x, s):
    for _ in range(int(x[0])):
        s, x = s // 2, x + 0.5
        s = s + x[1] if x[2] > 1.5 else s
    return s


def asks_for_the_type(x, s):
    total, seen = 0, 1
    for _ in range(int(x[0])):
        seen = isinstance(total, int)
        total = total + x[1]
    return seen, total


def in_a_list(x, s):
    found, total = [], 0
    for _ in range(int(x[0])):
        found.append(total)
        total = total + x[1]
    return found


def sum_of_a_list(x, s):
    found, total = [1], s
    for _ in range(int(x[0])):
        found.append(found[-1] * x[1])
    for number in found:
        total = total + number
    return max(found), sum(found), total


def array_of_a_list(x, s):
    found, total = [], 1
    for _ in range(int(x[0])):
        found.append(total)
        total = total + x[1]
    return np.array([7, *found]), np.array(found) if found else None


def in_a_loop(x, s):
    total = before = 0
    for _ in range(int(x[0])):
        for _ in range(int(x[0]) - 1):
            before, total = total, total + x[1]
    return total, before


def divides(x, s):
    total = 0.0
    while x[0] > total:
        if 1 / total > 3:
            s = s + 1
        total = total + x[1]
    return total, s


@pytest.mark.parametrize("number", [-1, -1.5, np.float64(-2)])
@pytest.mark.parametrize(
    "function",
    [
        divides,
        keeps_the_last,
        three_in_a_row,
        keeps_one,
        computes,
        asks_for_the_type,
        in_a_list,
        sum_of_a_list,
        in_a_loop,
    ],
)
def test_numbers_that_the_first_round_alone_finds(function, number):
    assert_all_agree_anyway(function, *[(np.full(3, start), number) for start in (0.0, 1.0, 2.0, 3.0, 30.0)])


def test_numbers_of_the_first_round_stay_in_the_graph(no_fallback):
    for function in (keeps_the_last, three_in_a_row, keeps_one, asks_for_the_type, in_a_loop):
        tracefn.function(function)(np.ones(3), -1)


def test_the_same_types_of_computed_elements_stay_in_the_graph(no_fallback):
    def function(x):
        found = [1.0]
        for _ in range(int(x[0])):
            found.append(found[-1] * x[1])
        return len(found), float(found[-1]), np.array(found), x * found[0], 1 if found[-1] > 3 else 2

    assert_all_agree(function, *[(np.full(3, start),) for start in (0.0, 1.0, 3.0)])
