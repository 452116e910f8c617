"""Elements and pairs of an array that is one of several of other dtypes or shapes."""

import numpy as np
import pytest
from agreement import assert_all_agree


def flat(x, y):
    a = x if x.sum() > 0 else y
    a.flat[1:3] = 7
    a.flat[0] += 2
    return a, a.flat[1]


def pairs(x, y):
    a = x if x.sum() > 0 else y
    for k, row in enumerate(a):
        row[k] = k
    for row, other in zip(a, y, strict=False):
        row += other[0]
    for k, (row, other) in enumerate(zip(a, a, strict=True)):
        row[0] = k + other[1]
    for row in reversed(a):
        row *= 2
    return a, [k * row.sum() for k, row in enumerate(a)]


X = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize("other", [X.astype(np.float32), X.astype(int), np.arange(9).reshape(3, 3)])
@pytest.mark.parametrize("function", [flat, pairs])
def test_as_plain(function, other):
    assert_all_agree(function, (X + 1, other), (X - 9, other))
