"""Python numbers and `uint64` scalars, which no other type holds, as the value that branches give one variable."""

import numpy as np
import pytest
import tracefn
from agreement import assert_alike

X = np.array([1, 2, 7, 4], np.uint8)  # whose sum is a uint64


def zero(x, n):
    total = 0
    if (x > n).any():
        total = x.sum()
    return total, total + 1, -total, total > 3


def flag(x, n):
    return x.sum() if (x > n).any() else True


def of_several(x, n):
    found = x[2] if x[0] > n else x.sum() if x[2] > n else 7
    return found, found * 2


def traced_int(x, n):
    found = x.sum() if (x > n).any() else int(n) - 9
    return found, found // 2


def negative(x, n):
    return x.sum() if (x > n).any() else -1


def fraction(x, n):
    return x.sum() if (x > n).any() else n * 0.5


@pytest.mark.parametrize("function", [zero, flag, of_several, traced_int])
def test_each_has_its_type(function):
    traced = tracefn.function(function, on_unsupported="error")
    for n in (0, 3, 9, 200):
        assert_alike(traced(X, np.int64(n)), function(X, np.int64(n)))
    assert traced.tracing_count == 1


@pytest.mark.parametrize("function", [traced_int, negative, fraction])
def test_calls_whose_numbers_do_not_fit_run_eagerly(function):
    traced = tracefn.function(function, on_unsupported="eager")
    with pytest.warns(tracefn.errors.FallbackWarning, match="uint64"):
        for n in (0, 7, 8):
            assert_alike(traced(X, np.int64(n)), function(X, np.int64(n)))
