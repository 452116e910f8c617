"""What a call of a function comes to, and whether the traced function comes to the same as the plain one."""

import dataclasses
import warnings

import numpy as np
import roundings
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


def assert_alike(got, wanted, told="", *, ulps=0, strides=False):
    """Raises where two values differ in structure, type, dtype, shape or content; NaN is like NaN.

    Floats may be `ulps` units in the last place apart, the parts of complex numbers `ulps` units of the larger part.
    With `strides`, arrays also have the same layout in memory. `told` stands in the message.
    """
    assert type(got) is type(wanted), (told, got, wanted)
    options = {"ulps": ulps, "strides": strides}
    if isinstance(wanted, dict):
        assert list(got) == list(wanted), (told, got, wanted)
        got, wanted = list(got.values()), list(wanted.values())
    elif dataclasses.is_dataclass(wanted):
        got, wanted = list(vars(got).values()), list(vars(wanted).values())
    if isinstance(wanted, tuple | list):
        assert len(got) == len(wanted), (told, got, wanted)
        for part, other in zip(got, wanted, strict=True):
            assert_alike(part, other, told, **options)
    elif isinstance(wanted, np.ndarray | np.generic):
        assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape), (told, got, wanted)
        assert not strides or got.strides == wanted.strides, (told, got.strides, wanted.strides)
        if ulps and wanted.dtype.kind in "fc":
            _assert_close(got, wanted, ulps, told)
        else:
            np.testing.assert_array_equal(got, wanted, err_msg=str(told))
            if wanted.dtype.kind in "fc" and not roundings.ON_MACHINE_CODE:
                _assert_signs(got, wanted, ~np.isnan(wanted), told)
    else:
        np.testing.assert_equal(got, wanted, err_msg=str(told))


def _assert_close(got, wanted, ulps, told):
    """Infinities, NaN and the signs of finite zeros are equal; the other numbers are near."""
    with np.errstate(all="ignore"):
        size = np.maximum(abs(np.real(wanted)), abs(np.imag(wanted)))
        near = ulps * np.finfo(wanted.dtype).eps * np.where(np.isfinite(size), size, 0) + np.finfo(wanted.dtype).tiny
    for part in (np.real, np.imag) if wanted.dtype.kind == "c" else (np.real,):
        x, y = np.asarray(part(got)), np.asarray(part(wanted))
        finite = np.isfinite(y)
        np.testing.assert_array_equal(x[~finite], y[~finite], err_msg=str(told))
        with np.errstate(all="ignore"):
            far = abs(x - y)[finite] > np.broadcast_to(near, y.shape)[finite]
        assert not far.any(), (told, x[finite][far], y[finite][far])
    _assert_signs(got, wanted, wanted == 0, told)


def _assert_signs(got, wanted, where, told):
    """Of numbers that are not NaN, the signs of zeros are equal, too."""
    for part in (np.real, np.imag) if wanted.dtype.kind == "c" else (np.real,):
        mine, theirs = (np.asarray(np.signbit(part(x))) for x in (got, wanted))
        np.testing.assert_array_equal(mine[where], theirs[where], err_msg=f"{told} (signs)")


def assert_agrees(function, *args, **options):
    """The traced function, after a call at which it did what the plain one does, as a graph."""
    return assert_all_agree(function, args, **options)


def assert_all_agree(function, *calls, ulps=0, strides=False, **options):
    """The traced function, after some calls (tuples of arguments) at each of which it did what the plain one does, as
    a graph: results or errors, warnings, and the arguments afterwards. The other `options` are those of the decorator.
    """
    traced = tracefn.function(function, **{"on_unsupported": "error", **options})
    for args in calls:
        mine, theirs = outcome(traced, copied(args)), outcome(function, copied(args))
        assert mine[0] == theirs[0], (mine, theirs)
        assert_alike(mine[1:], theirs[1:], (args,), ulps=ulps, strides=strides)
    return traced


def assert_all_agree_anyway(function, *calls, **options):
    """As `assert_all_agree`, of code that may run eagerly instead of as a graph."""
    return assert_all_agree(function, *calls, on_unsupported="eager", **options)
