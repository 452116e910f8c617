"""Windows are read-only views that show later writes; grids are arrays of their own, unless that is asked for."""

import numpy as np
import pytest
from agreement import assert_all_agree, assert_all_agree_anyway
from numpy.lib.stride_tricks import sliding_window_view


def windows_after_a_write(x):
    windows = sliding_window_view(x, 2)
    x[1] = 50
    return windows.sum(axis=1), windows


def windows_around_a_branch(x):
    windows = np.lib.stride_tricks.sliding_window_view(x, 2)
    if x[0] == 0:
        x[:2] = 5
    return windows.mean()


def windows_in_a_loop(x):
    windows = sliding_window_view(x, 2)
    for i in range(int(x[-1])):
        x[i] = windows[i].sum()
    return x


def written_window(x):
    windows = sliding_window_view(x, 2)
    windows[0] = 3


def written_grids(x):
    across, down = np.meshgrid(x, x[:2])
    across[0] = 7
    down += across
    return across, down


def written_sparse_grids(x):
    across, down = np.meshgrid(x, x[:2], sparse=True, indexing="ij")
    across[0] = 7
    return across * down


CALLS = [(np.arange(3.0),), (np.arange(4.0) + 1,)]


@pytest.mark.parametrize(
    "function",
    [windows_after_a_write, windows_around_a_branch, windows_in_a_loop, written_grids, written_sparse_grids],
    ids=lambda f: f.__name__,
)
def test_windows_and_grids(function):
    assert_all_agree(function, *CALLS)


def written_writeable_window(x):
    sliding_window_view(x, 2, writeable=True)[0] = 3


def written_views_as_grids(x):
    across, _ = np.meshgrid(x, x[:1], copy=False)
    across[...] = 7


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("function", [written_window, written_writeable_window, written_views_as_grids])
def test_writes_into_windows_and_views(function):
    assert_all_agree_anyway(function, *CALLS)
