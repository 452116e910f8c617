"""Calls a program of `aliasing` plainly and traced: what they give, what shares memory after it, and what differs."""

import contextlib
import functools
import signal
import warnings

import numpy as np
import tracefn
from agreement import assert_alike, outcome
from conformance.fuzz.aliasing import Program, function_of
from conformance.fuzz.rounding import floats, settled, spreads
from conformance.state.compare import Outcome, pattern
from conformance.state.shrink import candidates

SECONDS = 20
"""How long the calls of a program may take, in time of the processor: others may use it, too."""

SOON = 2
"""How long those of a smaller one may: a loop may have lost what ends it."""


def compare(seed, jit="off"):
    """What comes of a program of the generator."""
    program = Program(seed)
    return compare_source(program.source, program.calls, seed, jit)


def compare_source(source, calls, name, jit="off", seconds=SECONDS):
    """What comes of a program: each call gives what it gives plainly, and leaves what the calls before it gave."""
    function = function_of(source, name)
    traced = tracefn.function(function, jit=jit, on_unsupported="eager")
    kept = []
    with tracefn.events.record() as events, _limit(seconds):
        for number, args in enumerate(calls()):
            mine, theirs = [_called(f, _copies(args)) for f in (traced, function)]
            within = () if jit == "off" else functools.cache(lambda a=args: spreads(function, lambda: _copies(a)))
            kept.append((mine, theirs, within))
            try:
                for earlier in kept:
                    _check(*earlier)
            except AssertionError as error:
                told = " ".join(str(error).split())
                found = Outcome("wrong", f"call {number}: {pattern(told)}", told[:600])
                break
            except TimeoutError:
                raise
        else:
            found = Outcome("agrees")
    found.fallbacks = [event.reason for event in events if event.type == "fallback"]
    return found


def shrunk(source, calls, name, jit="off"):
    """The smallest program that was found of which the same comes."""
    wanted = _kind(compare_source(source, calls, name, jit))
    found, number = True, 0
    while found:
        found = False
        for smaller in candidates(source):
            number += 1
            with contextlib.suppress(Exception):
                if _kind(compare_source(smaller, calls, f"{name} {number}", jit, SOON)) == wanted:
                    source, found = smaller, True
                    break
    return source


def _kind(outcome):
    return outcome.kind, outcome.kind == "agrees" and sorted(map(pattern, outcome.fallbacks))


@contextlib.contextmanager
def _limit(seconds):
    def too_long(*_):
        raise TimeoutError("the program takes too long")

    before = signal.signal(signal.SIGPROF, too_long)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _copies(args):
    """The arguments, of which arrays that share memory share it again."""
    bases = {}
    return [_copy(a, bases) if isinstance(a, np.ndarray) else a for a in args]


def _copy(array, bases):
    base = array if array.base is None else array.base
    copy = bases.setdefault(id(base), base.copy())
    if array is base:
        return copy
    offset = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    return np.ndarray(array.shape, array.dtype, copy, offset, array.strides)


def _called(function, args):
    kind, value, told, args = outcome(function, args)
    if kind == "TimeoutError":
        raise TimeoutError(value)
    return kind, value, told, args, _memory(value, args)


def _memory(value, args):
    """How the arrays among results and arguments lie in memory: which is which, which overlap, and their layouts."""
    results = value if isinstance(value, tuple) else (value,)
    found = [v for v in (*results, *args) if isinstance(v, np.ndarray)]
    pairs = [
        "is" if a is b else "shares" if np.shares_memory(a, b) else "apart"
        for i, a in enumerate(found) for b in found[:i]
    ]  # fmt: skip
    layouts = [(v.flags.c_contiguous, v.flags.f_contiguous, v.flags.writeable, v.strides) for v in found]
    return {"memory": pairs, "layout": layouts}


def _check(mine, theirs, within):
    """Raises where two calls differ. `within` gives what is within rounding, which machine code may differ by; it is ()
    for programs that may not."""
    assert mine[0] == theirs[0], (mine[:2], theirs[:2])
    if mine[0] == "returned":
        _alike((mine[1], mine[3]), (theirs[1], theirs[3]), within)
    else:
        assert mine[1] == theirs[1], (mine[:2], theirs[:2])
        _alike(((), mine[3]), ((), theirs[3]), within)
    for what in ("memory", "layout"):
        assert mine[4][what] == theirs[4][what], f"{what} differs: {mine[4][what]}, {theirs[4][what]}"
    assert set(mine[2]) <= set(theirs[2]), ("warnings", mine[2], theirs[2])


def _alike(mine, theirs, within):
    """As `assert_alike`, of (result, arguments). Machine code adds up in another order: the last digits may differ, and
    in sums that cancel, all that are no more than rounding."""
    if within == ():
        for got, wanted, told in zip(mine, theirs, ("result", "arguments"), strict=True):
            assert_alike(got, wanted, told)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            assert_alike(_rounded(mine), _rounded(theirs))
        except AssertionError:
            found, wanted = floats(mine), floats(theirs)
            if not len(found) == len(wanted) == len(within()):
                raise
            known = map(settled, found, wanted, within())
            assert_alike(_rounded(_filled(mine, known)), _rounded(theirs))


def _filled(value, known):
    """A value with other floats in it."""
    if isinstance(value, tuple | list):
        return type(value)([_filled(part, known) for part in value])
    return next(known)[()].astype(value.dtype) if floats(value) else value


def _rounded(value):
    if isinstance(value, tuple | list):
        return type(value)(map(_rounded, value))
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind == "f":
        digits = 5 if value.dtype.itemsize == 4 else 11
        scale = 10.0 ** (digits - 1 - np.floor(np.log10(np.where(value == 0, 1, np.abs(value)))))
        return np.rint(value * scale) / scale
    return value
