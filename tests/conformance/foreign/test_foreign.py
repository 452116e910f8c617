"""Calls of SciPy, pandas, scikit-learn, scikit-image, Pillow and the standard library: same as eager, call by call."""

import numpy as np
import pandas as pd
import pytest
import tracefn

from . import (
    callback_cases,
    harness,
    mixed_cases,
    object_cases,
    other_cases,
    package_cases,
    pandas_cases,
    practice_cases,
    program_cases,
    scipy_cases,
    sklearn_cases,
    standard_cases,
)

MODULES = (
    mixed_cases, program_cases, scipy_cases, pandas_cases, sklearn_cases, other_cases, practice_cases, object_cases,
    callback_cases, standard_cases, package_cases,
)  # fmt: skip


@pytest.mark.parametrize("case", harness.CASES, ids=lambda case: case.name)
def test_same_as_eager(case):
    eager, traced = harness.Run(case, traced=False), harness.Run(case, traced=True)
    assert harness.difference((eager.outcomes, eager.kept), (traced.outcomes, traced.kept)) == ""
    assert traced.is_graph == case.graph, traced.reasons


def test_there_are_many_cases():
    assert len(harness.CASES) >= 90 and len({c.name for c in harness.CASES}) == len(harness.CASES)


@pytest.mark.parametrize("make", [lambda: (n for n in range(4)), lambda: iter([0, 1, 5]), lambda: map(abs, [3, -4])])
def test_an_iterator_is_not_emptied_by_a_trace_that_comes_to_nothing(make):
    def f(x, iterator):
        total = pd.Series(iterator).sum()
        for i in x.nonzero()[0]:
            x = x + int(i)
        return (x + total).tolist(), list(iterator)

    traced = tracefn.function(f, on_unsupported="eager")
    for _ in range(2):
        assert traced(np.ones(3), make()) == f(np.ones(3), make())
