"""Random programs: the traced function gives what eager NumPy gives, warns and raises as it does, and leaves its
arguments as NumPy does."""

import itertools
import os
import re

import numpy as np
import pytest
import tracefn
from agreement import assert_alike, copied, outcome
from conformance.fuzz.programs import Program
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

EXAMPLES = int(os.environ.get("TRACEFN_FUZZ", "0"))
"""How many programs, always others: `make fuzz` sets it."""

SAME = int(os.environ.get("TRACEFN_SAME_PROGRAMS", "200"))
"""How many otherwise, the same every time."""

REFUSED = ("InPlaceWriteError", "ControlFlowError", "UnsupportedFunctionError")

SWAPS_IN_A_LOOP = re.compile(r"^ {8,}(\w+), (\w+) = \2, \1", re.MULTILINE)
"""Loops that swap arrays may run on copies: their results are then other arrays, which may lie in memory otherwise."""

_numbers = itertools.count()


def layout(value):
    """How an array lies in memory: whether it is contiguous in C and Fortran order, and may be written into."""
    flags = getattr(value, "flags", None)
    return None if flags is None else (flags.c_contiguous, flags.f_contiguous, flags.writeable)


def agrees(traced, function, args, source):
    """Calls both. False where tracing is refused. Raises AssertionError where they differ."""
    theirs = outcome(function, args())
    mine = outcome(traced, args())
    if mine[0] in REFUSED:
        return False
    assert mine[0] == theirs[0], (source, mine, theirs)
    if mine[0] == "returned":
        assert_alike(mine[1], theirs[1], source)
        if not SWAPS_IN_A_LOOP.search(source):
            assert list(map(layout, mine[1])) == list(map(layout, theirs[1])), (source, mine, theirs)
    assert_alike(mine[3], theirs[3], source)
    assert set(mine[2]) <= set(theirs[2]), (source, mine[2], theirs[2])  # what nobody needs is not computed
    return True


def check(program, number):
    """Whether the traced program agrees with the plain one at all calls; False where one is refused."""
    function = program.function(number)
    traced = tracefn.function(function)
    for n in (3, 0, 3):
        if not agrees(traced, function, lambda n=n: [*copied(program.arguments), np.int64(n)], program.source):
            return False
    for alias in (lambda x: (x, x, x), lambda x: (x, x[::-1], x), lambda x: (x[1:], x, x.T)):
        if not (program.arguments[0].ndim and program.arguments[0].flags.writeable):
            break
        agrees(traced, function, lambda f=alias: [*f(copied(program.arguments)[0]), np.int64(2)], program.source)
    if number % 3 == 0:
        relaxed = tracefn.function(function, reduce_retracing=True)
        for length in (None, 2, 1, 0, 3):
            cut = [a[:length] if a.ndim else a for a in program.arguments]
            agrees(relaxed, function, lambda cut=cut: [*copied(cut), np.int64(2)], program.source)
    return True


@pytest.mark.filterwarnings("ignore::tracefn.errors.RetraceWarning")
@settings(
    max_examples=EXAMPLES or SAME,
    derandomize=not EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
)
@given(st.data())
def test_random_programs(data):
    program = Program(
        lambda options: data.draw(st.sampled_from(list(options))),
        lambda low, high: data.draw(st.integers(low, high)),
    )
    check(program, next(_numbers))
