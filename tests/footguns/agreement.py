"""What a call of a function comes to, and whether the traced function comes to the same as the plain one."""

import warnings

import numpy as np
import tracefn


def outcome(function, args):
    """Result or error, warnings, and the arguments after the call: (kind, value, warnings, arguments)."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            kind, value = "returned", function(*args)
        except Exception as error:
            kind, value = type(error).__name__, str(error)
    told = [(w.category.__name__, str(w.message)) for w in caught if w.category not in _OUR_OWN]
    return kind, value, told, args


_OUR_OWN = (tracefn.errors.RetraceWarning, tracefn.errors.FallbackWarning, tracefn.errors.TracingOnlyWarning)


def copied(args):
    """Copies of the arrays among some arguments, that lie in memory as they do."""
    return [_copy(a) if isinstance(a, np.ndarray) and a.size else a for a in args]


def _copy(array):
    low, high = np.lib.array_utils.byte_bounds(array)
    memory, offset = np.zeros(high - low, np.uint8), array.__array_interface__["data"][0] - low
    copy = np.ndarray(array.shape, array.dtype, memory, offset, array.strides)
    copy[...] = array
    copy.flags.writeable = array.flags.writeable
    return copy


def assert_alike(mine, theirs, told=""):
    """Raises where two values differ in type, dtype, shape, content or structure."""
    assert type(mine) is type(theirs), (told, mine, theirs)
    if isinstance(mine, dict):
        assert list(mine) == list(theirs), (told, mine, theirs)
        mine, theirs = list(mine.values()), list(theirs.values())
    if isinstance(mine, tuple | list):
        assert len(mine) == len(theirs), (told, mine, theirs)
        for part, other in zip(mine, theirs, strict=True):
            assert_alike(part, other, told)
        return
    if isinstance(mine, np.ndarray | np.generic):
        assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape), (told, mine, theirs)
    np.testing.assert_array_equal(mine, theirs, err_msg=str(told))


def same(function, *calls, **options):
    """The traced function, after some calls (tuples of arguments) at each of which it did what the plain one does, as
    a graph."""
    traced = tracefn.function(function, **{"on_unsupported": "error", **options})
    for args in calls:
        mine, theirs = outcome(traced, copied(args)), outcome(function, copied(args))
        assert mine[0] == theirs[0], (mine, theirs)
        assert_alike(mine[1:], theirs[1:], (args,))
    return traced


def same_anyway(function, *calls, **options):
    """As `same`, of code that may run eagerly instead of as a graph."""
    return same(function, *calls, on_unsupported="eager", **options)
