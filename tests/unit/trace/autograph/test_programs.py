"""Whole functions with control flow: the eager answer, by one trace for each signature."""

import pytest
import tracefn
from agreement import assert_alike
from control_flow_programs import PROGRAMS


def outcome(function, call):
    try:
        return function(*call)
    except Exception as error:
        return type(error), str(error).partition(": the branch or loop")[0].partition("\n")[0]


@pytest.mark.parametrize(("eager", "calls", "traces"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
@pytest.mark.filterwarnings("ignore::tracefn.errors.AutographWarning", "ignore::RuntimeWarning")
def test_the_eager_answer(eager, calls, traces):
    f = tracefn.function(eager)
    for call in calls * 2:
        got, wanted = outcome(f, call), outcome(eager, call)
        assert_alike(got, wanted)
    assert f.tracing_count == traces
