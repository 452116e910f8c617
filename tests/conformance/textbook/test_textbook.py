"""Programs as people write them, with nothing but the decorator: NumPy's results, warnings, errors and effects."""

import pytest
from conformance.textbook import algorithms, laboratory, learning, notebooks, numerics  # noqa: F401 (they fill the list)
from conformance.textbook.collected import PROGRAMS
from footguns.agreement import same


@pytest.mark.filterwarnings("ignore::tracefn.errors.RetraceWarning")
@pytest.mark.parametrize(("function", "calls"), PROGRAMS.values(), ids=PROGRAMS)
def test_as_eager(function, calls):
    same(function, *calls, *calls)
