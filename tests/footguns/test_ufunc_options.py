"""Options of ufuncs that say which loop runs, and dates without a unit."""

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree

OPTIONS = [
    {"sig": "dd->d"}, {"signature": (None, None, float)}, {"signature": "ff->f"}, {"signature": (float, float, float)},
    {"sig": "d->d"}, {"signature": float}, {"sig": "xx->y"}, {"subok": False}, {"subok": 3},
    {"signature": "ll->l", "casting": "unsafe"},
]  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_loop(options):
    def function(x, y):
        return np.add(x, y, **options), np.hypot(x, y, **options)

    assert_all_agree(function, (np.arange(3), np.arange(3)), (np.arange(3.0), np.arange(3)))


def test_loops_of_several_dtypes_are_refused():
    with pytest.raises(tracefn.errors.UnsupportedFunctionError, match="signature of several dtypes"):
        tracefn.function(lambda x: np.less(x, x, sig="dd->?"))(np.ones(3))


def dates(d):
    d[d > d[1]] = np.datetime64("NaT")
    e = d.copy()
    e[:] = np.datetime64("NaT")
    e[0] = d[1]
    return d, e, np.where(d > d[1], d, np.datetime64("NaT"))


def test_a_date_without_a_unit_is_written():
    assert_all_agree(dates, (np.array(["2024-01-05", "1970-01-01", "2000-01-01"], "M8[D]"),))


def test_bounds_of_reduceat_are_cut_to_integers():
    assert_all_agree(lambda x: np.add.reduceat(x, [0, 1.5]), (np.arange(4.0),))
