"""Random programs: the traced function gives what eager NumPy gives and leaves its arguments as NumPy does."""

import itertools
import os

import numpy as np
import pytest
import tracefn
from conformance.fuzz.programs import Program
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tracefn.errors import ControlFlowError, InPlaceWriteError

EXAMPLES = int(os.environ.get("TRACEFN_FUZZ", "0"))
"""How many programs, always others: `make fuzz` sets it. Else the same 500 every time."""

_numbers = itertools.count()


def outcome(function, args):
    """What a call gives and what it leaves in its arguments."""
    with np.errstate(all="ignore"):
        try:
            result = function(*args)
        except Exception as error:
            if isinstance(error, InPlaceWriteError | ControlFlowError):
                raise
            result = (type(error).__name__,)
    return [*result, *args]


def raised(found):
    return isinstance(found[0], str)


def fresh(arguments):
    """Copies with the same layout, and the number of rounds."""
    found = []
    for array in arguments:
        base = array if array.base is None else array.base
        offset = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        copy = np.array(base, copy=True, order="K")
        found.append(
            np.ndarray(
                array.shape, array.dtype, copy.data if copy.flags.c_contiguous else copy.T.data, offset, array.strides
            )
        )
    return found


def assert_same(mine, theirs, source):
    assert len(mine) == len(theirs), source
    if raised(mine) and (
        "    if" in source or "    for" in source
    ):  # what a branch or round wrote before it raised is not kept
        mine, theirs = mine[:1], theirs[:1]
    for got, wanted in zip(mine, theirs, strict=True):
        assert type(got) is type(wanted) or not isinstance(wanted, np.ndarray), (source, got, wanted)
        if isinstance(wanted, np.ndarray | np.generic):
            assert got.dtype == wanted.dtype and got.shape == wanted.shape, (source, got, wanted)
        np.testing.assert_array_equal(got, wanted, err_msg=source)


def check(program, number):
    function = program.function(number)
    traced = tracefn.function(function)
    for n in (3, 0, 3):
        mine, theirs = fresh(program.arguments), fresh(program.arguments)
        try:
            got = outcome(traced, [*mine, np.int64(n)])
        except (InPlaceWriteError, ControlFlowError):
            return False
        assert_same(got, outcome(function, [*theirs, np.int64(n)]), program.source)
    x, *_ = fresh(program.arguments)
    for aliased in (lambda x: (x, x, x), lambda x: (x, x[::-1], x), lambda x: (x[1:], x, x.T)):
        mine, theirs = aliased(x.copy()), aliased(x.copy())
        try:
            got = outcome(traced, [*mine, np.int64(2)])
        except (InPlaceWriteError, ControlFlowError):
            continue
        assert_same(got, outcome(function, [*theirs, np.int64(2)]), program.source)
    return True


@pytest.mark.filterwarnings("ignore::tracefn.errors.RetraceWarning")
@settings(
    max_examples=EXAMPLES or 500,
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
