"""Programs as people write them, with nothing but the decorator: NumPy's results, warnings, errors and effects."""

import pytest
import sizes
from agreement import assert_all_agree_anyway
from conformance.textbook import algorithms, laboratory, learning, notebooks, numerics  # noqa: F401 (they fill the list)
from conformance.textbook.collected import PROGRAMS
from roundings import ON_MACHINE_CODE

RUNS_EAGERLY = {
    "caesar": "was read with .tobytes()",
    "rkf45": "must have one dtype",
}


NAMES = list(PROGRAMS)[:: sizes.of(2, 1) if ON_MACHINE_CODE else 1]
"""As machine code half of them run, but in `make fuzz`."""


@pytest.mark.filterwarnings("ignore::tracefn.errors.RetraceWarning")
@pytest.mark.parametrize(("function", "calls"), [PROGRAMS[name] for name in NAMES], ids=NAMES)
def test_as_eager(function, calls):
    traced = assert_all_agree_anyway(function, *calls, *calls)
    reasons = " ".join(fallback.reason for fallback in traced.fallbacks)
    assert RUNS_EAGERLY.get(function.__name__, "") in reasons and bool(reasons) == (function.__name__ in RUNS_EAGERLY)
