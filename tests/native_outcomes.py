"""Native code and NumPy side by side: functions that run as kernels, their results and their warnings."""

import gc
import itertools
import os
import sys
import warnings

import numpy as np
import pytest
import tracefn


def with_warnings(function, *args):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*args)
    return result, [(str(w.message), w.filename, w.lineno) for w in caught]


def native(function, *args, **options):
    """A function that runs as kernels only."""
    traced = tracefn.function(function, jit="now", autograph=False, **options)
    with_warnings(traced, *args)
    assert traced.concrete_functions[0].plan == "native"
    return traced


def resident():
    """The memory of this process, in bytes."""
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("no /proc")
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def lose_and_leave_nothing(call, count, watched):
    """That so many calls leave the reference counts of the `watched` objects, and memory, as they were."""

    def many(number):
        for _ in itertools.repeat(None, number):
            call()

    many(min(count // 10, 20_000))
    gc.collect()
    references, memory = [sys.getrefcount(o) for o in watched], resident()
    many(count)
    gc.collect()
    after = [sys.getrefcount(o) for o in watched]
    assert all(abs(b - a) <= 3 for a, b in zip(references, after, strict=True)), (references, after)
    assert resident() - memory < 2e6


def same(got, wanted, ulps=8):
    got, wanted = (r if isinstance(r, tuple) else (r,) for r in (got, wanted))
    for a, b in zip(got, wanted, strict=True):
        assert type(a) is type(b)
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        if b.dtype.kind == "f":
            np.testing.assert_allclose(a, b, rtol=ulps * np.finfo(b.dtype).eps, atol=np.finfo(b.dtype).tiny)
        else:
            np.testing.assert_array_equal(a, b)


def numbers(char, shape, seed=0):
    rng = np.random.default_rng(seed)
    dtype = np.dtype(char)
    if dtype.kind == "b":
        return rng.random(shape) > 0.4
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    return (rng.random(shape) + 0.5).astype(dtype)


def taken_in_turns(chars, cases):
    """(dtype, case) of all cases with these dtypes, and with integers of each size, signed and unsigned by turns."""
    integers = [(pair[n % 2], case) for n, case in enumerate(cases) for pair in ("bB", "Hh", "iI", "Ll")]
    return [(char, case) for char in chars for case in cases] + integers
