"""Programs as people write them, with nothing but the decorator: NumPy's results, warnings, errors and effects."""

import pytest
from agreement import assert_all_agree_anyway
from conformance.textbook import algorithms, laboratory, learning, notebooks, numerics  # noqa: F401 (they fill the list)
from conformance.textbook.collected import PROGRAMS

RUNS_EAGERLY = {
    "rkf45": "must have one dtype",
}


@pytest.mark.filterwarnings("ignore::tracefn.errors.RetraceWarning")
@pytest.mark.parametrize(("function", "calls"), PROGRAMS.values(), ids=PROGRAMS)
def test_as_eager(function, calls):
    traced = assert_all_agree_anyway(function, *calls, *calls)
    reasons = " ".join(fallback.reason for fallback in traced.fallbacks)
    assert RUNS_EAGERLY.get(function.__name__, "") in reasons and bool(reasons) == (function.__name__ in RUNS_EAGERLY)
