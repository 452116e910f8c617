"""How far results may differ by rounding alone: sums that cancel have few digits that mean anything.

A result is right where it is exact for arguments that differ by a unit in the last place from those given (J. H.
Wilkinson, Rounding Errors in Algebraic Processes, 1963: backward error). What such arguments make of the plain function
is found by calling it with some.
"""

import numpy as np
from agreement import outcome

RUNS = 6
"""Calls with other arguments: each element goes a unit up, a unit down, or stays."""

TIMES = 16
"""How much further than these results another order of additions may lead."""

MOST = 1 / 16
"""The largest spread that is rounding, by the largest value, in square roots of the widest unit in the last place among
the results (1e-9 for float64, 2e-5 for float32): a result that depends on more takes another branch."""


def spreads(function, copies):
    """The absolute differences that are within rounding: one for each array or number of floats among the results and
    the arguments, as `floats` finds them. `copies()` gives the arguments of a call. [] where a call raises or where
    results have other shapes."""
    plain, rng = _called(function, copies()), np.random.default_rng(0)
    found = [0.0] * len(plain)
    largest = max([0.0, *[_largest(value) for value in plain]])
    for _ in range(RUNS):
        nudged = _called(function, [_nudged(value, rng) for value in copies()])
        if [v.shape for v in nudged] != [v.shape for v in plain]:
            return []
        with np.errstate(all="ignore"):
            found = [max(s, _largest(v - p)) for s, v, p in zip(found, nudged, plain, strict=True)]
    most = MOST * largest * max([np.finfo(v.dtype).eps for v in plain], default=0.0) ** 0.5
    return [TIMES * spread if spread <= most else 0.0 for spread in found]


def floats(value):
    """The arrays and numbers of floats in a value, in order."""
    if isinstance(value, tuple | list):
        return [v for part in value for v in floats(part)]
    return [value] if isinstance(value, np.ndarray | np.generic) and value.dtype.kind == "f" else []


def settled(mine, theirs, spread):
    """`mine`, with `theirs` where they differ by no more than rounding."""
    if mine.shape != theirs.shape:
        return mine
    with np.errstate(all="ignore"):
        return np.where(np.abs(mine - theirs) <= spread, theirs, mine)


def _called(function, args):
    kind, value, _, args = outcome(function, args)
    return floats((value if kind == "returned" else (), args))


def _nudged(value, rng):
    if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.flags.writeable:
        value *= 1 + rng.integers(-1, 2, value.shape).astype(value.dtype) * np.finfo(value.dtype).eps
    return value


def _largest(value):
    known = np.abs(value[np.isfinite(value)])
    return float(known.max()) if known.size else 0.0
