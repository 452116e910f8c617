"""Programs that write in place: traced, they give, leave and share in memory what they do plainly, as graphs."""

import importlib

import numpy as np
import pytest
import tracefn
from agreement import assert_alike, copied, outcome
from conformance.in_place.collected import PROGRAMS

for _name in ("steppers", "algorithms"):
    importlib.import_module(f"conformance.in_place.{_name}")


def which(value, args):
    """Which arguments, and other results, the arrays of a result are, and which they share memory with."""
    results = value if isinstance(value, tuple) else (value,)
    found = [v for v in (*results, *args) if isinstance(v, np.ndarray)]
    return [(a is b, np.shares_memory(a, b)) for i, a in enumerate(found) for b in found[:i]]


@pytest.mark.parametrize("jit", ["off", "now"])
@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_as_plain(name, jit):
    function, calls = PROGRAMS[name]
    traced = tracefn.function(function, jit=jit, on_unsupported="error")
    for args in (*calls, *calls):
        mine, theirs = outcome(traced, copied(args)), outcome(function, copied(args))
        assert mine[0] == theirs[0], (mine[:2], theirs[:2])
        if jit == "off":
            assert_alike((mine[1], mine[3]), (theirs[1], theirs[3]), name)
        else:
            np.testing.assert_allclose(*map(flat, (mine, theirs)), rtol=1e-10, atol=1e-12)
        if mine[0] == "returned":
            assert which(mine[1], mine[3]) == which(theirs[1], theirs[3])


def flat(found):
    """All numbers of a result and of the arguments, one after the other."""
    parts = [*(found[1] if isinstance(found[1], tuple) else [found[1]]), *found[3]]
    return np.concatenate([np.ravel(p).astype(float) for p in parts])


def test_there_are_many():
    assert len(PROGRAMS) >= 40
