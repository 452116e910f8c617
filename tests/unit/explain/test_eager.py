"""What reports say of calls that run eagerly: of functions without any graph, and of those with both."""

import json

import numpy as np
import pytest
import tracefn
from tracefn.errors import UnsupportedFunctionError

pytestmark = pytest.mark.usefixtures("falls_back")


def read(x):
    y = x + 1
    if x.dtype == int:
        return y.tobytes()
    return y


AT = f"{__file__} line {read.__code__.co_firstlineno + 3}"
ADDED = f"the result of `+` (int64[3]) at {__file__} line {read.__code__.co_firstlineno + 1}"
REASON = f"{ADDED}, which depends on `x` was read with .tobytes()"
FIX = "Return it and call .tobytes() on the result."


def without_graph():
    f = tracefn.function(read)
    for _ in range(3):
        f(np.arange(3))
    return f


def with_both():
    f = tracefn.function(read)
    f(np.ones(3)), f(np.arange(3)), f(np.ones(4)), f(np.arange(3))
    return f


def test_a_function_without_graphs_is_explained():
    explanation = without_graph().explain()
    assert explanation.headline == f"read runs eagerly: {REASON} in {AT}"
    lines = str(explanation).splitlines()
    assert lines[1] == "  runs eagerly" and lines[3].strip() == FIX
    assert lines[4].strip().startswith("3 calls ran eagerly, ") and "the attempt to trace took" in lines[4]
    assert FIX in explanation._repr_html_()
    told = json.loads(json.dumps(explanation.to_dict()))
    assert (told["trace"], told["eager"][0]["calls"], told["eager"][0]["fix"]) == (0, 3, FIX)
    with pytest.raises(ValueError, match="has no trace number 1"):
        without_graph().explain(1)
    with pytest.raises(ValueError, match="has no trace"):
        tracefn.function(read).explain()


def test_a_function_with_both_is_explained():
    explanation = with_both().explain()
    assert explanation.headline.startswith("read retraced (#2, ")
    assert explanation.eager[0].calls == 2
    assert FIX in str(explanation)


def test_staging_marks_the_line():
    lines = with_both().staging().splitlines()
    assert [line.split("|")[0].strip() for line in lines if "|" in line] == ["", "", "ran once", "eager", ""]
    assert lines[-1] == f"eager: {REASON}. {FIX}"
    alone = without_graph().staging()
    assert [line.split("|")[0].strip() for line in alone.splitlines() if "|" in line] == ["", "", "", "eager", ""]
    assert "eager" in alone._repr_html_()
    assert [line["mark"] for line in alone.to_dict()["lines"]][3] == "eager"


@pytest.mark.parametrize(("make", "calls", "traces"), [(without_graph, 3, 0), (with_both, 4, 2)])
def test_what_if_says_what_no_policy_helps(make, calls, traces):
    table = make().what_if()
    assert (table.calls, table.traces) == (calls, traces)
    assert f"runs eagerly (x: int64[3]): {REASON} in {AT}. {FIX} " in str(table)
    assert FIX in table._repr_html_()
    json.dumps(table.to_dict())


@pytest.mark.parametrize(("make", "states"), [(without_graph, ["eager"]), (with_both, ["kept", "eager", "kept"])])
def test_the_ledger_has_eager_calls(make, states):
    f = make()
    costs = tracefn.ledger(f)
    assert [e.state for e in costs.entries] == states
    entry = next(e for e in costs.entries if e.state == "eager")
    assert entry.calls == f.fallbacks[0].calls and entry.eager_ns > 0 and entry.phases["trace"] > 0
    assert entry.cause == f"{REASON} in {AT}"
    assert str(costs).splitlines()[0].startswith(f"{states.count('kept')} trace")
    assert f"{entry.calls} calls ran eagerly, " in str(costs)
    assert ("eager", 1) in [(cause, times) for cause, times, *_ in costs.totals("cause")]
    json.dumps(costs.to_chrome_trace())


def test_the_ledger_has_those_that_no_trace_fits():
    f = tracefn.function(read)
    for n in range(2, 9):
        f(np.arange(n))
    *others, last = tracefn.ledger(f).entries
    assert [e.state for e in others] == ["eager"] * 3
    assert (last.signature, last.trace, last.calls) == ("any", 0, 4)


def test_there_is_nothing_to_time():
    with pytest.raises(UnsupportedFunctionError, match="runs eagerly: there is no graph to compare with"):
        tracefn.timing.compare(tracefn.function(read), np.arange(3))
    f = with_both()
    before = [fallback.calls for fallback in f.fallbacks]
    with pytest.raises(UnsupportedFunctionError, match="runs eagerly"):
        tracefn.timing.compare(f, np.arange(3))
    assert [fallback.calls for fallback in f.fallbacks] == before
