"""Comparing where functions run as machine code: its math functions and sums may round another way than NumPy's."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

EXACTLY = np.testing.assert_array_equal
UNITS = 64
"""How many units in the last place of the largest element may be between two results: sums take another order."""

ON_MACHINE_CODE = os.environ.get("TRACEFN_JIT") == "now"
"""True where the tests run with all that can be machine code as machine code."""


def assert_array_equal(actual: Any, desired: Any, *args: Any, **kwargs: Any) -> None:
    """`np.testing.assert_array_equal`, but for roundings of floating-point numbers of one dtype and shape."""
    try:
        EXACTLY(actual, desired, *args, **kwargs)
    except AssertionError:
        a, b = np.asarray(actual), np.asarray(desired)
        if a.dtype != b.dtype or a.shape != b.shape or b.dtype.kind not in "fc":
            raise
        close = UNITS * float(np.finfo(b.dtype).eps)
        largest = np.max(np.abs(b), initial=0, where=np.isfinite(b))
        np.testing.assert_allclose(a, b, rtol=close, atol=close * largest)


def are_close(actual: Any, desired: Any) -> bool:
    """True for results that are equal but for roundings."""
    try:
        assert_array_equal(actual, desired)
    except AssertionError:
        return False
    return True


def assert_alike(got: Any, wanted: Any, strides: bool = False) -> None:
    """Raises where two results, or tuples of such, differ by more than roundings, or in type, dtype or shape."""
    got, wanted = (r if isinstance(r, tuple) else (r,) for r in (got, wanted))
    for a, b in zip(got, wanted, strict=True):
        assert (type(a), a.dtype, a.shape) == (type(b), b.dtype, b.shape)
        assert not strides or a.strides == b.strides
        assert_array_equal(a, b)
