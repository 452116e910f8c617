"""Names that rounds of a loop give rows of arrays, at indices that they compute."""

import numpy as np
from agreement import assert_all_agree


def last_row(x, n):
    row = x[0]
    for i in range(n):
        row[0] += 1
        row = x[i % 3]
    row *= 2
    return x, row


def from_the_end(x, n):
    row = x[0]
    i = 0
    while i < n:
        i += 1
        row -= x[n % 3]
        row = x[-1 - i % 2]
        x[1] += row
    row[1:] = 5
    return row


def of_two_arrays(x, y, n):
    row = x[n % 3]
    for i in range(n):
        row += 1
        row = x[i % 3] if x.sum() > y.sum() else y[(i + 1) % 3]
        row[1] = -row[1]
    row[0] = 9
    return row


def swapped_rows(x, n):
    a, b = x[0], x[n % 3]
    for i in range(n):
        a[0] = i
        a, b = b, x[(i + n) % 3]
        b *= 2
    a[1] = 7
    return a, b


def elements_of_rows(x, index, n):
    part = x[0, 1:]
    for i in range(n):
        part += 1
        part = x[index[i], 1:]
    part[0] = 0
    return part


def arguments(*more):
    def array(start):
        return np.arange(9.0).reshape(3, 3) + start

    return [(array(s), *[m(s) for m in more], np.int64(n)) for s in (0, -8) for n in (0, 1, 2, 5)]


def test_rows():
    assert_all_agree(last_row, *arguments())
    assert_all_agree(from_the_end, *arguments())
    assert_all_agree(swapped_rows, *arguments())


def test_rows_of_two_arrays():
    assert_all_agree(of_two_arrays, *arguments(lambda start: np.ones((3, 3)) - start))


def test_indices_from_an_array():
    for dtype in (np.int64, np.int8, np.uint32):
        assert_all_agree(elements_of_rows, *arguments(lambda start, dtype=dtype: np.array([2, 1, 0, 2, 1], dtype)))
