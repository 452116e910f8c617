"""Whole functions with control flow: the eager answer, by one trace for each signature."""

import numpy as np
import pytest
import tracefn
from control_flow_programs import PROGRAMS


def outcome(function, call):
    try:
        return function(*call)
    except Exception as error:
        return type(error), str(error).partition(": the branch or loop")[0].partition("\n")[0]


def same(got, wanted):
    if isinstance(wanted, tuple | list):
        return type(got) is type(wanted) and len(got) == len(wanted) and all(map(same, got, wanted))
    if isinstance(wanted, dict):
        return list(got) == list(wanted) and all(same(got[k], wanted[k]) for k in wanted)
    if type(got) is not type(wanted):
        return False
    return np.array_equal(got, wanted) and getattr(got, "dtype", None) == getattr(wanted, "dtype", None)


@pytest.mark.parametrize(("eager", "calls", "traces"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
@pytest.mark.filterwarnings("ignore::tracefn.errors.AutographWarning", "ignore::RuntimeWarning")
def test_the_eager_answer(eager, calls, traces):
    f = tracefn.function(eager)
    for call in calls * 2:
        got, wanted = outcome(f, call), outcome(eager, call)
        assert same(got, wanted), f"{got!r} instead of {wanted!r}"
    assert f.tracing_count == traces
