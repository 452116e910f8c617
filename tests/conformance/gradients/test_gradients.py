"""Gradients of random programs: those of finite differences."""

import os
import random

import numpy as np
import pytest
import tracefn
from conformance.gradients.compare import differences
from conformance.gradients.programs import Program
from conformance.gradients.whole import PROGRAMS
from conformance.runner import run

EXAMPLES = int(os.environ.get("TRACEFN_FUZZ", "0"))
"""How many programs, always others: `make fuzz` sets it."""

SAME = 60
"""How many otherwise, the same every time."""

REFUSED = 0.05
"""The share of programs that a named error may refuse."""


@pytest.mark.timeout(3600)
def test_gradients_are_those_of_differences():
    first = random.SystemRandom().randrange(10**6, 10**9) if EXAMPLES else 0
    outcomes = run("conformance.gradients", first, EXAMPLES or SAME)
    wrong = {seed: outcome for seed, outcome in outcomes.items() if outcome.kind in ("wrong", "raised")}
    if wrong:
        seed = min(wrong)
        told = "\n".join(f"{s}: {o.what}: {o.difference}" for s, o in list(wrong.items())[:20])
        pytest.fail(f"{len(wrong)} of {len(outcomes)}:\n{told}\n\n{Program(seed).source}")
    refused = {seed: outcome.what for seed, outcome in outcomes.items() if outcome.kind == "refused"}
    assert len(refused) <= REFUSED * len(outcomes), refused


def test_loops_over_no_rows_are_made():
    assert Program(4601524).source


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_as_people_write_them(falls_back, name):
    """The second call takes the trace of the first."""
    function, arguments = PROGRAMS[name]
    slopes = differences(function, arguments, 1e-6)
    derivative = tracefn.value_and_grad(function, argnums=tuple(range(len(arguments))))
    for _ in range(2):
        value, found = derivative(*[a.copy() for a in arguments])
        np.testing.assert_allclose(value, function(*[a.copy() for a in arguments]))
        for got, slope in zip(found, slopes, strict=True):
            np.testing.assert_allclose(got, slope, rtol=1e-4, atol=1e-4 * (1 + np.max(np.abs(slope))))
