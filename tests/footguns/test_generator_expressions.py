"""Generator expressions over arrays, given to functions that take all of what they give."""

import numpy as np
import pytest
from agreement import assert_all_agree

ARRAYS = (np.arange(6.0), np.array([3.0, 3, 3, 1, 2, 5]), np.arange(50.0) / 10)


def sums_of_some(x):
    return sum(v for v in x if v > -0.5), sum(1 for v in x if v > 0.5), list(v + 1 for v in x if v > 1)  # noqa: C400


def sums_of_all(x):
    return sum((v for v in x), 10.0), sum(abs(v - w) for v, w in zip(x, x[1:])), tuple(v for v in x[:3])  # noqa: B905


def sums_over_indices(x):
    n = (x > -1).sum()
    return sum(x[i] * i for i in range(n)), sum(x[i] for i in range(len(x)))


def greatest(x):
    return max(v for v in x), min(-v for v in x), max(v for v in x if v > 2.5)


@pytest.mark.parametrize("function", [sums_of_some, sums_of_all, sums_over_indices, greatest])
def test_as_eager(function):
    assert_all_agree(function, *[(x,) for x in ARRAYS], (np.zeros(4),), precise=True)
