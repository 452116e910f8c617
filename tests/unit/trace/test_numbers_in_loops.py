"""NumPy scalars in whose place rounds of a loop put Python numbers: these keep their types and digits."""

import numpy as np
import pytest
from agreement import assert_all_agree


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
