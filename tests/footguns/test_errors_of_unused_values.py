"""What NumPy refuses raises as in eager code, also where nobody needs what it would give."""

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree


def reshaped(x):
    x.reshape(2, -1)
    return 1


def partitioned(x):
    np.partition(x, 2)
    return 1


def windows(x):
    np.lib.stride_tricks.sliding_window_view(x, 2)
    return 1


def transformed(x):
    np.fft.rfft(x)
    return 1


def percentiles(x):
    np.percentile(x, 30)
    return 1


def in_two_parts(x):
    np.split(x, 2)
    return 1


def taken(x):
    np.take(x, [0, 4])
    return 1


def without_some(x):
    np.delete(x, 2)
    return 1


def slopes(x):
    np.gradient(x)
    return 1


def determinant(x):
    np.linalg.det(np.outer(x, x[1:]))
    return 1


def one_of_many_lengths(x):
    if x.sum() > 3:
        np.pad(x, 1, mode="reflect")
    for _ in range(len(x)):
        x[None].reshape(-1, 2)
    return 1


FUNCTIONS = [
    reshaped, partitioned, windows, transformed, percentiles, in_two_parts, taken, without_some, slopes, determinant,
    one_of_many_lengths,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("lengths", [(5, 4, 0, 1, 2, 3), (0, 2, 1, 6)], ids=str)
def test_refused_for_some_open_lengths(function, lengths):
    signature = [tracefn.TensorSpec((None,), np.float64)]
    assert_all_agree(function, *[(np.arange(float(n)),) for n in lengths], input_signature=signature)


def picks(x, i):
    np.take(x, i)
    return 1


def chooses(x, i):
    np.choose(i, [x, x, x])
    return 1


def counts(x, i):
    np.bincount(i)
    return 1


def weighs(x, i):
    np.average(x, weights=i)
    return 1


def unravels(x, i):
    np.unravel_index(i, (2, 2))
    return 1


def puts_in(x, i):
    np.insert(x, i, 0)
    return 1


@pytest.mark.parametrize("function", [picks, chooses, counts, weighs, unravels, puts_in])
def test_refused_for_some_values(function):
    x = np.arange(3.0)
    assert_all_agree(function, *[(x, np.array(i)) for i in ([0, 1, 2], [1, 5, 1], [0, 0, 0], [-9, 1, 0])])


def test_what_fits_any_length_is_dropped():
    @tracefn.function(input_signature=[tracefn.TensorSpec((None,), np.float64)])
    def function(x):
        np.cumsum(x.reshape(-1, 1), axis=0)
        return x + 1

    function(np.ones(3))
    assert len(function.concrete_functions[0].graph) == 2
