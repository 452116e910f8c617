"""One warning for each function and cause, after five traces in ten calls; the cause, the cost and the change in it."""

from __future__ import annotations

import warnings

import numpy as np
import tracefn
from tracefn.errors import RetraceWarning


def warned(function, calls, **options):
    f = tracefn.function(function, **options)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for call in calls:
            f(*call)
    return [w for w in seen if w.category is RetraceWarning]


def test_a_storm_is_warned_of_once_with_cause_cost_and_change() -> None:
    (warning,) = warned(lambda x, n: x * n, ([np.ones(2), n] for n in range(30)))
    text = str(warning.message)
    assert "`lambda` is traced nearly every time it is called in " in text
    assert "`n` is another each time (n: 3 → 4 (Python int)). 5 traces so far, " in text
    assert text.endswith("Pass n as np.asarray(n) – 4 of 5 traces would not have happened.")
    assert warning.filename == __file__


def test_few_traces_among_many_calls_are_no_storm() -> None:
    assert warned(lambda x, n: x * n, ([np.ones(2), n // 4] for n in range(60))) == []


def test_four_traces_are_no_storm() -> None:
    assert warned(lambda x, n: x * n, ([np.ones(2), n] for n in range(4))) == []


def test_each_cause_is_warned_of() -> None:
    calls = [[np.ones(2), n] for n in range(6)] + [[np.ones(n), 0] for n in range(3, 9)]
    first, second = warned(lambda x, n: x * n, calls)
    assert "`n` is another each time" in str(first.message)
    assert "dimension 0 of `x` is another each time" in str(second.message)


def test_open_lengths_are_quiet() -> None:
    assert warned(lambda x: x * 2, ([np.ones(n)] for n in range(1, 20)), reduce_retracing=True) == []


def test_a_result_of_another_structure_at_each_call_is_named() -> None:
    seen: dict[int, int] = {}

    def add(x):
        seen[int(x[0])] = 1
        return list(seen)

    first, *_ = warned(add, ([np.array([float(k), 1.0])] for k in range(8)))
    assert "``" not in str(first.message) and "is traced nearly every time" in str(first.message)
